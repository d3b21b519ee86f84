package tablefile

import (
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/fileerror"
	check "github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/validate"
)

// Short names for what the files about Parquet use of the packages beneath.
var (
	contain     = fileerror.Contain
	corrupt     = fileerror.Corrupt
	releaseData = arraydata.Release
	validate    = check.Array
)
