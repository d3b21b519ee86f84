//go:build cuda && linux && amd64

package gpu

import (
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/gpu/internal/host"
	"github.com/arrowsort/arrowsort/kernels"
)

// A scattered is what one digit makes of rows: their codes and row numbers bin by bin, stably.
type scattered struct {
	codes, rows driver.Ptr // written, of whole words and numbers
	starts      []uint32   // where each bin begins, and where the last one ends; complete after wait
}

// scatter moves whole codes and the row numbers to the bins of a digit: one pass of digit binning by any digit. The
// source is a column, whose rows are numbered from the binner's first on, or codes with their rows, which are kept.
func (b *binner) scatter(src source, d digit, out scattered) scattered {
	p := pass{kernel: "digit_binning_middle_wide", wide: true, shift: d.shift, out: wide,
		parts: parts{restIn: 4, restOut: 4}}
	if src.rows == 0 {
		p.kernel, p.first = "digit_binning_first_wide", true
	}
	c := b.newCounters(1)
	defer b.free(c.starts, c.memory)
	b.histograms(put(b.task, src.field), []digit{d}, ^uint64(0), c)
	numbered := put(b.task, src.field.numberedFrom(b.first))
	b.pass(p, d.bits, [5]driver.Ptr{numbered, src.codes, src.rows, out.codes, out.rows}, c, 0, 0)
	out.starts = make([]uint32, kernels.RadixBins+1)
	out.starts[kernels.RadixBins] = uint32(b.rows)
	b.download(host.BytesOf(out.starts[:kernels.RadixBins]), c.starts)
	return out
}

// numberedFrom is the field for rows whose numbers begin with a multiple of 64: the addresses are those that row 0
// would have. Only rows that exist are read.
func (f abiField) numberedFrom(first int) abiField {
	n := uint64(first)
	f.values -= n * f.stride
	if f.stride == 0 {
		f.values -= n / 8 // a bitmap
	}
	if f.validity != 0 {
		f.validity -= n / 8
	}
	return f
}
