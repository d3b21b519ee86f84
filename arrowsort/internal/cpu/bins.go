package cpu

import (
	"slices"

	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/binsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/keys"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/partition"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/payload"
	"github.com/arrowsort/arrowsort/internal/buffers"
)

// sortList sorts the listed rows of a source, which tie in all words before word, by the words from there on. Few are
// ordered by one worker; many are partitioned, and bins that are still too long recurse: with the same word and a new
// sample or, when they tie in it, with the next word.
func (s *sorter) sortList(src keys.Source, rows []uint32, word int) error {
	if len(rows) <= binsort.MaxRows {
		fs, err := binsort.NewSorters(s.pool, s.mem, 1, len(rows), 8, true)
		if err != nil {
			return err
		}
		fs[0].SortList(s.keys.Plan, src, rows, word)
		fs[0].Release(s.mem)
		return nil
	}
	p := s.newPartition(keys.NewList(src, rows, word), len(rows), nil, word)
	p.Silent = true
	if err := p.Count(true); err != nil {
		return err
	}
	listed := &payload.Mover{Width: 4, Direct: func(lo, n int) []byte { return buffers.Bytes(rows[lo : lo+n]) }}
	if err := listed.Allocate(s.mem, len(rows)); err != nil {
		return err
	}
	if err := p.Scatter([]*payload.Mover{listed}); err != nil {
		return err
	}
	p.Release()
	moved := buffers.View[uint32](listed.Out)
	err := s.pool.Tiles(len(rows), keys.TileRows, func(_, lo, hi int) { copy(rows[lo:hi], moved[lo:hi]) })
	if err != nil {
		return err
	}
	s.mem.Free(listed.Out) // before the bins, which may recurse
	return s.sortListBins(p, src, rows, word)
}

// sortListBins sorts the rows of each bin of a partition by word.
func (s *sorter) sortListBins(p *partition.Partition, src keys.Source, rows []uint32, word int) error {
	return s.eachBin(p, 8, true,
		func(f *binsort.Sorter, lo, hi int) { f.SortList(s.keys.Plan, src, rows[lo:hi], word) },
		func(lo, hi int) error { return s.sortOversizedBin(src, rows[lo:hi], word) })
}

// sortOversizedBin sorts rows that are too many for one worker: by the next word, if they tie in this one.
func (s *sorter) sortOversizedBin(src keys.Source, rows []uint32, word int) error {
	for word < s.keys.Plan.Words() {
		code, tied, err := s.allEqual(keys.NewList(src, rows, word), len(rows))
		if err != nil {
			return err
		}
		if !tied {
			return s.sortList(src, rows, word)
		}
		word = s.keys.Plan.Next(word, code)
	}
	return nil
}

// allEqual reports whether all codes of a source are equal, and returns the first of them.
func (s *sorter) allEqual(src keys.Source, n int) (uint64, bool, error) {
	var first [1]uint64
	src.Encode(first[:], 0)
	differ := make([]bool, (n+keys.TileRows-1)/keys.TileRows)
	err := s.pool.Tiles(n, keys.TileRows, func(_, lo, hi int) {
		var codes [keys.BlockRows]uint64
		for ; lo < hi; lo += keys.BlockRows {
			block := codes[:min(keys.BlockRows, hi-lo)]
			src.Encode(block, lo)
			if slices.ContainsFunc(block, func(c uint64) bool { return c != first[0] }) {
				differ[lo/keys.TileRows] = true
				return
			}
		}
	})
	return first[0], !slices.Contains(differ, true), err
}

// eachBin calls short for the rows lo..hi-1 of bins of up to binsort.MaxRows, which one worker sorts, with temp storage
// for values of a width and for ties; then long, one after another, for the others.
func (s *sorter) eachBin(
	p *partition.Partition, width int, ties bool, short func(f *binsort.Sorter, lo, hi int),
	long func(lo, hi int) error,
) error {
	longest := 0
	for bin := range p.Classifier.Bins {
		if lo, hi := p.Bin(bin); hi-lo <= binsort.MaxRows {
			longest = max(longest, hi-lo)
		}
	}
	fs, err := binsort.NewSorters(s.pool, s.mem, min(s.pool.Threads, p.Classifier.Bins), longest, width, ties)
	if err != nil {
		return err
	}
	err = s.pool.Run(p.Classifier.Bins, func(worker, bin int) {
		if lo, hi := p.Bin(bin); hi-lo <= binsort.MaxRows {
			short(fs[worker], lo, hi)
			p.Report(hi - lo)
		}
	})
	for _, f := range fs {
		f.Release(s.mem)
	}
	for bin := 0; bin < p.Classifier.Bins && err == nil; bin++ {
		if lo, hi := p.Bin(bin); hi-lo > binsort.MaxRows {
			err = long(lo, hi)
			p.Report(hi - lo)
		}
	}
	return err
}
