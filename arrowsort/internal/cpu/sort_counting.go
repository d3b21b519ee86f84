package cpu

import (
	"slices"

	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/keys"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/partition"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/payload"
	"github.com/arrowsort/arrowsort/keyencode"
)

const (
	counterBytes = 2       // of all counters of codes, for each row
	nearCodes    = 1 << 12 // at most, between neighbors: about as many places are open at a time
)

// fewNearCodes reports whether sortCounting is a good way: codes are few, and those of neighbors in a sample are near
// one another.
func (s *sorter) fewNearCodes() bool {
	if !s.fewCodes() {
		return false
	}
	codes, far, near := s.keys.Sample(), 0, min(nearCodes, uint64(1)<<s.keys.Plan.WordBits(0)/4)
	for i := 1; i < len(codes); i++ {
		if max(codes[i], codes[i-1])-min(codes[i], codes[i-1]) > near {
			far++
		}
	}
	return far <= len(codes)/16
}

// fewCodes reports whether counters of all codes take little memory.
func (s *sorter) fewCodes() bool {
	bins := uint64(1) << min(s.keys.Plan.WordBits(0), 32)
	return bins*4*uint64(partition.StripesOfCodes(s.pool, s.rows)) <= uint64(s.rows)*counterBytes
}

// sortCounting partitions the rows with a bin for each code, so that bins need no sort. Rows that are near one
// another go to few bins: their counters stay in the cache, and so do the lines of the result that the next rows go to.
// done is false where codes are too many.
func (s *sorter) sortCounting() (done bool, err error) {
	if !s.keys.Measured() {
		if err := s.keys.MeasureAll(s.pool); err != nil {
			return false, err
		}
	}
	if s.keys.Plan.Words() > 1 || !s.fewNearCodes() {
		return false, nil
	}
	movers := s.movers()
	p, err := s.countCodes(movers)
	if err != nil {
		return false, err
	}
	defer p.Release()
	return true, p.Scatter(movers)
}

// countCodes counts the rows of each code, for a partition that scatters these movers, if there are any.
func (s *sorter) countCodes(movers []*payload.Mover) (*partition.Partition, error) {
	p, err := partition.NewOfCodes(s.pool, s.mem, s.keys.Source(), s.rows, 1<<s.keys.Plan.WordBits(0))
	if err != nil {
		return nil, err
	}
	p.AlwaysCombines = s.combine
	return p, p.Count(len(movers) > 0 && p.Combines(movers))
}

// countedKeyBits is the greatest length of the codes of keys that are sorted alone: a value is made for each code.
const countedKeyBits = 16

// onlyCountableKey reports whether the result is the only key, and nothing else, and its codes are few and hold all of
// its values: those of floats hold neither the sign of zero nor the bits of a NaN.
func (s *sorter) onlyCountableKey() bool {
	keys, gather := s.keys.Keys, s.job.Gather
	if s.numbers != nil || len(keys) != 1 || len(gather) != 1 {
		return false
	}
	key := keys[0].Column
	if gather[0] != key && !s.movesAsIndices(0, key) {
		return false
	}
	kind := s.keys.Columns[key].Kind
	exact := kind >= keyencode.Int8 && kind <= keyencode.Uint64 || kind == keyencode.Decimal128 ||
		kind == keyencode.Decimal256
	return exact && s.keys.Plan.Words() == 1 && s.keys.Plan.WordBits(0) <= countedKeyBits && s.fewCodes()
}

// writeCountedKey counts the rows of each code and writes its value as often: no row moves.
func (s *sorter) writeCountedKey() error {
	p, err := s.countCodes(nil)
	if err != nil {
		return err
	}
	defer p.Release()
	values := s.columns[0].Movers()[0]
	out, width, starts := values.Out, values.Width, p.Stripes[0].Next
	return s.pool.Tiles(s.out, keys.TileRows, func(_, lo, hi int) {
		code, found := slices.BinarySearch(starts, uint32(lo)) // the first one that begins at lo or after it
		if !found {
			code--
		}
		for ; lo < hi; code++ {
			end := s.rows
			if code+1 < len(starts) {
				end = int(starts[code+1])
			}
			if end = min(end, hi); lo < end {
				s.keys.Plan.Decode(0, []uint64{uint64(code)}, out[lo*width:][:width])
				repeat(out[lo*width:end*width], width)
				lo = end
			}
		}
	})
}

// repeat fills a buffer with its first width bytes.
func repeat(b []byte, width int) {
	for n := width; n < len(b); n *= 2 {
		copy(b[n:], b[:n])
	}
}
