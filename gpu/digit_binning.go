//go:build cuda && linux && amd64

package gpu

import (
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/kernels"
)

// A binner sorts rows by code words, digit by digit from the least significant on (paper, section 3). It serves all words
// of one sort: the status words of look-back are cleared once and rotate their codes from pass to pass.
type binner struct {
	*task
	rows    int
	rowBits uint64
	status  map[int]driver.Ptr // by the rows of a tile
	phase   map[int]uint64     // passes over the status words so far
}

// stripRows is kernels.StripRows but for tests.
var stripRows = kernels.StripRows

func newBinner(t *task, rows int) *binner {
	return &binner{task: t, rows: rows, rowBits: rowBitsOf(rows), status: map[int]driver.Ptr{}, phase: map[int]uint64{}}
}

// strip is the number of rows that one launch bins: whole tiles, because a tile that is not whole counts more rows than it has,
// which must not reach the next strip.
func (b *binner) strip(tile int) int { return stripRows / tile * tile }

// release frees the status words.
func (b *binner) release() {
	for tile, p := range b.status {
		b.free(p)
		delete(b.status, tile)
	}
}

// A source is where the codes of a word come from: a field over the rows in the order of the input, or codes with their rows.
type source struct {
	field abiField
	codes driver.Ptr // to be freed, or used for records
	rows  driver.Ptr // 0: the order of the input
}

// sort sorts by codes of a number of bits, and returns the rows in their new order; 0 when all digits are constant
// and the rows in the order of the input. It takes the source over.
func (b *binner) sort(src source, width int) (rows driver.Ptr) {
	digits := digitsOf(width)
	field := put(b.task, src.field)
	if src.rows == 0 && src.codes != 0 && width > bucketCodeBits && b.rows <= bucketMaxRows {
		if rows, _ := b.look(codesView(src.codes, width), b.rows); rows != 0 {
			b.free(src.codes)
			return rows
		}
	}
	table := put(b.task, digits...)
	starts, use := b.histograms(field, table, len(digits))
	if len(use) == 0 || b.failed() {
		b.free(src.codes, starts)
		return src.rows
	}
	in := fromColumn
	if src.rows != 0 {
		in = wide
	}
	passes := planPasses(in, digits, use, b.rowBits)
	rows = b.bin(src, field, passes, digits, starts)
	b.free(starts)
	return rows
}

// readBack is the number of rows from which asking the device which digits are constant costs less than a pass.
const readBack = 1 << 18

// histograms counts all digits of all rows in one read and adds up where each bin begins (paper, section 3). It returns
// the beginnings and the digits that are not constant.
func (b *binner) histograms(field, digits driver.Ptr, n int) (starts driver.Ptr, use []int) {
	const counts = 4 * kernels.RadixBins
	starts = b.zeros(n*counts + 8)
	constant := starts + driver.Ptr(n*counts)
	b.launch("histogram", b.histogramBlocks(), uint64(field), uint64(b.rows), uint64(digits), uint64(n), uint64(starts))
	b.launch("exclusive_sum", 1, uint64(starts), uint64(n), uint64(b.rows), uint64(constant))
	b.moves(8 * b.rows)
	mask := uint64(0)
	if b.rows >= readBack {
		mask = b.words(constant, 1)[0]
	}
	for d := range n {
		if mask>>d&1 == 0 {
			use = append(use, d)
		}
	}
	return starts, use
}

// histogramBlocks is one block for each multiprocessor, or as many as there are rows for.
func (b *binner) histogramBlocks() int {
	const rowsOfThread = 8
	perBlock := kernels.HistogramThreads * rowsOfThread
	return min(b.Multiprocessors, (b.rows+perBlock-1)/perBlock)
}

// bin runs the passes. Records go to and fro between two pairs of buffers, one of which is the source's.
func (b *binner) bin(src source, field driver.Ptr, passes []pass, digits []abiDigit, starts driver.Ptr) driver.Ptr {
	codes, rows := [2]driver.Ptr{0, src.codes}, [2]driver.Ptr{0, src.rows}
	tables := make([]driver.Ptr, len(passes))
	for i, p := range passes {
		from, to := (i+1)%2, i%2
		if !p.last && codes[to] == 0 {
			codes[to] = b.alloc(8 * b.rows)
		}
		if p.out == wide && rows[to] == 0 {
			rows[to] = b.alloc(4 * b.rows)
		}
		tables[i] = put(b.task, abiBinning{
			field: uint64(field), in: uint64(codes[from]), inRows: uint64(rows[from]),
			out: uint64(codes[to]), outRows: uint64(rows[to]), rowBits: b.rowBits, drop: p.drop,
		})
	}
	strips := b.rows/b.strip(kernels.DigitTileWide) + b.rows/b.strip(kernels.DigitTile) + 2 // no pass has more
	tickets := b.zeros(4 * len(passes) * strips)
	carry := b.alloc(2 * 4 * kernels.RadixBins)
	for i, p := range passes {
		b.pass(p, digits[p.digit].bits, tables[i], starts+driver.Ptr(4*kernels.RadixBins*p.digit), carry, tickets+driver.Ptr(4*strips*i))
	}
	to := (len(passes) - 1) % 2
	b.free(codes[0], codes[1], rows[1-to], tickets, carry)
	return rows[to]
}

// pass is one digit binning, strip by strip: each hands on where its bins end.
func (b *binner) pass(p pass, bits uint64, table, starts, carry, ticket driver.Ptr) {
	status, phase := b.statusWords(p.tile)
	base, size := starts, b.strip(p.tile)
	for first, strip := 0, 0; first < b.rows; first, strip = first+size, strip+1 {
		n := min(size, b.rows-first)
		next := driver.Ptr(0)
		if first+n < b.rows {
			next = carry + driver.Ptr(strip%2*4*kernels.RadixBins)
		}
		tiles := (n + p.tile - 1) / p.tile
		b.launch(p.kernel, tiles, uint64(table), uint64(first), uint64(n), p.shift, bits, uint64(base), uint64(next), uint64(status), uint64(ticket), phase)
		b.moves(24 * n)
		base, ticket, status = next, ticket+4, status+driver.Ptr(4*kernels.RadixBins*tiles)
	}
}

// statusWords are the words for tiles of a size, of all strips, and how often they were used before.
func (b *binner) statusWords(tile int) (words driver.Ptr, phase uint64) {
	if b.status[tile] == 0 {
		tiles := 0
		for size, first := b.strip(tile), 0; first < b.rows; first += size {
			tiles += (min(size, b.rows-first) + tile - 1) / tile
		}
		b.status[tile] = b.zeros(4 * kernels.RadixBins * tiles)
	}
	phase = b.phase[tile]
	b.phase[tile]++
	return b.status[tile], phase
}
