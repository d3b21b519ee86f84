package gpu

import (
	"slices"

	"github.com/arrowsort/arrowsort/kernels"
	"github.com/arrowsort/arrowsort/keyencode"
)

// asOneColumn reports whether kernels read the pieces of a word as one column: at most MostKeys, and not only bits.
func asOneColumn(pieces []keyencode.DeviceField) bool {
	return len(pieces) <= kernels.MostKeys &&
		slices.ContainsFunc(pieces, func(f keyencode.DeviceField) bool { return f.Form != keyencode.FormBit })
}
