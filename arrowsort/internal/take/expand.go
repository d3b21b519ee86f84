package take

import (
	"context"
	"math"

	"github.com/apache/arrow/go/v15/arrow"
)

// Expand returns the value of each of n rows of run-end encoded data, from row first on, which is counted from the
// start of the runs. The result is one array, or several where 32-bit offsets would not hold one. Options and errors
// are those of Take.
func Expand(ctx context.Context, data arrow.ArrayData, first, n int, opts Options) (out []arrow.Array, err error) {
	g := newGatherer(ctx, opts, math.MaxInt32)
	defer g.release()
	err = contain(func() error {
		layout := Storage(data.DataType()).(*arrow.RunEndEncodedType)
		runs := []chunk{{data, first, n}}
		where, err := valuesOfRows(g, layout, runs)
		if err != nil {
			return err
		}
		c := &call{
			gatherer: newGatherer(ctx, opts, math.MaxInt32), typ: layout.Encoded(), chunks: children(runs, 1),
			split: true,
		}
		out, err = takeRows(c, where)
		return err
	})
	return out, err
}

// valuesOfRows returns the number of the value of each row of a chunk of runs.
func valuesOfRows(g *gatherer, layout *arrow.RunEndEncodedType, runs []chunk) ([]uint64, error) {
	rows := wholeChunk{0, runs[0].length}
	switch layout.RunEnds().ID() {
	case arrow.INT16:
		return locateRuns[int16](g, runs, rows)
	case arrow.INT32:
		return locateRuns[int32](g, runs, rows)
	default:
		return locateRuns[int64](g, runs, rows)
	}
}
