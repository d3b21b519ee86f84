#include "digit_binning.h"

// The first pass reads the column, encodes it in registers, and adds the row numbers.
DIGIT_BINNING(digit_binning_first, MediumPacked, FromColumn, ToRecords)
DIGIT_BINNING(digit_binning_first_short, MediumPacked, FromColumnShort, ToRecords)
DIGIT_BINNINGS(digit_binning_first_wide, Wide, FromColumnWide, ToWide)
// A single pass, first and last.
DIGIT_BINNINGS(digit_binning_only, Wide, FromColumnWide, ToRows)
