package cpu

import (
	"math"
	"math/bits"
	"sort"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/binsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/keys"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/keyencode"
)

const (
	carriedLength   = 1 << 8  // the greatest average length: each longer string is read in order anyway
	carriedBinBytes = 1 << 21 // of a bin that is carried
)

// carriedStrings are the bytes of strings that move with the partition, straight into the result: those of each bin to
// where they are in the end, but in the order of the rows. So the ties of a bin are compared, and its strings copied in
// sorted order, in cache. The strings of a bin that is too long stay in the input.
type carriedStrings struct {
	data    []byte     // the result's
	rows    []uint32   // the first row of each bin, and their number
	bins    []int      // the first byte of each bin in data, and their number
	carried []bool     // which bins are
	next    [][]uint64 // of each share, the next byte in each bin
}

// carriedColumns are the columns whose bytes are worth it: those of long strings, of which all rows are wanted.
func (s *sorter) carriedColumns() (texts []*strings) {
	if s.rows < s.stringRows || s.job.Out() < s.rows {
		return nil
	}
	for _, c := range s.columns {
		if t := c.text; t != nil && !t.short && t.table == nil && t.bases[len(t.Chunks)] <= s.rows*carriedLength {
			texts = append(texts, t)
		}
	}
	return texts
}

// carry lets the bytes of a column move with a partition that has kept its bins.
func (t *strings) carry(p *partition) error {
	most := t.bases[len(t.Chunks)]
	c := &carriedStrings{rows: p.starts, next: make([][]uint64, len(p.shares))}
	if err := c.count(t, p); err != nil {
		return err
	}
	carried := c.place(p)
	total := c.bins[p.binner.bins]
	if carried < total/2 || t.Kind == keyencode.Binary && total > math.MaxInt32 ||
		uint(bits.Len(uint(total+most)))+t.lenBits > 63 {
		return nil
	}
	var err error
	if c.data, err = p.mem.Bytes(total); err != nil {
		return err
	}
	for i := range t.bases {
		t.bases[i] += total // places below are those of carried bytes
	}
	t.carried, t.near = c, c.data
	fill := t.mover.fill
	t.mover.fill = func(dst []byte, lo int) {
		fill(dst, lo)
		c.move(t, p, buffers.View[uint64](dst), lo)
	}
	return nil
}

// count adds up the bytes of each share's rows in each bin.
func (c *carriedStrings) count(t *strings, p *partition) error {
	return p.pool.Run(len(p.shares), func(_, item int) {
		var words [keys.BlockRows]uint64
		share, n := &p.shares[item], make([]uint64, p.binner.bins)
		for lo := share.lo; lo < share.hi && (lo%keys.TileRows != 0 || !p.pool.Stopped()); lo += keys.BlockRows {
			block := words[:min(keys.BlockRows, share.hi-lo)]
			t.mover.fill(buffers.Bytes(block), lo)
			for i, bin := range p.bins[lo : lo+len(block)] {
				n[bin] += uint64(t.length(block[i]))
			}
		}
		c.next[item] = n
	})
}

// place turns the numbers of bytes into places: bin by bin, and share by share within a bin. It returns how many bytes
// are carried.
func (c *carriedStrings) place(p *partition) (carried int) {
	c.bins, c.carried = make([]int, p.binner.bins+1), make([]bool, p.binner.bins)
	sum := uint64(0)
	for bin := range p.binner.bins {
		c.bins[bin] = int(sum)
		for _, next := range c.next {
			sum, next[bin] = sum+next[bin], sum
		}
		lo, hi := p.bin(bin)
		if n := int(sum) - c.bins[bin]; hi-lo <= binsort.MaxRows && n <= carriedBinBytes {
			c.carried[bin] = true
			carried += n
		}
	}
	c.bins[p.binner.bins] = int(sum)
	return carried
}

// move copies the bytes of rows from lo on, which are of one share, to their bins, and lets their words say where they
// are then.
func (c *carriedStrings) move(t *strings, p *partition, words []uint64, lo int) {
	next := c.next[sort.Search(len(p.shares), func(i int) bool { return p.shares[i].hi > lo })]
	for i, bin := range p.bins[lo : lo+len(words)] {
		w := words[i]
		if length := t.length(w); length > 0 && c.carried[bin] {
			at := next[bin]
			copy(c.data[at:at+uint64(length)], t.source(w))
			next[bin] = at + uint64(length)
			words[i] = at<<(t.lenBits&63) | uint64(length)
		}
	}
}

// write writes the strings of all rows, and their offsets, in sorted order: those of a bin of up to binsort.MaxRows by
// one worker, through a copy if they are carried.
func (c *carriedStrings) write(t *strings, s *sorter, col *engine.Column) error {
	longest := 0
	for bin, carried := range c.carried {
		if carried {
			longest = max(longest, c.bins[bin+1]-c.bins[bin])
		}
	}
	scratch, err := s.mem.Bytes(min(s.pool.Threads, len(c.carried)) * longest)
	if err != nil {
		return err
	}
	c.next = nil
	err = s.pool.Run(len(c.carried), func(worker, bin int) {
		lo, hi, start, end := int(c.rows[bin]), int(c.rows[bin+1]), c.bins[bin], c.bins[bin+1]
		if hi-lo > binsort.MaxRows || s.pool.Stopped() {
			return
		}
		sorted := *t
		if c.carried[bin] {
			sorted.near = scratch[worker*longest:][:copy(scratch[worker*longest:], c.data[start:end])]
			sorted.nearAt, sorted.copied = start, true
		}
		sorted.writeRows(s.pool, col, lo, hi, start, end)
	})
	s.mem.Free(scratch)
	for bin := 0; bin < len(c.carried) && err == nil; bin++ {
		if lo, hi := int(c.rows[bin]), int(c.rows[bin+1]); hi-lo > binsort.MaxRows {
			var tiles []tile
			if tiles, err = t.measureTiles(s, lo, hi); err == nil {
				err = t.writeTiles(s, col, lo, hi, c.bins[bin], tiles)
			}
		}
	}
	return err
}
