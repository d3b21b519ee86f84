//go:build cuda && linux && amd64

package gpu

import (
	"github.com/arrowsort/arrowsort/gpu/internal/abi"
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/gpu/internal/strategy"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/kernels"
)

// A binner sorts rows by code words, digit by digit from the least significant on (paper, section 3).
type binner struct {
	*task
	rows    int
	rowBits uint64
	first   int // the number of the first row, where a first pass numbers rows from another than 0 on

	declined bool // a cooperative launch has declined the rows
	encoded  bool // no dictionary can shorten the codes
}

func newBinner(t *task, rows int) *binner {
	return &binner{task: t, rows: rows, rowBits: strategy.RowBits(t.tuning, rows)}
}

// A source is a word of codes to sort by: a field of the rows in the order of the input, or codes with their rows.
type source struct {
	field abi.Field
	codes driver.Ptr     // freed, or reused for records
	rows  driver.Ptr     // 0: the order of the input
	scan  *abi.KeySource // of rows in the order of the input that were not scanned yet; nil otherwise
	// column is the memory of codes of 4 bytes, which is not reused; freed after the sort.
	column driver.Ptr
	// varying are the bits of codes that vary; 0 if unknown.
	varying uint64
}

// format is the record format that the first pass reads. Codes have the given width in bits.
func (src source) format(width int) strategy.Records {
	switch {
	case src.rows != 0:
		return strategy.Wide
	case src.field.Width == 4 && width <= 32:
		return strategy.FromShort
	default:
		return strategy.FromColumn
	}
}

// sort sorts by codes of width bits, and returns the sorted rows. It returns 0 if all digits are constant and the rows
// are in the order of the input. It frees or reuses the memory of the source.
func (b *binner) sort(src source, width int) (rows driver.Ptr) {
	if rows, ok := b.sortSmall(src.field, src.rows, noClasses, func() {}); ok {
		b.free(src.codes, src.rows)
		return rows
	}
	if src.scan != nil && width > strategy.BucketCodeBits && b.canScan(b.rows) {
		if rows := b.scanAndSort(*src.scan, b.rows, func() {}); rows != 0 {
			b.free(src.codes)
			return rows
		}
		if src.scan.Field() == src.field { // else the bits are those of other numbers
			report := b.waitForReport()
			src.varying = varying(&report, width)
		}
	}
	src, width = b.encodeByDictionary(src, width)
	defer b.free(src.column)
	field, digits := put(b.task, src.field), strategy.Digits(width)
	c := b.newCounters(len(digits))
	defer b.free(c.starts, c.memory)
	use := b.histograms(field, digits, src.varying, c)
	if len(use) == 0 || b.Failed() {
		b.free(src.codes)
		return src.rows
	}
	return b.bin(src, field, strategy.PlanPasses(src.format(width), digits, use, b.rowBits), digits, c)
}

// counters is the memory of one sort in addition to its records.
type counters struct {
	starts   driver.Ptr         // where the bins of each digit begin
	constant driver.Ptr         // which digits all rows have in common
	tickets  driver.Ptr         // of every launch
	memory   driver.Ptr         // of the status words and carry
	status   map[int]driver.Ptr // by the rows of a tile
	words    int                // of all of them
	carry    driver.Ptr         // where the bins of the next strip begin, twice
	strips   int
}

func (b *binner) newCounters(digits int) *counters {
	const starts, control = 4 * kernels.MaxDigits * kernels.RadixBins, 16
	c := &counters{strips: max(1, (b.rows+b.tuning.StripRows-1)/b.tuning.StripRows)}
	ofTiles := strategy.TileCount(b.rows, b.tuning.StripRows, kernels.BinningTile) * kernels.RadixBins
	c.words = ofTiles + strategy.TileCount(b.rows, b.tuning.StripRows, kernels.BinningWideTile)*kernels.RadixBins
	c.starts = b.zeros(starts + control + 4*digits*c.strips)
	c.constant = c.starts + starts
	c.tickets = c.constant + control
	c.memory = b.alloc(4 * (c.words + 2*kernels.RadixBins))
	c.status = map[int]driver.Ptr{
		kernels.BinningTile: c.memory, kernels.BinningWideTile: c.memory + driver.Ptr(4*ofTiles),
	}
	c.carry = c.memory + driver.Ptr(4*c.words)
	return c
}

// histograms counts all digits of all rows in one read and computes the starts of their bins (paper, section 3). It
// returns the digits that may vary, by the bits that vary or by what the device reports.
func (b *binner) histograms(field driver.Ptr, digits []strategy.Digit, varying uint64, c *counters) (use []int) {
	shifts, bits := strategy.PackDigits(digits)
	const blocksOfProcessor, perBlock = 2, 8 * kernels.HistogramThreads
	blocks := min(b.Multiprocessors*blocksOfProcessor, (b.rows+perBlock-1)/perBlock)
	b.launch("histogram", blocks, uint64(field), uint64(b.rows), shifts, bits, uint64(len(digits)), uint64(c.starts),
		uint64(c.memory), uint64(c.words))
	b.Moves(8 * b.rows)
	if varying != 0 {
		return strategy.Varying(digits, varying)
	}
	// To ask the device makes the host wait: only for many rows, and for fewer if there are many digits, of which some
	// are likely to be constant.
	least, mask := b.tuning.AskRows, uint64(0)
	if len(digits) > kernels.HalfDigits {
		least = b.tuning.AskManyRows
	}
	if b.rows >= least {
		mask = b.Words(c.constant, 1)[0]
	}
	for d := range digits {
		if mask>>d&1 == 0 {
			use = append(use, d)
		}
	}
	return use
}

// bin runs the passes. Records alternate between two pairs of buffers, one of which is the source's.
func (b *binner) bin(src source, field driver.Ptr, passes []strategy.Pass, digits []strategy.Digit, c *counters,
) driver.Ptr {
	codes, rows := [2]driver.Ptr{0, src.codes}, [2]driver.Ptr{0, src.rows}
	phase := map[int]uint64{} // the number of passes so far, by the rows of a tile
	for i, p := range passes {
		from, to := (i+1)%2, i%2
		if !p.Last && codes[to] == 0 {
			codes[to] = b.alloc(8 * b.rows)
		}
		if (p.Out == strategy.Wide || p.Last) && rows[to] == 0 {
			rows[to] = b.alloc(4 * b.rows)
		}
		between := [5]driver.Ptr{field, codes[from], rows[from], codes[to], rows[to]}
		b.pass(p, digits[p.Digit].Bits, between, c, i, phase[p.Tile()])
		phase[p.Tile()]++
	}
	to := (len(passes) - 1) % 2
	b.free(codes[0], codes[1], rows[1-to])
	return rows[to]
}

// pass runs one digit binning, strip by strip. Its blocks start while those of the preceding pass end. between are the
// field, codes and rows that it reads, and the codes and rows that it writes. Each strip passes the ends of its bins on
// to the next.
func (b *binner) pass(p strategy.Pass, bits uint64, between [5]driver.Ptr, c *counters, number int, phase uint64) {
	tile := p.Tile()
	status := c.status[tile]
	base := c.starts + driver.Ptr(4*kernels.RadixBins*p.Digit)
	ticket := c.tickets + driver.Ptr(4*number*c.strips)
	for first, strip := 0, 0; first < b.rows; first, strip = first+b.tuning.StripRows, strip+1 {
		n := min(b.tuning.StripRows, b.rows-first)
		next := driver.Ptr(0)
		if first+n < b.rows {
			next = c.carry + driver.Ptr(strip%2*4*kernels.RadixBins)
		}
		tiles := (n + tile - 1) / tile
		b.launchEarly(p.Kernel, tiles,
			uint64(between[0]), uint64(between[1]), uint64(between[2]), uint64(between[3]), uint64(between[4]),
			p.RowBits, p.Parts.Word(),
			uint64(b.first+first), uint64(n), p.Shift, bits, uint64(base), uint64(next), uint64(status),
			uint64(ticket), phase)
		b.Moves(24 * n)
		base, ticket, status = next, ticket+4, status+driver.Ptr(4*kernels.RadixBins*tiles)
	}
}

// scatter moves whole codes and the row numbers to the bins of a digit, stably: one pass of digit binning by any digit.
// The source is a column, whose rows are numbered from the binner's first on, or codes with their rows, which are kept.
// It returns where each bin begins, and where the last one ends, complete after wait.
func (b *binner) scatter(src source, d strategy.Digit, codes, rows driver.Ptr) (starts []uint32) {
	p := strategy.Pass{Kernel: "digit_binning_middle_wide", Wide: true, Shift: d.Shift, Out: strategy.Wide,
		Parts: strategy.Parts{RestIn: 4, RestOut: 4}}
	if src.rows == 0 {
		p.Kernel, p.First = "digit_binning_first_wide", true
	}
	c := b.newCounters(1)
	defer b.free(c.starts, c.memory)
	b.histograms(put(b.task, src.field), []strategy.Digit{d}, ^uint64(0), c)
	numbered := put(b.task, src.field.NumberedFrom(b.first))
	b.pass(p, d.Bits, [5]driver.Ptr{numbered, src.codes, src.rows, codes, rows}, c, 0, 0)
	starts = make([]uint32, kernels.RadixBins+1)
	starts[kernels.RadixBins] = uint32(b.rows)
	b.Download(buffers.Bytes(starts[:kernels.RadixBins]), c.starts)
	return starts
}
