#include "digit_binning.h"

// The last pass writes nothing but row numbers.
DIGIT_BINNING(digit_binning_last, Packed, FromRecords, ToRows)
DIGIT_BINNING(digit_binning_last_wide, Wide, FromRecords, ToRows)
