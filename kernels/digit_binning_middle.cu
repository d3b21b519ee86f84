#include "digit_binning.h"

// The middle passes move records.
DIGIT_BINNINGS(digit_binning_middle, Packed, FromPacked, ToRecords)
DIGIT_BINNINGS(digit_binning_middle_short, Packed, FromShort, ToRecords)
DIGIT_BINNINGS(digit_binning_middle_wide, Wide, FromWide, ToWide)
