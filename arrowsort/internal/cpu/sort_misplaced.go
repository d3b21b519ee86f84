package cpu

import (
	"math"
	"sort"
	"sync/atomic"

	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/binsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/keys"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/payload"
	"github.com/arrowsort/arrowsort/internal/arena"
	"github.com/arrowsort/arrowsort/internal/buffers"
)

const (
	tileShare = 4  // a tile has one outlier in tileShare rows at most
	allShare  = 16 // and all rows one in allShare
)

// outliers are the rows that break an order. Sampled rows that are in order are anchors. Between two anchors, a row is
// an outlier if its code is below the last row kept, or above the next anchor.
type outliers struct {
	s       *sorter
	src     keys.Source
	anchors []anchor // the first one of row 0, and one after the last row
	tiles   []outlierTile
	rows    []uint32 // outliers, as they lie
	sorted  []uint32 // the same in the order of the result
}

type anchor struct {
	row  int
	code uint64 // of the row
}

// An outlierTile is the rows between two anchors, and their outliers.
type outlierTile struct {
	first, last int // anchors
	at, count   int // outliers in rows
	kept        int // rows in place of the tiles before
}

// sortMisplaced takes the rows that break the order out, sorts them, and merges them with the others. done is false
// when they are too many.
func (s *sorter) sortMisplaced() (done bool, err error) {
	m := &outliers{s: s, src: s.keys.Source()}
	if !m.findAnchors() {
		return false, nil
	}
	if m.rows, err = arena.Slice[uint32](s.mem, s.rows/tileShare); err != nil {
		return false, err
	}
	defer func() {
		s.mem.Free(buffers.Bytes(m.rows))
		s.mem.Free(buffers.Bytes(m.sorted))
	}()
	if ok, err := m.list(); !ok || err != nil {
		return false, err
	}
	if err := m.sort(); err != nil {
		return false, err
	}
	return m.merge()
}

// findAnchors makes the anchors and the tiles. It reports false when a sample is not in order but for a few rows.
func (m *outliers) findAnchors() bool {
	codes, rows := m.s.keys.Sample(), keys.SampledRows(m.s.rows)
	if !m.s.keys.MostlyRising() {
		return false
	}
	longest := longestRising(codes)
	if len(codes)-len(longest) > len(codes)/allShare {
		return false
	}
	m.anchors = []anchor{{}}
	for _, i := range longest {
		if rows[i] > 0 {
			m.anchors = append(m.anchors, anchor{int(rows[i]), codes[i]})
		}
	}
	m.anchors = append(m.anchors, anchor{m.s.rows, math.MaxUint64})
	step := max(1, len(codes)*mergeRows/m.s.rows)
	for first, end := 0, len(m.anchors)-1; first < end; {
		t := outlierTile{first: first, last: first + step}
		if end-t.last < step { // no short tile at the end, whose few rows might all be misplaced
			t.last = end
		}
		m.tiles, first = append(m.tiles, t), t.last
	}
	return m.mostTo(codes, longest)*(m.s.rows/len(codes)) <= mergeRows
}

// mostTo returns the largest number of sampled codes left out of the longest subsequence that belong to one tile, as
// when many of them are one frequent value.
func (m *outliers) mostTo(codes []uint64, longest []int) (most int) {
	out := make([]int, len(m.tiles))
	for i, c := range codes {
		if len(longest) > 0 && longest[0] == i {
			longest = longest[1:]
			continue
		}
		tile := sort.Search(len(out)-1, func(k int) bool { return m.anchors[m.tiles[k].last].code > c })
		out[tile]++
		most = max(most, out[tile])
	}
	return most
}

// longestRising returns the places of a longest subsequence that never falls.
func longestRising(codes []uint64) []int {
	before := make([]int, len(codes)) // the place before each one in a longest subsequence up to it
	var ends []int                    // of the subsequences of each length, the one with the lowest last code
	for i, c := range codes {
		n := sort.Search(len(ends), func(k int) bool { return codes[ends[k]] > c })
		if before[i] = -1; n > 0 {
			before[i] = ends[n-1]
		}
		if n == len(ends) {
			ends = append(ends, i)
		} else {
			ends[n] = i
		}
	}
	places := make([]int, len(ends))
	at := ends[len(ends)-1]
	for k := len(places) - 1; k >= 0; k-- {
		places[k], at = at, before[at]
	}
	return places
}

// list lists the outliers. It reports false when they are too many.
func (m *outliers) list() (bool, error) {
	var tooMany atomic.Bool
	var found atomic.Int64
	err := m.s.pool.Run(len(m.tiles), func(_, i int) {
		var codes [keys.BlockRows]uint64
		t := &m.tiles[i]
		t.at = m.anchors[t.first].row / tileShare
		list := m.rows[t.at : m.anchors[t.last].row/tileShare]
		for k := t.first; k < t.last && t.count < len(list) && !tooMany.Load(); k++ {
			t.count += m.listBetween(m.anchors[k], m.anchors[k+1], list[t.count:], codes[:])
		}
		if found.Add(int64(t.count)) > int64(m.s.rows/allShare) || t.count == len(list) {
			tooMany.Store(true)
		}
	})
	return !tooMany.Load(), err
}

// listBetween lists the outliers between two anchors, as many as the list holds. codes is temp storage.
func (m *outliers) listBetween(from, to anchor, list []uint32, codes []uint64) (n int) {
	last := from.code
	for lo := from.row; lo < to.row && n < len(list); lo += keys.BlockRows {
		block := codes[:min(keys.BlockRows, to.row-lo)]
		m.src.Encode(block, lo)
		for i, c := range block {
			if c-last <= to.code-last {
				last = c
				continue
			}
			if n == len(list) {
				return n
			}
			list[n] = uint32(lo + i)
			n++
		}
	}
	return n
}

// sort puts the outliers of all tiles together and sorts a copy.
func (m *outliers) sort() (err error) {
	n, kept := 0, 0
	for i := range m.tiles {
		if i%256 == 0 && m.s.pool.Stopped() {
			return m.s.pool.Ctx.Err()
		}
		t := &m.tiles[i]
		copy(m.rows[n:], m.rows[t.at:t.at+t.count])
		t.at, t.kept = n, kept
		n += t.count
		kept += m.anchors[t.last].row - m.anchors[t.first].row - t.count
	}
	if m.sorted, err = arena.Slice[uint32](m.s.mem, n); err != nil {
		return err
	}
	err = m.s.pool.Tiles(n, keys.TileRows, func(_, lo, hi int) { copy(m.sorted[lo:hi], m.rows[lo:hi]) })
	if err != nil {
		return err
	}
	return m.s.sortList(m.src, m.sorted, 0)
}

// before returns the number of outliers that sort before the row of an anchor.
func (m *outliers) before(f anchor) int {
	if f.row == 0 {
		return 0
	}
	if f.row == m.s.rows {
		return len(m.sorted)
	}
	return sort.Search(len(m.sorted), func(i int) bool {
		row, code := [1]uint32{m.sorted[i]}, [1]uint64{}
		m.src.EncodeRows(code[:], 0, row[:])
		return code[0] > f.code || code[0] == f.code && int(m.sorted[i]) > f.row
	})
}

// merge makes the result, tile by tile. done is false when a tile is too long for one worker.
func (m *outliers) merge() (done bool, err error) {
	movers := m.s.movers()
	insertionBounds := make([]int, len(m.tiles)+1)
	err = m.s.pool.Run(len(m.tiles), func(_, i int) { insertionBounds[i+1] = m.before(m.anchors[m.tiles[i].last]) })
	if err != nil {
		return false, err
	}
	longest := 0
	for i := range m.tiles {
		t := &m.tiles[i]
		longest = max(longest, m.anchors[t.last].row-m.anchors[t.first].row+insertionBounds[i+1]-insertionBounds[i])
	}
	if longest > binsort.MaxRows {
		return false, nil
	}
	threads := min(m.s.pool.Threads, len(m.tiles))
	fs, err := binsort.NewSorters(m.s.pool, m.s.mem, threads, longest, payload.Widest(movers), false)
	if err != nil {
		return false, err
	}
	ranges := make([][]copyRange, len(fs))
	err = m.s.pool.Run(len(m.tiles), func(worker, i int) {
		t := &m.tiles[i]
		insertions := m.sorted[insertionBounds[i]:insertionBounds[i+1]]
		ranges[worker] = m.copyRanges(ranges[worker][:0], fs[worker], t, insertions)
		m.move(movers, fs[worker].Scratch, t, insertions, ranges[worker], t.kept+insertionBounds[i])
		m.s.pool.Advance(3 * (m.anchors[t.last].row - m.anchors[t.first].row))
	})
	for _, f := range fs {
		f.Release(m.s.mem)
	}
	return true, err
}

// A copyRange is rows from..to-1 of a tile or of its insertions. Insertions are numbered after the rows, with a gap of
// one, so that no range holds both.
type copyRange struct{ from, to int }

// copyRanges appends the rows in place of a tile and its insertions in the order of the result.
func (m *outliers) copyRanges(ranges []copyRange, f *binsort.Sorter, t *outlierTile, insertions []uint32) []copyRange {
	add := func(from, to int) {
		if last := len(ranges) - 1; last >= 0 && ranges[last].to == from {
			ranges[last].to = to
		} else if from < to {
			ranges = append(ranges, copyRange{from, to})
		}
	}
	lo, hi := m.anchors[t.first].row, m.anchors[t.last].row
	codes, insertedCodes := f.Codes[:hi-lo], f.Codes[hi-lo:][:len(insertions)]
	keys.EncodeAll(m.src, codes, lo)
	m.src.EncodeRows(insertedCodes, 0, f.Rows[:copy(f.Rows, insertions)])
	from, next := 0, 0
	for i := range t.count + 1 {
		to := hi - lo
		if i < t.count {
			to = int(m.rows[t.at+i]) - lo
		}
		after := func(k int) bool {
			return codes[k] > insertedCodes[next] || codes[k] == insertedCodes[next] && lo+k > int(insertions[next])
		}
		for next < len(insertions) && from < to && after(to-1) {
			at := from + sort.Search(to-from, func(k int) bool { return after(from + k) })
			add(from, at)
			add(hi-lo+1+next, hi-lo+2+next)
			from = at
			next++
		}
		add(from, to)
		from = to + 1
	}
	add(hi-lo+1+next, hi-lo+1+len(insertions))
	return ranges
}

// move moves the rows of a tile and its insertions to the result, from a place on.
func (m *outliers) move(
	movers []*payload.Mover, scratch []byte, t *outlierTile, insertions []uint32, ranges []copyRange, place int,
) {
	lo, n := m.anchors[t.first].row, m.anchors[t.last].row-m.anchors[t.first].row
	for _, l := range movers {
		rows := l.Block(lo, n, scratch)
		others := scratch[n*l.Width:][:len(insertions)*l.Width]
		l.Take(others, insertions)
		out := l.Out[place*l.Width:]
		for i, s := range ranges {
			if i%64 == 0 && m.s.pool.Stopped() {
				return
			}
			part := rows
			if s.from > n {
				part, s = others, copyRange{s.from - n - 1, s.to - n - 1}
			}
			out = out[copy(out, part[s.from*l.Width:s.to*l.Width]):]
		}
	}
}
