#include "digit_binning.h"

// The first pass reads the column, encodes it in registers, and adds the row numbers.
DIGIT_BINNING(digit_binning_first, PackedShape, FromColumn, ToRecords)
DIGIT_BINNING(digit_binning_first_short, PackedShape, FromColumnShort, ToRecords)
DIGIT_BINNING(digit_binning_first_wide, WideShape, FromColumnWide, ToWide)
// A single pass, first and last.
DIGIT_BINNING(digit_binning_only, WideShape, FromColumnWide, ToRows)
