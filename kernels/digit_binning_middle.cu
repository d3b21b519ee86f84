#include "digit_binning.h"

// The middle passes move records.
DIGIT_BINNING(digit_binning_middle, Packed, FromRecords, ToRecords)
DIGIT_BINNING(digit_binning_middle_wide, Wide, FromRecords, ToRecords)
// Wide records become packed ones as soon as the bits that are left leave room for the row.
DIGIT_BINNING(digit_binning_narrow, Wide, FromRecords, ToPacked)
