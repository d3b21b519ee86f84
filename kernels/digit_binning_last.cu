#include "digit_binning.h"

// The last pass writes nothing but row numbers.
DIGIT_BINNINGS(digit_binning_last, Packed, FromPacked, ToRows)
DIGIT_BINNINGS(digit_binning_last_short, Packed, FromShort, ToRows)
DIGIT_BINNINGS(digit_binning_last_wide, Wide, FromWide, ToRows)
