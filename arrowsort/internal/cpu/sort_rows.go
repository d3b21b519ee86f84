package cpu

import (
	"math/bits"
	"slices"
	"unsafe"

	"github.com/arrowsort/arrowsort/keyencode"
)

// sortSmall sorts a few thousand rows on one worker, without a partition.
func (s *sorter) sortSmall() error {
	rows, err := words[uint32](&s.buffers, s.rows)
	if err != nil {
		return err
	}
	series(rows, 0)
	if err := s.sortRows(s.source(), rows, 0); err != nil {
		return err
	}
	return s.take(rows[:s.out])
}

// selectTop finds the bins of the leading rows, sorts the rows of these bins alone and takes the first of them.
func (s *sorter) selectTop() error {
	p := s.newPartition(s.source(), s.rows, s.plan.Borders())
	if err := p.count(true); err != nil {
		return err
	}
	last, _ := slices.BinarySearch(p.starts[1:], uint32(s.out)) // the first bin that ends at or behind the limit
	rows, err := words[uint32](&s.buffers, int(p.starts[last+1]))
	if err != nil {
		return err
	}
	if err := p.selectRows(rows, uint16(last)); err != nil {
		return err
	}
	s.free(bytesOf(p.bins))
	if err := s.sortRows(s.source(), rows, 0); err != nil {
		return err
	}
	return s.take(rows[:s.out])
}

// selectRows lists the rows of bins 0 to last, in their order.
func (p *partition) selectRows(rows []uint32, last uint16) error {
	starts := make([]int, len(p.shares)+1)
	err := p.run(len(p.shares), func(_, i int) {
		n := 0
		for _, d := range p.bins[p.shares[i].lo:p.shares[i].hi] {
			if d <= last {
				n++
			}
		}
		starts[i+1] = n
	})
	if err != nil {
		return err
	}
	for i := range p.shares {
		starts[i+1] += starts[i]
	}
	return p.run(len(p.shares), func(_, i int) {
		at, lo := starts[i], p.shares[i].lo
		for k, d := range p.bins[lo:p.shares[i].hi] {
			if d <= last {
				rows[at] = uint32(lo + k)
				at++
			}
		}
	})
}

// take fills the lanes with the given rows of the input.
func (s *sorter) take(rows []uint32) error {
	lanes := s.lanes()
	return s.tiles(len(rows), placeRows, func(_, lo, hi int) {
		for _, l := range lanes {
			l.take(l.out[lo*l.width:hi*l.width], rows[lo:hi])
		}
	})
}

// rowsFrom are listed rows of a source by one of their words; all words before tie.
type rowsFrom struct {
	selected
	word int
}

func (s rowsFrom) encode(dst []uint64, lo int) {
	var rows [blockRows]uint32
	s.src.encodeRows(dst, s.word, rows[:copy(rows[:], s.rows[lo:lo+len(dst)])])
}

func (s rowsFrom) encodeRows(dst []uint64, _ int, rows []uint32) {
	s.selected.encodeRows(dst, s.word, rows)
}

// sortRows sorts the listed rows of a source, which tie in all words before word, by the words from there on. Few are ordered by
// one worker; many are partitioned, and bins that are still too long recurse: with the same word and a sample
// of their own or, when they tie in it, with the next.
func (s *sorter) sortRows(src source, rows []uint32, word int) error {
	if len(rows) <= maxBinRows {
		fs, err := s.newFinishers(1, len(rows), 8, true)
		if err != nil {
			return err
		}
		fs[0].sortRows(s.plan, src, rows, word)
		fs[0].release(&s.buffers)
		return nil
	}
	p := s.newPartition(rowsFrom{selected{src, rows}, word}, len(rows), nil)
	if err := p.count(true); err != nil {
		return err
	}
	listed := &lane{width: 4, direct: func(lo, n int) []byte { return bytesOf(rows[lo : lo+n]) }}
	if err := s.provide(listed, len(rows)); err != nil {
		return err
	}
	if err := p.move([]*lane{listed}); err != nil {
		return err
	}
	s.free(bytesOf(p.bins))
	moved := view[uint32](listed.out)
	if err := s.sortBins(p, src, moved, word); err != nil {
		return err
	}
	err := s.tiles(len(rows), placeRows, func(_, lo, hi int) { copy(rows[lo:hi], moved[lo:hi]) })
	s.free(listed.out)
	return err
}

// sortBins sorts the rows of each bin of a partition by word.
func (s *sorter) sortBins(p *partition, src source, rows []uint32, word int) error {
	fs, err := s.newFinishers(min(s.threads, p.binner.bins), p.longestBin(), 8, true)
	if err != nil {
		return err
	}
	err = s.run(p.binner.bins, func(worker, bin int) {
		if r := rows[p.starts[bin]:p.starts[bin+1]]; len(r) <= maxBinRows {
			fs[worker].sortRows(s.plan, src, r, word)
		}
	})
	for _, f := range fs {
		f.release(&s.buffers)
	}
	for bin := 0; bin < p.binner.bins && err == nil; bin++ {
		if r := rows[p.starts[bin]:p.starts[bin+1]]; len(r) > maxBinRows {
			err = s.sortLongBin(src, r, word)
		}
	}
	return err
}

// sortLongBin sorts rows that are too many for one worker: by the next word, if they tie in this one.
func (s *sorter) sortLongBin(src source, rows []uint32, word int) error {
	code, tied, err := s.tied(rowsFrom{selected{src, rows}, word}, len(rows))
	if err != nil {
		return err
	}
	if tied {
		if word = s.plan.Next(word, code); word >= s.plan.Words() {
			return nil
		}
	}
	return s.sortRows(src, rows, word)
}

// tied tells whether all codes of a source are equal, and the first of them.
func (s *sorter) tied(src source, n int) (uint64, bool, error) {
	var first [1]uint64
	src.encode(first[:], 0)
	differ := make([]bool, (n+placeRows-1)/placeRows)
	err := s.tiles(n, placeRows, func(_, lo, hi int) {
		var codes [blockRows]uint64
		for ; lo < hi; lo += blockRows {
			block := codes[:min(blockRows, hi-lo)]
			src.encode(block, lo)
			if slices.ContainsFunc(block, func(c uint64) bool { return c != first[0] }) {
				differ[lo/placeRows] = true
				return
			}
		}
	})
	return first[0], !slices.Contains(differ, true), err
}

// sortRows sorts the listed rows of a source in place by the words from word on.
func (f *finisher) sortRows(plan *keyencode.Plan, src source, rows []uint32, word int) {
	if len(rows) < 2 {
		return
	}
	codes := f.codes[:len(rows)]
	src.encodeRows(codes, word, f.tie.rows[:copy(f.tie.rows, rows)])
	if order := f.order(codes); order != nil {
		f.permute(bytesOf(rows), order, 4)
		f.permute(bytesOf(codes), order, 8)
	}
	f.breakTies(src, plan, rows, appendRuns(f.runs[:0], codes, 0, word, plan))
}

// sortRowNumbers makes row numbers and nothing else. A record is a code above its row number in one word; the partition writes the
// records into the result's own buffer, where each bin is sorted and stripped to row numbers. Code bits that do
// not fit are looked up where records tie.
func (s *sorter) sortRowNumbers() error {
	p := s.newPartition(s.source(), s.rows, s.plan.Borders())
	if err := p.count(true); err != nil {
		return err
	}
	records := view[uint64](s.numbers.out)
	if s.numbers.width == 4 {
		var err error
		if records, err = words[uint64](&s.buffers, s.rows); err != nil {
			return err
		}
	}
	rowBits, rest := s.recordBits()
	if err := p.moveRecords(records, rowBits, rest); err != nil {
		return err
	}
	s.free(bytesOf(p.bins))
	if err := s.finishRecords(p, records, rowBits, rest); err != nil || s.numbers.width == 8 {
		return err
	}
	narrow := view[uint32](s.numbers.out)
	return s.tiles(s.rows, placeRows, func(_, lo, hi int) {
		for i, r := range records[lo:hi] {
			narrow[lo+i] = uint32(r)
		}
	})
}

// recordBits are the bits of a row number and those of the leading word that have no room above it.
func (s *sorter) recordBits() (rowBits, rest uint) {
	rowBits = uint(bits.Len(uint(s.rows - 1)))
	return rowBits, max(uint(s.plan.WordBits(0))+rowBits, 64) - 64
}

// crowded tells from a sample whether more than one row in 64 would tie in the bits of its record: then the codes had
// better move with the row numbers than be looked up.
func (s *sorter) crowded() bool {
	_, rest := s.recordBits()
	if rest == 0 && s.plan.Words() == 1 {
		return false
	}
	codes := sample(s.source(), s.rows)
	slices.Sort(codes)
	ties := 0
	for i := 1; i < len(codes); i++ {
		if codes[i]>>rest == codes[i-1]>>rest {
			ties++
		}
	}
	return ties > len(codes)/64
}

// moveRecords makes the records and scatters them to their bins.
func (p *partition) moveRecords(records []uint64, rowBits, rest uint) error {
	return p.run(len(p.shares), func(_, item int) {
		var codes [blockRows]uint64
		s := &p.shares[item]
		for lo := s.lo; lo < s.hi && (lo%placeRows != 0 || !p.stopped()); lo += blockRows {
			block := codes[:min(blockRows, s.hi-lo)]
			p.src.encode(block, lo)
			scatterCodes(block, p.bins[lo:lo+len(block)], unsafe.Pointer(&s.offsets[0]), unsafe.Pointer(&records[0]), rest, rowBits, uint64(lo))
		}
		p.advance(s.hi - s.lo)
	})
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

// finishRecords sorts the records of each bin and strips them to row numbers.
func (s *sorter) finishRecords(p *partition, records []uint64, rowBits, rest uint) error {
	fs, err := s.newFinishers(min(s.threads, p.binner.bins), p.longestBin(), 8, rest > 0 || s.plan.Words() > 1)
	if err != nil {
		return err
	}
	err = s.run(p.binner.bins, func(worker, bin int) {
		if r := records[p.starts[bin]:p.starts[bin+1]]; len(r) <= maxBinRows {
			fs[worker].finishRecords(s.plan, s.source(), r, rowBits, rest)
			s.advance(len(r))
		}
	})
	for _, f := range fs {
		f.release(&s.buffers)
	}
	for bin := 0; bin < p.binner.bins && err == nil; bin++ {
		if r := records[p.starts[bin]:p.starts[bin+1]]; len(r) > maxBinRows {
			err = s.sortLongRecords(r, rowBits)
			s.advance(len(r))
		}
	}
	return err
}

// finishRecords sorts one bin.
func (f *finisher) finishRecords(plan *keyencode.Plan, src source, records []uint64, rowBits, rest uint) {
	if len(records) == 0 {
		return
	}
	if order := f.order(records); order != nil {
		f.permute(bytesOf(records), order, 8)
	}
	if rest > 0 || plan.Words() > 1 {
		f.breakRecordTies(plan, src, records, rowBits, rest)
	}
	mask := uint64(1)<<rowBits - 1
	for i := range records {
		records[i] &= mask
	}
}

// breakRecordTies orders records that tie in their code bits by the words of their rows.
func (f *finisher) breakRecordTies(plan *keyencode.Plan, src source, records []uint64, rowBits, rest uint) {
	runs := f.runs[:0]
	for i := 1; i < len(records); i++ {
		code := records[i] >> rowBits
		if code != records[i-1]>>rowBits {
			continue
		}
		e := i + 1
		for e < len(records) && records[e]>>rowBits == code {
			e++
		}
		word := 0 // the record holds a part of it
		if rest == 0 {
			word = plan.Next(0, code)
		}
		if word < plan.Words() {
			runs = append(runs, run{i - 1, e, word})
		}
		i = e
	}
	if len(runs) == 0 {
		f.runs = runs
		return
	}
	mask := uint64(1)<<rowBits - 1
	for i, r := range records {
		f.rows[i] = uint32(r & mask)
	}
	f.breakTies(src, plan, f.rows[:len(records)], runs)
	for i, r := range f.rows[:len(records)] {
		records[i] = uint64(r)
	}
}

// sortLongRecords sorts the records of a bin that is too long for one worker, by their rows.
func (s *sorter) sortLongRecords(records []uint64, rowBits uint) error {
	rows, err := words[uint32](&s.buffers, len(records))
	if err != nil {
		return err
	}
	mask := uint64(1)<<rowBits - 1
	for i, r := range records {
		rows[i] = uint32(r & mask)
	}
	if err := s.sortLongBin(s.source(), rows, 0); err != nil {
		return err
	}
	for i, r := range rows {
		records[i] = uint64(r)
	}
	s.free(bytesOf(rows))
	return nil
}
