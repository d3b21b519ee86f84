package rowcode

import (
	"context"
	"sync/atomic"

	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/internal/workers"
	"github.com/arrowsort/arrowsort/keyencode"
)

// tileRows are the rows that are worked on at a time: their bytes and the scratch memory fit in the nearest caches. It
// is a multiple of 8, so that tiles do not share bytes of bitmaps.
const tileRows = 512

// A tile is the scratch memory of a worker: about 9 KiB.
type tile struct {
	out     []byte           // all rows
	pos     [tileRows]int    // where the next byte of each row goes, or comes from
	words   [tileRows]uint64 // ordered words
	classes [tileRows]byte   // class bytes
	texts   [][]byte         // strings of views
	ends    []int64          // of elements, from the first one of a window
	below   *tile            // of the elements of lists and unions
}

// A source is the rows of a leaf.
type source struct {
	*leaf
	chunks []chunk
	starts buffers.Chunks
}

// each calls f for the runs of n rows from row lo on that lie in one chunk: n of them from row at of the chunk on,
// which are from rows after row lo.
func (s *source) each(lo, n int, f func(k *chunk, at, from, n int)) {
	if n == 0 {
		return
	}
	for from, i := 0, s.starts.Find(lo); from < n; i++ {
		run := min(n-from, s.starts[i+1]-lo-from)
		f(&s.chunks[i], lo+from-s.starts[i], from, run)
		from += run
	}
}

// A chunk is a chunk of a source.
type chunk struct {
	*leaf
	keyencode.Chunk
	values     keyencode.Column // the chunk without its validity
	indexBytes int              // of a dictionary
	escapes    atomic.Bool      // strings with bytes to escape were measured
	entries    *Rows            // of a dictionary, encoded, from entry first on; nil for values
	first      int
	elements   // of lists and unions
}

// valid reports whether row i is not null.
func (k *chunk) valid(i int) bool {
	return k.Validity == nil || buffers.Bit(k.Validity, k.Offset+i)
}

// index returns the index of row i of a dictionary column.
func (k *chunk) index(i int) uint64 { return buffers.Index(k.Values, k.indexBytes, k.Offset+i) }

// tilesPerTask are the tiles that a worker does without asking for more: some 100 microseconds of work.
const tilesPerTask = 8

// eachTile runs f on all tiles of n rows, with scratch memory of the worker, which it makes.
func eachTile(ctx context.Context, scratch []*tile, n, threads int, f func(t *tile, lo, n int) error) error {
	const step = tilesPerTask * tileRows
	return workers.Run(ctx, (n+step-1)/step, threads, func(worker, i int) error {
		if scratch[worker] == nil {
			scratch[worker] = new(tile)
		}
		for lo := i * step; lo < min(n, (i+1)*step) && ctx.Err() == nil; lo += tileRows {
			if err := f(scratch[worker], lo, min(tileRows, n-lo)); err != nil {
				return err
			}
		}
		return nil
	})
}

// tileStarts returns the places where tiles begin whose rows end at the given places of their tile, and the end of all.
func tileStarts[O int32 | int64](ends []O) (starts []int64, total int64) {
	starts = make([]int64, 0, (len(ends)+tileRows-1)/tileRows)
	for lo := 0; lo < len(ends); lo += tileRows {
		starts = append(starts, total)
		total += int64(ends[min(lo+tileRows, len(ends))-1])
	}
	return starts, total
}
