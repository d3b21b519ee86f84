#include "digit_binning.h"

// The last pass writes nothing but row numbers.
DIGIT_BINNING(digit_binning_last, PackedShape, FromPacked, ToRows)
DIGIT_BINNING(digit_binning_last_short, PackedShape, FromShort, ToRows)
DIGIT_BINNING(digit_binning_last_wide, WideShape, FromWide, ToRows)
