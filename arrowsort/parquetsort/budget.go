package parquetsort

import (
	"fmt"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
)

// maxMemory is more than any machine has, and small enough for a few times the budget to be a number.
const maxMemory = 1 << 58

// A budget divides the memory. While runs are made, one run is collected and one is sorted or spilled, beside the piece
// of the input that is decoded, which is twice as large for many columns: 3/8 + 3/8 + 2/16. While they are merged,
// there are the next rows of all runs, those of a round sorted, and those of the round before on their way: three times
// 1/5, a batch of each run, and what encoding takes.
type budget struct{ total int64 }

func (b budget) run() int64      { return b.total * 3 / 8 }
func (b budget) input() int64    { return b.total / 8 }
func (b budget) piece() int64    { return b.total / 16 }
func (b budget) merge() int64    { return b.total / 5 }
func (b budget) batch() int64    { return b.total / 512 }
func (b budget) csvRow() int64   { return b.total / 8 }
func (b budget) rowGroup() int64 { return b.total / 16 }

// fanIn is the number of runs that are merged at once.
func (b budget) fanIn() int { return 64 }

// runBeside is the bytes of a run when pieces of the input are larger than they should be, as record batches of Arrow
// can be. There are three times those bytes: the piece that is collected, the next one, and the bytes that it is read
// from. What they take more than the input may is taken from the run that is collected and the one that is sorted.
func (b budget) runBeside(piece int64) int64 {
	return max(b.run()-max(3*piece-b.input(), 0)/2, b.total/16)
}

// files is the number of files of some columns and about some bytes in memory that are read at once: each column of a
// file has a page, as it is and decompressed.
func (b budget) files(columns int, bytes int64) int {
	const pages = 5 << 18 // most writers close a page at 1 MiB
	return int(max(b.total/3/max(min(bytes, int64(columns)*pages), 1), 2))
}

// groupRows is the number of rows of a row group of at most all rows, which take rowBytes each.
func (b budget) groupRows(rowBytes, all int64, wanted int) (int, error) {
	fit := int(max(b.rowGroup()/max(rowBytes, 1), 1))
	if wanted == 0 {
		return min(tablefile.DefaultRowGroupRows, fit), nil
	}
	rows := min(int64(wanted), max(all, 1))
	if rows > 2*int64(fit) {
		return 0, fmt.Errorf("%w: row groups of %d rows of %d bytes; ask for at most %d rows, or give %d bytes",
			ErrMemory, rows, rowBytes, 2*fit, rows*rowBytes*8)
	}
	return int(rows), nil
}

// batchRows is the number of rows of a batch of a run.
func (b budget) batchRows(rowBytes int64) int64 { return max(b.batch()/max(rowBytes, 1), 1) }

// holds reports whether a table can be read, sorted, and written whole: the table, the sorted one, and half a one while
// it is encoded.
func (b budget) holds(table int64) bool { return table <= b.total/5*2 }

// load is what reading a table may take that holds reports to fit: the table, and pages on their way.
func (b budget) load() int64 { return b.total * 3 / 5 }
