package binsort

import (
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu/keys"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/internal/tiebreak"
	"github.com/arrowsort/arrowsort/keyencode"
)

// SortRecords sorts the records of one bin and strips them.
func (f *Sorter) SortRecords(plan *keyencode.Plan, src keys.Source, records []uint64, rowBits, rest uint) {
	if len(records) == 0 {
		return
	}
	sorted := records
	order := f.Argsort.Order(records)
	if order != nil {
		sorted = buffers.View[uint64](f.Scratch)[:copy(buffers.View[uint64](f.Scratch), records)]
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

// breakRecordTies orders the rows of tied records by the words that the records hold in part or not at all.
func (f *Sorter) breakRecordTies(plan *keyencode.Plan, src keys.Source, rows []uint64, rest uint) {
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
		f.Rows[i] = uint32(r)
	}
	f.ties.Runs = runs
	f.breakTies(src, plan, f.Rows[:len(rows)])
	buffers.Widen(rows, f.Rows)
}
