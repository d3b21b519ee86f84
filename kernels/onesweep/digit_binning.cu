#include "onesweep/digit_binning.h"

// The first pass reads the column, encodes it in registers, and adds the row numbers.
DIGIT_BINNING(digit_binning_first, PackedShape, FromColumn, ToRecords)
DIGIT_BINNING(digit_binning_first_short, PackedShape, FromColumnShort, ToRecords)
DIGIT_BINNING(digit_binning_first_wide, WideShape, FromColumnWide, ToWide)
// A single pass, first and last.
DIGIT_BINNING(digit_binning_only, WideShape, FromColumnWide, ToRows)

// The last pass writes nothing but row numbers.
DIGIT_BINNING(digit_binning_last, PackedShape, FromPacked, ToRows)
DIGIT_BINNING(digit_binning_last_short, PackedShape, FromShort, ToRows)
DIGIT_BINNING(digit_binning_last_wide, WideShape, FromWide, ToRows)

// The middle passes move records.
DIGIT_BINNING(digit_binning_middle, PackedShape, FromPacked, ToRecords)
DIGIT_BINNING(digit_binning_middle_short, PackedShape, FromShort, ToRecords)
DIGIT_BINNING(digit_binning_middle_wide, WideShape, FromWide, ToWide)

// Keys only: any pass.
DIGIT_BINNING(digit_binning_values, ValueShape, FromShortValues, ToValues<u32>)
DIGIT_BINNING(digit_binning_values_wide, PackedShape, FromWideValues, ToValues<u64>)
