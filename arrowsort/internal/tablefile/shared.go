package tablefile

import (
	"github.com/arrowsort/arrowsort/arrowsort/internal/rawmem"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/dictionary"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/fileerror"
	check "github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/validate"
)

// A Recycler is a rawmem.Recycler.
type Recycler = rawmem.Recycler

// What the files about Parquet, and packages that sort files, use of the packages beneath.
var (
	NewRecycler       = rawmem.NewRecycler
	TableBytes        = arraydata.TableBytes
	ArrayBytes        = arraydata.ArrayBytes
	contain           = fileerror.Contain
	corrupt           = fileerror.Corrupt
	unsupported       = fileerror.Unsupported
	unifyDictionaries = dictionary.Unify
	releaseData       = arraydata.Release
	validate          = check.Array
)
