package cpu

import (
	"math/bits"
	"slices"
	"unsafe"

	"github.com/arrowsort/arrowsort/internal/tiebreak"
	"github.com/arrowsort/arrowsort/keyencode"
)

// sortRowNumbers makes row numbers and nothing else. A record is a code above its row number in one word; the partition
// writes the records into the result's own buffer, where each bin is sorted and stripped to row numbers. Code bits that
// do not fit are looked up where records tie.
func (s *sorter) sortRowNumbers() error {
	p := s.newPartition(s.source(), s.rows, s.plan.Borders())
	if err := p.count(true); err != nil {
		return err
	}
	records := view[uint64](s.numbers.out)
	if s.numbers.width == 4 {
		var err error
		if records, err = allocate[uint64](&s.buffers, s.rows); err != nil {
			return err
		}
	}
	rowBits, rest := s.recordBits()
	if err := p.moveRecords(records, rowBits, rest); err != nil {
		return err
	}
	s.free(bytesOf(p.bins))
	if err := s.sortRecords(p, records, rowBits, rest); err != nil || s.numbers.width == 8 {
		return err
	}
	narrow := view[uint32](s.numbers.out)
	return s.tiles(s.rows, placeRows, func(_, lo, hi int) {
		for i, r := range records[lo:hi] {
			narrow[lo+i] = uint32(r)
		}
	})
}

// recordBits are the bits of a row number and those of the leading word that do not fit above it.
func (s *sorter) recordBits() (rowBits, rest uint) {
	rowBits = uint(bits.Len(uint(s.rows - 1)))
	return rowBits, max(uint(s.plan.WordBits(0))+rowBits, 64) - 64
}

// recordsTie reports whether records of a sample tie. A pair in a sample of m of n rows stands for (n/m)^2 pairs: then
// moving the codes with the row numbers costs less than reading the keys of tied rows again.
func (s *sorter) recordsTie() bool {
	_, rest := s.recordBits()
	if rest == 0 && s.plan.Words() == 1 {
		return false
	}
	codes := slices.Clone(s.sampled())
	slices.Sort(codes)
	return len(slices.CompactFunc(codes, func(a, b uint64) bool { return a>>rest == b>>rest })) < len(codes)
}

// moveRecords makes the records and scatters them to their bins.
func (p *partition) moveRecords(records []uint64, rowBits, rest uint) error {
	l := &mover{width: 8, out: bytesOf(records)}
	l.fill = func(dst []byte, lo int) {
		words := view[uint64](dst)
		for i := 0; i < len(words); i += blockRows {
			block := words[i:min(i+blockRows, len(words))]
			p.src.encode(block, lo+i)
			makeRecords(block, rest, rowBits, uint64(lo+i))
		}
	}
	if movers := []*mover{l}; p.byLines(movers) {
		return p.moveByLines(movers)
	}
	return p.run(len(p.shares), func(_, item int) {
		var codes [blockRows]uint64
		s := &p.shares[item]
		for lo := s.lo; lo < s.hi && (lo%placeRows != 0 || !p.stopped()); lo += blockRows {
			block := codes[:min(blockRows, s.hi-lo)]
			p.src.encode(block, lo)
			scatterCodes(
				block, p.bins[lo:lo+len(block)], unsafe.Pointer(&s.offsets[0]), unsafe.Pointer(&records[0]), rest,
				rowBits, uint64(lo),
			)
		}
		p.advance(s.hi - s.lo)
	})
}

// makeRecords replaces the codes of rows from row on by their records.
//
//go:noinline
func makeRecords(codes []uint64, rest, rowBits uint, row uint64) {
	rest, rowBits = rest&63, rowBits&63
	for i, x := range codes {
		codes[i] = x>>rest<<rowBits | row
		row++
	}
}

//go:noinline
func scatterCodes(codes []uint64, bins []uint16, offsets, records unsafe.Pointer, rest, rowBits uint, row uint64) {
	rest, rowBits = rest&63, rowBits&63
	bins = bins[:len(codes)]
	for i, x := range codes {
		o := (*uint32)(unsafe.Add(offsets, uint64(bins[i])*4))
		p := *o
		*o = p + 1
		*(*uint64)(unsafe.Add(records, uint64(p)*8)) = x>>rest<<rowBits | row
		row++
	}
}

// sortRecords sorts the records of each bin and strips them to row numbers.
func (s *sorter) sortRecords(p *partition, records []uint64, rowBits, rest uint) error {
	src := s.source()
	return p.eachBin(8, rest > 0 || s.plan.Words() > 1,
		func(f *binSorter, lo, hi int) { f.sortBinRecords(s.plan, src, records[lo:hi], rowBits, rest) },
		func(lo, hi int) error { return s.sortLongRecords(records[lo:hi], rowBits) })
}

// sortBinRecords sorts the records of one bin and strips them.
func (f *binSorter) sortBinRecords(plan *keyencode.Plan, src source, records []uint64, rowBits, rest uint) {
	if len(records) == 0 {
		return
	}
	sorted := records
	order := f.sortIndices(records)
	if order != nil {
		sorted = view[uint64](f.spare)[:copy(view[uint64](f.spare), records)]
	}
	if rest == 0 && plan.Words() == 1 {
		takeRows(records, sorted, order, rowBits)
		return
	}
	f.tied = takeTiedRows(records, sorted, order, rowBits, f.tied[:0])
	if len(f.tied) > 0 {
		f.breakRecordTies(plan, src, records, rest)
	}
}

// takeRows strips records, in an order or as they are, to row numbers.
//
//go:noinline
func takeRows(dst, records []uint64, order []uint32, rowBits uint) {
	mask := uint64(1)<<(rowBits&63) - 1
	if order == nil {
		for i, r := range records {
			dst[i] = r & mask
		}
		return
	}
	dst = dst[:len(order)]
	for i, o := range order {
		dst[i] = records[o] & mask
	}
}

// takeTiedRows is takeRows that also lists the places whose code bits tie with those of the place before, and these
// bits.
//
//go:noinline
func takeTiedRows(dst, records []uint64, order []uint32, rowBits uint, tied []tiedRecord) []tiedRecord {
	rowBits &= 63
	mask := uint64(1)<<rowBits - 1
	before := ^uint64(0) // no record has 64 code bits
	dst = dst[:len(records)]
	for i := range dst {
		o := i
		if order != nil {
			o = int(order[i])
		}
		r := records[o]
		if r>>rowBits == before {
			tied = append(tied, tiedRecord{i, before})
		}
		before = r >> rowBits
		dst[i] = r & mask
	}
	return tied
}

// A tiedRecord is a place whose record has the same code bits as the one before.
type tiedRecord struct {
	at   int
	code uint64
}

// breakRecordTies orders the rows of tied records by the words that the records hold in part or not at all.
func (f *binSorter) breakRecordTies(plan *keyencode.Plan, src source, rows []uint64, rest uint) {
	runs := f.ties.Runs[:0]
	for _, t := range f.tied {
		word := 0
		if rest == 0 {
			word = plan.Next(0, t.code)
		}
		switch last := len(runs) - 1; {
		case word >= plan.Words():
		case last >= 0 && runs[last].Hi == t.at:
			runs[last].Hi++
		default:
			runs = append(runs, tiebreak.Run{Lo: t.at - 1, Hi: t.at + 1, Word: word})
		}
	}
	for i, r := range rows {
		f.rows[i] = uint32(r)
	}
	f.ties.Runs = runs
	f.breakTies(src, plan, f.rows[:len(rows)])
	widen(rows, f.rows)
}

// sortLongRecords sorts the records of a bin that is too long for one worker, by their rows.
func (s *sorter) sortLongRecords(records []uint64, rowBits uint) error {
	rows, err := allocate[uint32](&s.buffers, len(records))
	if err != nil {
		return err
	}
	mask := uint64(1)<<rowBits - 1
	err = s.tiles(len(records), placeRows, func(_, lo, hi int) {
		for i, r := range records[lo:hi] {
			rows[lo+i] = uint32(r & mask)
		}
	})
	if err == nil {
		err = s.sortLongBin(s.source(), rows, 0)
	}
	if err == nil {
		err = s.tiles(len(records), placeRows, func(_, lo, hi int) { widen(records[lo:hi], rows[lo:]) })
	}
	s.free(bytesOf(rows))
	return err
}
