package gpu

import (
	"slices"

	"github.com/arrowsort/arrowsort/kernels"
	"github.com/arrowsort/arrowsort/keyencode"
)

// asOneColumn reports whether kernels read the fields of a word as one column: at most MostKeys, and not only bits.
func asOneColumn(fields []keyencode.DeviceField) bool {
	return len(fields) <= kernels.MostKeys &&
		slices.ContainsFunc(fields, func(f keyencode.DeviceField) bool { return f.Form != keyencode.FormBit })
}
