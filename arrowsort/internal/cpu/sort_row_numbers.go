package cpu

import (
	"math/bits"
	"slices"

	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/binsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/keys"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/partition"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/payload"
	"github.com/arrowsort/arrowsort/internal/arena"
	"github.com/arrowsort/arrowsort/internal/buffers"
)

// sortRowNumbers makes the row numbers of a mover, and nothing else. A record is one word: leading bits of the code,
// then the row number. The partition writes the records into the mover's own buffer, where each bin is sorted and
// reduced to row numbers. If two records have equal code bits, the rest of the code is read from the keys.
func (s *sorter) sortRowNumbers(numbers *payload.Mover) error {
	p := s.newPartition(s.keys.Source(), s.rows, s.keys.Plan.Borders(), 0)
	if err := p.Count(true); err != nil {
		return err
	}
	records := buffers.View[uint64](numbers.Out)
	if numbers.Width == 4 {
		var err error
		if records, err = arena.Slice[uint64](s.mem, s.rows); err != nil {
			return err
		}
	}
	rowBits, rest := s.recordBits()
	if err := p.ScatterRecords(records, rowBits, rest); err != nil {
		return err
	}
	p.Release()
	if err := s.sortRecords(p, records, rowBits, rest); err != nil || numbers.Width == 8 {
		return err
	}
	narrow := buffers.View[uint32](numbers.Out)
	err := s.pool.Tiles(s.rows, keys.TileRows, func(_, lo, hi int) {
		for i, r := range records[lo:hi] {
			narrow[lo+i] = uint32(r)
		}
	})
	s.mem.Free(buffers.Bytes(records))
	return err
}

// recordBits returns the bits of a row number and those of the leading word that do not fit above it.
func (s *sorter) recordBits() (rowBits, rest uint) {
	rowBits = uint(bits.Len(uint(s.rows - 1)))
	return rowBits, max(uint(s.keys.Plan.WordBits(0))+rowBits, 64) - 64
}

// recordsTie reports whether records of a sample tie. If a sample of m of n rows has ties, all rows have about (n/m)^2
// times as many. Then it is cheaper to move the codes along.
func (s *sorter) recordsTie() bool {
	_, rest := s.recordBits()
	if rest == 0 && s.keys.Plan.Words() == 1 {
		return false
	}
	codes := slices.Clone(s.keys.Sample())
	slices.Sort(codes)
	return len(slices.CompactFunc(codes, func(a, b uint64) bool { return a>>rest == b>>rest })) < len(codes)
}

// sortRecords sorts the records of each bin and strips them to row numbers.
func (s *sorter) sortRecords(p *partition.Partition, records []uint64, rowBits, rest uint) error {
	src := s.keys.Source()
	return s.eachBin(p, 8, rest > 0 || s.keys.Plan.Words() > 1,
		func(f *binsort.Sorter, lo, hi int) { f.SortRecords(s.keys.Plan, src, records[lo:hi], rowBits, rest) },
		func(lo, hi int) error { return s.sortOversizedRecords(records[lo:hi], rowBits) })
}

// sortOversizedRecords sorts the records of a bin that is too long for one worker, by their rows.
func (s *sorter) sortOversizedRecords(records []uint64, rowBits uint) error {
	rows, err := arena.Slice[uint32](s.mem, len(records))
	if err != nil {
		return err
	}
	mask := uint64(1)<<rowBits - 1
	err = s.pool.Tiles(len(records), keys.TileRows, func(_, lo, hi int) {
		for i, r := range records[lo:hi] {
			rows[lo+i] = uint32(r & mask)
		}
	})
	if err == nil {
		err = s.sortOversizedBin(s.keys.Source(), rows, 0)
	}
	if err == nil {
		err = s.pool.Tiles(len(records), keys.TileRows, func(_, lo, hi int) {
			buffers.Widen(records[lo:hi], rows[lo:])
		})
	}
	s.mem.Free(buffers.Bytes(rows))
	return err
}

// selectTop finds the bins of the leading rows, sorts the rows of these bins alone and takes the first of them.
func (s *sorter) selectTop() error {
	p := s.newPartition(s.keys.Source(), s.rows, s.keys.Plan.Borders(), 0)
	if err := p.Count(true); err != nil {
		return err
	}
	last, _ := slices.BinarySearch(p.Starts[1:], uint32(s.out)) // the first bin that ends at or after the limit
	rows, err := arena.Slice[uint32](s.mem, int(p.Starts[last+1]))
	if err != nil {
		return err
	}
	if err := p.RowsOfBins(rows, uint16(last)); err != nil {
		return err
	}
	p.Release()
	if err := s.sortList(s.keys.Source(), rows, 0); err != nil {
		return err
	}
	return s.take(rows[:s.out])
}
