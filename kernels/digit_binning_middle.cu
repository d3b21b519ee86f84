#include "digit_binning.h"

// The middle passes move records.
DIGIT_BINNING(digit_binning_middle, PackedShape, FromPacked, ToRecords)
DIGIT_BINNING(digit_binning_middle_short, PackedShape, FromShort, ToRecords)
DIGIT_BINNING(digit_binning_middle_wide, WideShape, FromWide, ToWide)
