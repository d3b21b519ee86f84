package beamsort

import (
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/arraydata"
)

// limits are splitters, in the order of the rows that they are in the inputs. nil: there are none.
type limits struct {
	keys  arrow.Record // the key columns
	parts []uint64
	rows  []uint64
}

// newLimits takes splitters from an element.
func newLimits(b []byte) (*limits, error) {
	rec, err := decodeBatch(b)
	if err != nil {
		return nil, err
	}
	n := int(rec.NumCols())
	return &limits{rec, rec.Column(n - 1).(*array.Uint64).Uint64Values(),
		rec.Column(n - 2).(*array.Uint64).Uint64Values()}, nil
}

func (l *limits) release() { l.keys.Release() }

// splitter is the origin of a splitter.
const splitter = 1<<32 - 1

// among are the key columns of a piece with the splitters among its rows, and for each row of that its number in the
// piece, or splitter. The caller releases it.
func (l *limits) among(piece arrow.Table, keyColumns []int, part, first int64) (arrow.Table, []uint32) {
	chunks := make([][]arrow.Array, len(keyColumns))
	var slices []arrow.Array
	defer func() { arraydata.Release(slices) }()
	origin := make([]uint32, 0, piece.NumRows()+int64(l.count()))
	rows := func(from, to int64) {
		for i, c := range keyColumns {
			if from == to {
				return
			}
			data := array.NewChunkedSlice(piece.Column(c).Data(), from, to)
			for _, a := range data.Chunks() {
				a.Retain()
				slices, chunks[i] = append(slices, a), append(chunks[i], a)
			}
			data.Release()
		}
		for row := from; row < to; row++ {
			origin = append(origin, uint32(row))
		}
	}
	done := int64(0)
	for at := 0; at < l.count(); {
		to := l.place(at, part, first, piece.NumRows())
		rows(done, to)
		done = to
		end := at + 1
		for end < l.count() && l.place(end, part, first, piece.NumRows()) == to {
			end++
		}
		for i := range keyColumns {
			a := array.NewSlice(l.keys.Column(i), int64(at), int64(end))
			slices, chunks[i] = append(slices, a), append(chunks[i], a)
		}
		for ; at < end; at++ {
			origin = append(origin, splitter)
		}
	}
	rows(done, piece.NumRows())
	return array.NewTableFromSlice(arraydata.Pick(piece.Schema(), keyColumns), chunks), origin
}

// count is the number of splitters.
func (l *limits) count() int {
	if l == nil {
		return 0
	}
	return len(l.rows)
}

// place is the row of a piece that a splitter precedes.
func (l *limits) place(at int, part, first, rows int64) int64 {
	switch p := int64(l.parts[at]); {
	case p < part:
		return 0
	case p > part:
		return rows
	}
	return min(max(int64(l.rows[at])-first, 0), rows)
}
