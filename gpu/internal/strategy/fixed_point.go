package strategy

import (
	"math"
	"math/bits"

	"github.com/arrowsort/arrowsort/kernels"
)

// A FixedPoint is how floats that are integers divided by a power of ten become codes of some digits: first NaN and
// null, or values, as they sort.
type FixedPoint struct {
	Power uint64 // of ten, the pattern of a double
	First uint64 // the integer of the least value that has a code, plus 2^51, as the sample reports integers
	Last  uint64 // the greatest integer with a code less the least
	Width int    // bits of a code
}

// NewFixedPoint returns the codes for floats of which a sample has the given digits after the point and range of
// integers. There are codes for integers far out of this range, most of them for greater ones, as prices are: as many
// as the digits of codes have room for.
func NewFixedPoint(digits int, least, greatest uint64) *FixedPoint {
	const below, above, spare, classes = 1, 16, 256, 2
	span := greatest - least
	most := (1+below+above)*span + spare + classes
	p := &FixedPoint{Power: math.Float64bits(math.Pow10(digits)), First: least - below*span - spare/2}
	p.Width = (bits.Len64(most) + kernels.RadixBits - 1) / kernels.RadixBits * kernels.RadixBits
	p.Last = 1<<p.Width - 1 - classes
	return p
}
