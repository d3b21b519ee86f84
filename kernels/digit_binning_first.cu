#include "digit_binning.h"

// The first pass reads the column, encodes it in registers, and adds the row numbers.
DIGIT_BINNINGS_TO_MEDIUM(digit_binning_first, Packed, FromColumn, ToRecords)
DIGIT_BINNINGS_TO_MEDIUM(digit_binning_first_short, Packed, FromColumnShort, ToRecords)
DIGIT_BINNINGS(digit_binning_first_wide, Wide, FromColumnWide, ToWide)
// A single pass, first and last.
DIGIT_BINNINGS(digit_binning_only, Wide, FromColumnWide, ToRows)
