//go:build cuda && linux && amd64

// Package onesweep sorts by the digits of codes, the least significant first: section 3 of the paper.
package onesweep

import (
	"github.com/arrowsort/arrowsort/gpu/internal/abi"
	"github.com/arrowsort/arrowsort/gpu/internal/device"
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/gpu/internal/strategy"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/kernels"
)

// A Source is a word of codes to sort by: a field of the rows in the order of the input, or codes with their rows.
type Source struct {
	Field   abi.Field
	Width   int // bits of a code
	N       int // rows
	RowBits uint64
	Codes   driver.Ptr // freed, or reused for records
	Rows    driver.Ptr // 0: the order of the input
	Column  driver.Ptr // codes of 4 bytes, which are not reused; freed after the sort
	Varying uint64     // the bits of codes that vary; 0 if unknown
}

// OfField is a field of n rows in the order of the input, which is kept. The codes have width bits.
func OfField(t *device.Task, field abi.Field, n, width int) Source {
	return Source{Field: field, Width: width, N: n, RowBits: strategy.RowBits(t.Tuning, n)}
}

// OfCodes is n codes of 64 bits, of which width are used, with their rows of a table of the given number: 0 for the
// order of the input.
func OfCodes(t *device.Task, codes, rows driver.Ptr, n, width, table int) Source {
	return Source{Field: abi.Integers(codes, 8), Width: width, N: n, RowBits: strategy.RowBits(t.Tuning, table),
		Codes: codes, Rows: rows}
}

// format is the record format that the first pass reads.
func (src *Source) format() strategy.Records {
	switch {
	case src.Rows != 0:
		return strategy.Wide
	case src.Field.Width == 4 && src.Width <= 32:
		return strategy.FromShort
	default:
		return strategy.FromColumn
	}
}

// A sweep is one sort by code words, digit by digit from the least significant on (paper, section 3), with its memory
// in addition to records.
type sweep struct {
	*device.Task
	n, first int // rows, and the number of the first one where a first pass numbers rows from another than 0 on
	digits   []strategy.Digit
	starts   driver.Ptr         // where the bins of each digit begin, then the rest of the memory
	zeros    int                // bytes from starts on that are zero before digits are counted
	constant driver.Ptr         // which digits all rows have in common
	tickets  driver.Ptr         // of every launch
	status   map[int]driver.Ptr // by the rows of a tile
	words    int                // of all of them
	carry    driver.Ptr         // where the bins of the next strip begin, twice
	strips   int
	passes   int            // that have been launched
	phase    map[int]uint64 // the same by the rows of a tile
}

// Sort sorts by codes, and returns the sorted rows. It returns 0 if all digits are constant and the rows are in the
// order of the input. It frees or reuses the memory of the source.
func Sort(t *device.Task, src Source) (rows driver.Ptr) {
	defer t.Free(src.Column)
	b := newSweep(t, src.N, strategy.Digits(src.Width), kernels.BinningTile, kernels.BinningWideTile)
	defer t.Free(b.starts)
	field := device.Put(t, src.Field)
	use := b.histograms(field, src.Varying)
	if len(use) == 0 || t.Failed() {
		t.Free(src.Codes)
		return src.Rows
	}
	rows, _ = b.bin(src, field, strategy.PlanPasses(src.format(), b.digits, use, src.RowBits), nil)
	return rows
}

// newSweep returns a sweep by passes whose tiles have one of the given numbers of rows.
func newSweep(t *device.Task, n int, digits []strategy.Digit, tiles ...int) *sweep {
	const starts, control = 4 * kernels.MaxDigits * kernels.RadixBins, 16
	strip := t.Tuning.StripRows
	b := &sweep{Task: t, n: n, digits: digits, strips: max(1, (n+strip-1)/strip),
		status: map[int]driver.Ptr{}, phase: map[int]uint64{}}
	passes := len(digits) + 1                                     // the first one may be for nothing
	b.zeros = (starts + control + 4*passes*b.strips + 255) &^ 255 // status words begin with a line of memory
	for _, tile := range tiles {
		b.status[tile] = driver.Ptr(b.zeros + 4*b.words)
		b.words += strategy.TileCount(n, strip, tile) * kernels.RadixBins
	}
	carry := b.zeros + 4*b.words
	b.starts = t.Alloc(carry + 4*2*kernels.RadixBins)
	b.constant = b.starts + starts
	b.tickets = b.constant + control
	for _, tile := range tiles {
		b.status[tile] += b.starts
	}
	b.carry = b.starts + driver.Ptr(carry)
	return b
}

// histograms counts all digits of all rows in one read and computes the starts of their bins (paper, section 3). It
// returns the digits that may vary, by the bits that vary or by what the device reports.
func (b *sweep) histograms(field driver.Ptr, varying uint64) (use []int) {
	shifts, bits := strategy.PackDigits(b.digits)
	const blocksOfProcessor, perBlock = 2, 8 * kernels.HistogramThreads
	blocks := min(b.Multiprocessors*blocksOfProcessor, (b.n+perBlock-1)/perBlock)
	b.Clear(b.starts, b.zeros)
	b.Launch("histogram", blocks, uint64(field), uint64(b.n), shifts, bits, uint64(len(b.digits)), uint64(b.starts),
		uint64(b.starts)+uint64(b.zeros), uint64(b.words))
	b.Moves(8 * b.n)
	if varying != 0 {
		return strategy.Varying(b.digits, varying)
	}
	// To ask the device makes the host wait: only for many rows, and for fewer if there are many digits, of which some
	// are likely to be constant.
	least, mask := b.Tuning.AskRows, uint64(0)
	if len(b.digits) > kernels.HalfDigits {
		least = b.Tuning.AskManyRows
	}
	if b.n >= least {
		mask = b.Words(b.constant, 1)[0]
	}
	return b.without(mask)
}

// without returns the digits that have no bit in a mask.
func (b *sweep) without(mask uint64) (use []int) {
	for d := range b.digits {
		if mask>>d&1 == 0 {
			use = append(use, d)
		}
	}
	return use
}

// bin runs the passes. Records alternate between two pairs of buffers, one of which is the source's. revise, if there
// is one, returns the passes anew when the first is launched: if that one is another, it was for nothing; if there are
// none ok is false, and the source is as it was. Else its memory is freed or reused, also on an error.
func (b *sweep) bin(src Source, field driver.Ptr, passes []strategy.Pass, revise func() []strategy.Pass) (
	sorted driver.Ptr, ok bool) {
	codes, rows := [2]driver.Ptr{0, src.Codes}, [2]driver.Ptr{0, src.Rows}
	for i := 0; i < len(passes); i++ {
		from, to, p := (i+1)%2, i%2, passes[i]
		if !p.Last && codes[to] == 0 {
			codes[to] = b.Alloc(8 * b.n)
		}
		if (p.Out == strategy.Wide || p.Last) && rows[to] == 0 {
			rows[to] = b.Alloc(4 * b.n)
		}
		between := [5]driver.Ptr{field, codes[from], rows[from], codes[to], rows[to]}
		b.pass(p, between)
		if revise == nil {
			continue
		}
		passes, revise = revise(), nil
		if len(passes) == 0 || passes[0] != p {
			b.Free(codes[0], rows[0])
			codes[0], rows[0], i = 0, 0, -1
		}
	}
	if len(passes) == 0 {
		return 0, false
	}
	to := (len(passes) - 1) % 2
	b.Free(codes[0], codes[1], rows[1-to])
	return rows[to], true
}

// pass runs one digit binning, strip by strip. Its blocks start while those of the preceding pass end. between are the
// field, codes and rows that it reads, and the codes and rows that it writes. Each strip passes the ends of its bins on
// to the next.
func (b *sweep) pass(p strategy.Pass, between [5]driver.Ptr) {
	status := b.status[p.Tile]
	base := b.starts + driver.Ptr(4*kernels.RadixBins*p.Digit)
	ticket := b.tickets + driver.Ptr(4*b.passes*b.strips)
	for first, strip := 0, 0; first < b.n; first, strip = first+b.Tuning.StripRows, strip+1 {
		n := min(b.Tuning.StripRows, b.n-first)
		next := driver.Ptr(0)
		if first+n < b.n {
			next = b.carry + driver.Ptr(strip%2*4*kernels.RadixBins)
		}
		tiles := (n + p.Tile - 1) / p.Tile
		b.LaunchEarly(p.Kernel, tiles,
			uint64(between[0]), uint64(between[1]), uint64(between[2]), uint64(between[3]), uint64(between[4]),
			p.RowBits, p.Parts.Word(),
			uint64(b.first+first), uint64(n), p.Shift, p.Bits, uint64(base), uint64(next), uint64(status),
			uint64(ticket), b.phase[p.Tile])
		b.Moves(24 * n)
		base, ticket, status = next, ticket+4, status+driver.Ptr(4*kernels.RadixBins*tiles)
	}
	b.passes++
	b.phase[p.Tile]++
}

// SortValues sorts keys only: n integers without nulls at the address of a field, whose bits varying vary (0:
// unknown). It returns the sorted values, or 0 if all are equal. The column is kept.
func SortValues(t *device.Task, field abi.Field, n int, varying uint64) (values driver.Ptr) {
	width := int(field.Width)
	b := newSweep(t, n, strategy.Digits(8*width), strategy.ValueTile(width))
	defer t.Free(b.starts)
	column := device.Put(t, field)
	use := b.histograms(column, varying)
	if len(use) == 0 || t.Failed() {
		return 0
	}
	in, other := driver.Ptr(field.Values), driver.Ptr(0)
	for i, p := range strategy.PlanValuePasses(width, b.digits, use) {
		if values = other; values == 0 {
			values = t.Alloc(width * n)
		}
		b.pass(p, [5]driver.Ptr{column, in, 0, values, 0})
		if other = in; i == 0 {
			other = 0 // the column
		}
		in = values
	}
	t.Free(other)
	return values
}

// Scatter moves whole codes and the row numbers to the bins of a digit, stably: one pass by any digit. The source is a
// column, whose rows are numbered from first on, or codes with their rows, which are kept. It returns where each bin
// begins, and where the last one ends, complete after Wait.
func Scatter(t *device.Task, src Source, first int, d strategy.Digit, codes, rows driver.Ptr) (starts []uint32) {
	p := strategy.Pass{Kernel: "digit_binning_middle_wide", Tile: kernels.BinningWideTile, Shift: d.Shift, Bits: d.Bits,
		Out: strategy.Wide, Parts: strategy.Parts{RestIn: 4, RestOut: 4}}
	if src.Rows == 0 {
		p.Kernel = "digit_binning_first_wide"
	}
	b := newSweep(t, src.N, []strategy.Digit{d}, p.Tile)
	b.first = first
	defer t.Free(b.starts)
	b.histograms(device.Put(t, src.Field), ^uint64(0))
	numbered := device.Put(t, src.Field.NumberedFrom(first))
	b.pass(p, [5]driver.Ptr{numbered, src.Codes, src.Rows, codes, rows})
	starts = make([]uint32, kernels.RadixBins+1)
	starts[kernels.RadixBins] = uint32(src.N)
	t.Download(buffers.Bytes(starts[:kernels.RadixBins]), b.starts)
	return starts
}
