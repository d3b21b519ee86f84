package cpu

import (
	"math"
	"sort"
	"unsafe"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/binsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/keys"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/partition"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/payload"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/scatter"
	"github.com/arrowsort/arrowsort/internal/arena"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/internal/workers"
	"github.com/arrowsort/arrowsort/keyencode"
)

const (
	movedLength   = 1 << 8  // the greatest average length: longer strings are sequential reads anyway
	movedBinBytes = 1 << 21 // of a bin that moves
)

// movedBytes are the bytes of strings that move with the partition. Each bin's bytes land in their final range of the
// result, still unsorted; sorting a bin then reads only that range, which fits the cache. The strings of a bin that is
// too long stay in the input.
type movedBytes struct {
	text   *payload.Strings
	data   []byte        // the result's
	rows   []uint32      // the first row of each bin, then the number of rows
	bins   []int         // the first byte of each bin in data, then the number of bytes
	moved  []bool        // whether the bytes of a bin move
	places [][]byteRange // of each stripe, in each bin

	combiners []scatter.StringCombiner // of each stripe; nil: bytes move by plain stores
	buffers   []byte
}

// A byteRange is where the bytes of a stripe lie in a bin, and where the next ones go.
type byteRange struct{ first, next int }

// moveBytes moves the bytes of a column with a partition that has recorded the bin of each row. It returns nil if they
// stay in the input. They move by write combining, if the columns do.
func moveBytes(
	pool *workers.Pool, mem *arena.Arena, t *payload.Strings, p *partition.Partition, combines bool,
) (*movedBytes, error) {
	c := &movedBytes{text: t, rows: p.Starts, places: make([][]byteRange, len(p.Stripes))}
	if err := c.count(pool, t, p); err != nil {
		return nil, err
	}
	moved := c.place(p)
	total := c.bins[p.Classifier.Bins]
	if moved < total/2 || t.Kind == keyencode.Binary && total > math.MaxInt32 || !t.MoveTo(total) {
		return nil, nil
	}
	var err error
	if c.data, err = mem.Bytes(total); err != nil {
		return nil, err
	}
	aligned := total > 0 && uintptr(unsafe.Pointer(&c.data[0]))%scatter.LineBytes == 0
	if combines && aligned && p.Classifier.Bins <= scatter.MaxStringBins {
		size := scatter.StringBufferBytes(p.Classifier.Bins)
		if c.buffers, err = mem.Bytes(len(p.Stripes) * size); err != nil {
			return nil, err
		}
		for i := range p.Stripes {
			c.combiners = append(c.combiners, scatter.NewStringCombiner(c.buffers[i*size:][:size]))
		}
	}
	t.Moved = c.data
	fill := t.Mover.Fill
	t.Mover.Fill = func(dst []byte, lo int) {
		fill(dst, lo)
		c.move(t, p, buffers.View[uint64](dst), lo)
	}
	return c, nil
}

// count adds up the bytes of each stripe's rows in each bin.
func (c *movedBytes) count(pool *workers.Pool, t *payload.Strings, p *partition.Partition) error {
	return pool.Run(len(p.Stripes), func(_, item int) {
		var words [keys.BlockRows]uint64
		stripe, n := &p.Stripes[item], make([]byteRange, p.Classifier.Bins)
		for lo := stripe.Lo; lo < stripe.Hi && (lo%keys.TileRows != 0 || !pool.Stopped()); lo += keys.BlockRows {
			block := words[:min(keys.BlockRows, stripe.Hi-lo)]
			t.Mover.Fill(buffers.Bytes(block), lo)
			for i, bin := range p.Bins[lo : lo+len(block)] {
				n[bin].next += t.Length(block[i])
			}
		}
		c.places[item] = n
	})
}

// place turns the numbers of bytes into places: bin by bin, and stripe by stripe within a bin. It returns how many
// bytes move.
func (c *movedBytes) place(p *partition.Partition) (moved int) {
	c.bins, c.moved = make([]int, p.Classifier.Bins+1), make([]bool, p.Classifier.Bins)
	sum := 0
	for bin := range p.Classifier.Bins {
		c.bins[bin] = sum
		for _, places := range c.places {
			n := places[bin].next
			places[bin] = byteRange{sum, sum}
			sum += n
		}
		lo, hi := p.Bin(bin)
		if n := sum - c.bins[bin]; hi-lo <= binsort.MaxRows && n <= movedBinBytes {
			c.moved[bin] = true
			moved += n
		}
	}
	c.bins[p.Classifier.Bins] = sum
	return moved
}

// move copies the strings of rows from lo on, all of one stripe, into their bins and points their words at the copies.
func (c *movedBytes) move(t *payload.Strings, p *partition.Partition, words []uint64, lo int) {
	stripe := sort.Search(len(p.Stripes), func(i int) bool { return p.Stripes[i].Hi > lo })
	places := c.places[stripe]
	for i, bin := range p.Bins[lo : lo+len(words)] {
		w := words[i]
		if length := t.Length(w); length > 0 && c.moved[bin] {
			to := &places[bin]
			if c.combiners != nil {
				c.combiners[stripe].Add(c.data, int(bin), to.first, to.next, t.Source(w), length)
			} else {
				copy(c.data[to.next:to.next+length], t.Source(w))
			}
			words[i] = t.Word(uint64(to.next), length)
			to.next += length
		}
	}
	if c.combiners != nil && lo+len(words) == p.Stripes[stripe].Hi {
		for bin, of := range places {
			c.combiners[stripe].End(c.data, bin, of.first, of.next)
		}
		c.combiners[stripe].Fence()
	}
}

// write writes the strings of all rows, and their offsets, in sorted order: those of a bin of up to binsort.MaxRows by
// one worker, through a copy if they move.
func (c *movedBytes) write(pool *workers.Pool, mem *arena.Arena, col *engine.Column) error {
	longest := 0
	for bin, moved := range c.moved {
		if moved {
			longest = max(longest, c.bins[bin+1]-c.bins[bin])
		}
	}
	scratch, err := mem.Bytes(min(pool.Threads, len(c.moved)) * longest)
	if err != nil {
		return err
	}
	c.places = nil
	err = pool.Run(len(c.moved), func(worker, bin int) {
		lo, hi, start, end := int(c.rows[bin]), int(c.rows[bin+1]), c.bins[bin], c.bins[bin+1]
		if hi-lo > binsort.MaxRows || pool.Stopped() {
			return
		}
		t := c.text
		if c.moved[bin] {
			cached := scratch[worker*longest:]
			t = t.CopyOf(cached[:copy(cached, c.data[start:end])], start)
		}
		t.WriteRows(pool, col, lo, hi, start, end)
	})
	mem.Free(scratch)
	for bin := 0; bin < len(c.moved) && err == nil; bin++ {
		if lo, hi := int(c.rows[bin]), int(c.rows[bin+1]); hi-lo > binsort.MaxRows {
			err = c.text.WriteRange(pool, col, lo, hi, c.bins[bin])
		}
	}
	return err
}
