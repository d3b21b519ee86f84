package extsort

import (
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/internal/machine"
)

// maxMemory is more than any machine has, and small enough for a few times the budget to be a number.
const maxMemory = 1 << 58

// A Budget divides the memory. While runs are made, it holds a run that is collected, 3/8; a run that is sorted or
// spilled, 3/8; and the piece of the input that is decoded, 1/16, or 2/16 for many columns. While runs are merged, it
// holds the next rows of all runs, the sorted rows of a round, and those of the round before that are written, 1/5
// each; a batch of each run; and what encoding takes.
//
// The metadata of the inputs are in memory as well: Total is All without the largest footer. A footer may take a third
// of All, since the bytes that it is parsed from take about as much again.
type Budget struct{ Total, All int64 }

// Run returns the bytes of a run.
func (b Budget) Run() int64 { return b.Total * 3 / 8 }

// Piece returns the bytes of an input that are read at a time.
func (b Budget) Piece() int64 { return b.Total / 16 }

// Merge returns the bytes of the rows that a merge has in memory of all its sources.
func (b Budget) Merge() int64 { return b.Total / 5 }

// CSVRow returns the bytes that a row of CSV may take.
func (b Budget) CSVRow() int64 { return b.Total / 8 }

// Footer returns the bytes that a footer may take.
func (b Budget) Footer() int64 { return b.All / footerShare }

func (b Budget) input() int64    { return b.Total / 8 }
func (b Budget) batch() int64    { return b.Total / 512 }
func (b Budget) rowGroup() int64 { return b.Total / 16 }

// footerShare is the part of the budget that a footer may take.
const footerShare = 3

// BudgetOfFooter returns the budget that a footer of some bytes needs.
func BudgetOfFooter(bytes int64) int64 { return bytes * footerShare }

// FanIn returns the number of runs of some columns that are merged at once. A batch of each is in memory, as values and
// as arrays that hold them: where columns are many, those take more than the values, and fewer runs fit.
func (b Budget) FanIn(columns int) int {
	const most = 64
	return int(min(max(b.Total/16/(2*batchColumn*int64(max(columns, 1))), 2), most))
}

// batchColumn is the least bytes of a column in a batch of a run, and about what its array takes.
const batchColumn = 1 << 10

// runBeside returns the bytes of a run where pieces of the input are larger than planned, as record batches of Arrow
// can be. Three pieces are in memory: the one that is collected, the next one, and the bytes that it is read from. The
// excess over the share of the input is taken from the run that is collected and the one that is sorted.
func (b Budget) runBeside(piece int64) int64 {
	return max(b.Run()-max(3*piece-b.input(), 0)/2, b.Total/16)
}

// Files returns the number of files of some columns and about some bytes in memory that are read at once: each column
// of a file has a page, as it is and decompressed, and each file has a footer of some bytes.
func (b Budget) Files(columns int, bytes, footer int64) int {
	const pages = 5 << 18 // most writers close a page at 1 MiB
	return int(max(b.Total/3/max(min(bytes, int64(columns)*pages)+footer, 1), 2))
}

// group returns the number of rows of a sorted batch of at most all rows, where a row takes about rowBytes, and of its
// bytes, 0 for any. Batches have a name for errors.
func (b Budget) group(name string, rowBytes, all int64, wanted int) (rows, bytes int64, err error) {
	if wanted == 0 {
		return DefaultBatchRows, b.rowGroup(), nil
	}
	rows = min(int64(wanted), max(all, 1))
	if fit := max(b.rowGroup()/max(rowBytes, 1), 1); rows > 2*fit {
		return 0, 0, fmt.Errorf("%w: %s of %d rows of %d bytes; ask for at most %d rows, or give %d bytes",
			errkind.ErrBudget, name, rows, rowBytes, 2*fit, rows*rowBytes*8)
	}
	return rows, 0, nil
}

// TableGroup returns the number of rows of a row group of a table in memory, 0 for any. The writer has the values of a
// nested column in place of its dictionaries, a row group at a time.
func (b Budget) TableGroup(table arrow.Table) int64 {
	bytes, rows := int64(0), table.NumRows()
	for i, f := range table.Schema().Fields() {
		if !arraydata.IsNested(f.Type) || !arraydata.HasDictionary(f.Type) {
			continue
		}
		for _, c := range table.Column(i).Data().Chunks() {
			bytes += arraydata.ArrayBytes(c.Data(), 0, c.Len())
		}
	}
	const mostGroups = 1 << 14 // half of what a file can have
	fit := max(b.rowGroup()/max(bytes/max(rows, 1), 1), rows/mostGroups, 1)
	if fit >= DefaultBatchRows {
		return 0
	}
	return fit
}

// batchRows returns the number of rows of a batch of a run with rows like those of a table, and what a merge derives
// from them for keys. A column of a batch has batchColumn bytes at least, on average.
func (b Budget) batchRows(table arrow.Table, keys []arrowsort.Key) int64 {
	bytes := max(b.batch(), table.NumCols()*batchColumn)
	all := arraydata.TableBytes(table) + sortKeyBytes(table, keys) + table.NumRows()*RowOverhead
	return max(int64(float64(bytes)/float64(max(all, 1))*float64(table.NumRows())), 1)
}

// Holds reports whether a table can be read, sorted, and written whole: the table, the sorted one, and half a one while
// it is encoded.
func (b Budget) Holds(table int64) bool { return table <= b.Total/5*2 }

// Load returns the bytes that reading a table may take if Holds reports that it fits: the table, and the pages that are
// being decoded.
func (b Budget) Load() int64 { return b.Total * 3 / 5 }

// StoreMemory returns the bytes of a store of files that goes with a budget: an eighth, but 16 MiB at least, as a part
// of an upload takes 5 MiB.
func StoreMemory(budget int64) int64 { return max(budget/8, 16<<20) }

// MinMemory is the smallest budget.
const MinMemory = 16 << 20

// DefaultBatchRows is the number of rows of a sorted batch, or a row group, where none is asked for.
const DefaultBatchRows = 1 << 18

// ResolveMemory checks a budget in bytes and returns it; 0 is half of what the machine or container has. Its errors
// match no kind.
func ResolveMemory(bytes int64) (int64, error) {
	switch {
	case bytes == 0:
		return max(machine.Memory()/2, MinMemory), nil
	case bytes < MinMemory:
		return 0, fmt.Errorf("%s is %d, give at least %d", "Memory", bytes, MinMemory)
	}
	return min(bytes, maxMemory), nil
}
