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
	tileShare = 4  // one row of so many in a tile may be misplaced
	allShare  = 16 // and one of so many of all rows
)

// misplacedRows are rows in order but for some. Sampled rows in order fence the others in: a row that is lower than the
// last one in place, or higher than the next fence, is misplaced.
type misplacedRows struct {
	*sorter
	src    keys.Source
	fences []fence // the first one of row 0, and one after the last row
	tiles  []keptTile
	byRow  []uint32 // misplaced rows, as they lie
	sorted []uint32 // the same in the order of the result
}

type fence struct {
	row  int
	code uint64 // of the row
}

// A keptTile is the rows between two fences, and their misplaced ones.
type keptTile struct {
	first, last int // fences
	at, count   int // misplaced rows in byRow
	kept        int // rows in place of the tiles before
}

// sortMisplaced takes the rows that break the order out, sorts them, and merges them with the others. done is false
// when they are too many.
func (s *sorter) sortMisplaced() (done bool, err error) {
	m := &misplacedRows{sorter: s, src: s.keys.Source()}
	if !m.fenceIn() {
		return false, nil
	}
	if m.byRow, err = arena.Slice[uint32](s.mem, s.rows/tileShare); err != nil {
		return false, err
	}
	defer func() {
		s.mem.Free(buffers.Bytes(m.byRow))
		s.mem.Free(buffers.Bytes(m.sorted))
	}()
	if ok, err := m.find(); !ok || err != nil {
		return false, err
	}
	if err := m.sort(); err != nil {
		return false, err
	}
	return m.merge()
}

// fenceIn makes the fences and the tiles. It reports false when a sample is not in order but for a few rows.
func (m *misplacedRows) fenceIn() bool {
	codes, rows := m.keys.Sample(), keys.SampledRows(m.rows)
	if !m.keys.MostlyRising() {
		return false
	}
	longest := longestRising(codes)
	if len(codes)-len(longest) > len(codes)/allShare {
		return false
	}
	m.fences = []fence{{}}
	for _, i := range longest {
		if rows[i] > 0 {
			m.fences = append(m.fences, fence{int(rows[i]), codes[i]})
		}
	}
	m.fences = append(m.fences, fence{m.rows, math.MaxUint64})
	step := max(1, len(codes)*mergeRows/m.rows)
	for first, end := 0, len(m.fences)-1; first < end; {
		t := keptTile{first: first, last: first + step}
		if end-t.last < step { // no short tile at the end, whose few rows might all be misplaced
			t.last = end
		}
		m.tiles, first = append(m.tiles, t), t.last
	}
	return m.mostTo(codes, longest)*(m.rows/len(codes)) <= mergeRows
}

// mostTo is the largest number of sampled codes left out of the longest subsequence that belong to one tile, as when
// many of them are one frequent value.
func (m *misplacedRows) mostTo(codes []uint64, longest []int) (most int) {
	out := make([]int, len(m.tiles))
	for i, c := range codes {
		if len(longest) > 0 && longest[0] == i {
			longest = longest[1:]
			continue
		}
		tile := sort.Search(len(out)-1, func(k int) bool { return m.fences[m.tiles[k].last].code > c })
		out[tile]++
		most = max(most, out[tile])
	}
	return most
}

// longestRising are the places of a longest subsequence that never falls.
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

// find lists the misplaced rows. It reports false when they are too many.
func (m *misplacedRows) find() (bool, error) {
	var tooMany atomic.Bool
	var found atomic.Int64
	err := m.pool.Run(len(m.tiles), func(_, i int) {
		var codes [keys.BlockRows]uint64
		t := &m.tiles[i]
		t.at = m.fences[t.first].row / tileShare
		list := m.byRow[t.at : m.fences[t.last].row/tileShare]
		for k := t.first; k < t.last && t.count < len(list) && !tooMany.Load(); k++ {
			t.count += m.findBetween(m.fences[k], m.fences[k+1], list[t.count:], codes[:])
		}
		if found.Add(int64(t.count)) > int64(m.rows/allShare) || t.count == len(list) {
			tooMany.Store(true)
		}
	})
	return !tooMany.Load(), err
}

// findBetween lists the misplaced rows between two fences, as many as the list holds. codes is temp storage.
func (m *misplacedRows) findBetween(from, to fence, list []uint32, codes []uint64) (n int) {
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

// sort puts the misplaced rows of all tiles together and sorts a copy.
func (m *misplacedRows) sort() (err error) {
	n, kept := 0, 0
	for i := range m.tiles {
		if i%256 == 0 && m.pool.Stopped() {
			return m.pool.Ctx.Err()
		}
		t := &m.tiles[i]
		copy(m.byRow[n:], m.byRow[t.at:t.at+t.count])
		t.at, t.kept = n, kept
		n += t.count
		kept += m.fences[t.last].row - m.fences[t.first].row - t.count
	}
	if m.sorted, err = arena.Slice[uint32](m.mem, n); err != nil {
		return err
	}
	err = m.pool.Tiles(n, keys.TileRows, func(_, lo, hi int) { copy(m.sorted[lo:hi], m.byRow[lo:hi]) })
	if err != nil {
		return err
	}
	return m.sortRows(m.src, m.sorted, 0)
}

// before is the number of misplaced rows that sort before the row of a fence.
func (m *misplacedRows) before(f fence) int {
	if f.row == 0 {
		return 0
	}
	if f.row == m.rows {
		return len(m.sorted)
	}
	return sort.Search(len(m.sorted), func(i int) bool {
		row, code := [1]uint32{m.sorted[i]}, [1]uint64{}
		m.src.EncodeRows(code[:], 0, row[:])
		return code[0] > f.code || code[0] == f.code && int(m.sorted[i]) > f.row
	})
}

// merge makes the result, tile by tile. done is false when a tile is too long for one worker.
func (m *misplacedRows) merge() (done bool, err error) {
	movers := m.movers()
	lates := make([]int, len(m.tiles)+1)
	err = m.pool.Run(len(m.tiles), func(_, i int) { lates[i+1] = m.before(m.fences[m.tiles[i].last]) })
	if err != nil {
		return false, err
	}
	longest := 0
	for i := range m.tiles {
		t := &m.tiles[i]
		longest = max(longest, m.fences[t.last].row-m.fences[t.first].row+lates[i+1]-lates[i])
	}
	if longest > binsort.MaxRows {
		return false, nil
	}
	threads := min(m.pool.Threads, len(m.tiles))
	fs, err := binsort.NewSorters(m.pool, m.mem, threads, longest, payload.Widest(movers), false)
	if err != nil {
		return false, err
	}
	spans := make([][]span, len(fs))
	err = m.pool.Run(len(m.tiles), func(worker, i int) {
		t := &m.tiles[i]
		late := m.sorted[lates[i]:lates[i+1]]
		spans[worker] = m.spans(spans[worker][:0], fs[worker], t, late)
		m.move(movers, fs[worker].Scratch, t, late, spans[worker], t.kept+lates[i])
		m.pool.Advance(3 * (m.fences[t.last].row - m.fences[t.first].row))
	})
	for _, f := range fs {
		f.Release(m.mem)
	}
	return true, err
}

// A span is the rows from..to-1 of a tile. The late ones follow at one more than its rows: no span has both.
type span struct{ from, to int }

// spans appends the rows in place of a tile and late ones in the order of the result.
func (m *misplacedRows) spans(spans []span, f *binsort.Sorter, t *keptTile, late []uint32) []span {
	add := func(from, to int) {
		if last := len(spans) - 1; last >= 0 && spans[last].to == from {
			spans[last].to = to
		} else if from < to {
			spans = append(spans, span{from, to})
		}
	}
	lo, hi := m.fences[t.first].row, m.fences[t.last].row
	codes, lateCodes := f.Codes[:hi-lo], f.Codes[hi-lo:][:len(late)]
	keys.EncodeAll(m.src, codes, lo)
	m.src.EncodeRows(lateCodes, 0, f.Rows[:copy(f.Rows, late)])
	from, next := 0, 0
	for i := range t.count + 1 {
		to := hi - lo
		if i < t.count {
			to = int(m.byRow[t.at+i]) - lo
		}
		after := func(k int) bool {
			return codes[k] > lateCodes[next] || codes[k] == lateCodes[next] && lo+k > int(late[next])
		}
		for next < len(late) && from < to && after(to-1) {
			at := from + sort.Search(to-from, func(k int) bool { return after(from + k) })
			add(from, at)
			add(hi-lo+1+next, hi-lo+2+next)
			from = at
			next++
		}
		add(from, to)
		from = to + 1
	}
	add(hi-lo+1+next, hi-lo+1+len(late))
	return spans
}

// move moves the rows of a tile and late ones to the result, from a place on.
func (m *misplacedRows) move(
	movers []*payload.Mover, spare []byte, t *keptTile, late []uint32, spans []span, place int,
) {
	lo, n := m.fences[t.first].row, m.fences[t.last].row-m.fences[t.first].row
	for _, l := range movers {
		rows := l.Block(lo, n, spare)
		others := spare[n*l.Width:][:len(late)*l.Width]
		l.Take(others, late)
		out := l.Out[place*l.Width:]
		for i, s := range spans {
			if i%64 == 0 && m.pool.Stopped() {
				return
			}
			part := rows
			if s.from > n {
				part, s = others, span{s.from - n - 1, s.to - n - 1}
			}
			out = out[copy(out, part[s.from*l.Width:s.to*l.Width]):]
		}
	}
}
