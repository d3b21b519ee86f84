package parquetsort

import (
	"context"
	"fmt"
	"io"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/extsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/csv"
	"github.com/arrowsort/arrowsort/arrowsort/internal/take"
	"github.com/arrowsort/arrowsort/internal/machine"
)

// Options say how to sort. The zero value is right but for the keys.
type Options struct {
	// Keys are the sort keys, the most significant first.
	Keys []arrowsort.Key
	// KeysFor, when set, returns the keys for the schema of the first input, in place of Keys.
	KeysFor func(schema *arrow.Schema) ([]arrowsort.Key, error)
	// Memory is the budget in bytes, at least MinMemory; 0 is half of what the machine or container has. It covers
	// tables and their temporary memory. To keep garbage within it too, give the process a limit with
	// debug.SetMemoryLimit or GOMEMLIMIT.
	Memory int64
	// SpillDir is the folder in which runs are spilled; empty is os.TempDir.
	SpillDir string
	// SpillCompression compresses the runs: lz4 or zstd; empty does not.
	SpillCompression string
	// InputFormat and OutputFormat are parquet, arrow, arrows (a stream) or csv; empty goes by the names of the files.
	InputFormat, OutputFormat string
	// Open, when set, opens the inputs of Divide and ReadPart, which are elsewhere: in an object store, for instance.
	// The paths are its own, without patterns; CSV is none of them. For all other functions it is ErrOption.
	Open func(path string) (File, error)
	// Stdin is what is read when the input is named "-"; nil is os.Stdin.
	Stdin io.Reader
	// Stdout is what is written to when the output is named "-"; nil is os.Stdout. A write to an *os.File that waits
	// for a reader ends with the context, though its goroutine may stay until the file is closed; other writers have to
	// return by themselves.
	Stdout io.Writer
	// Delimiter is between the values of CSV; 0 is a comma, or a tab in a .tsv file.
	Delimiter rune
	// NoHeader has CSV read and written without a line of column names: the columns that are read are #1, #2 and so on.
	NoHeader bool
	// CSVTypes are types of columns of CSV, by their names or positions as #2, in place of those that are inferred:
	// date:LAYOUT, timestamp:LAYOUT, int64, float64, decimal(p,s) or text, as in docs/csv.md. A value that is none of
	// its column's type is an error.
	CSVTypes map[string]string
	// RowGroupRows is the number of rows of a row group, and of a record batch of a Sorter: 0 is 262,144, or less where
	// rows are wide. Row groups are buffered: more of them than an eighth of the budget holds are ErrMemory.
	RowGroupRows int
	// PageRows is the number of rows of a page of Parquet at most, which readers skip by its bounds; 0 is 16,384. More
	// compress better and skip less.
	PageRows int
	// Limit is the number of leading rows of the sorted order that are wanted; 0 is all.
	Limit int64
	// Tail is the number of last rows of the sorted order that are wanted; 0 is all. Unique wants only the first row of
	// each key. Of Limit, Tail and Unique only Limit and Unique go together.
	Tail   int64
	Unique bool
	// Select names the columns that are read and written, in this order; none is all. #N, counted from 1, is a column
	// whose name repeats or is missing. Keys need not be among them.
	Select []string
	// Head is the number of leading rows of the output that Result.Head is to hold.
	Head int64
	// RowsPerFile splits the output into files of this number of rows, BytesPerFile into files of at most about this
	// number of bytes; 0 does not. A file has a row group at least.
	RowsPerFile, BytesPerFile int64
	// Compression is CODEC or CODEC:LEVEL for the output; empty keeps that of the first Parquet input, or else is zstd.
	Compression string
	// Engine sorts the runs, and the rows that are merged, one after the other; nil is the CPU.
	Engine engine.Engine
	// Threads is the largest number of threads of the CPU to use; 0 is GOMAXPROCS.
	Threads int
	// Allocator gives the memory of tables; nil is memory.DefaultAllocator. It must be safe for concurrent use.
	Allocator memory.Allocator
	// Progress, when set, is called now and then with what is being done and how much of it is: rows that are merged or
	// written, steps of an input in memory that is loaded, sorted and saved, bytes of the inputs in all other phases. A
	// total of 0 is not known. It is called from one goroutine at a time, with one phase after the other.
	Progress func(phase string, done, total int64)
	// Warn, when set, is passed a line about what is read otherwise than somebody may expect. Nothing of it is an
	// error. It is called from the goroutine of the caller.
	Warn func(text string)

	readLimit int64                // of tablefile.ReadOptions
	footers   int64                // bytes of the budget that the largest footer of an input takes
	inParts   bool                 // for Divide
	csvTypes  map[string]*csv.Type // CSVTypes
}

// A File is an open file that Options.Open opens. ReadAt may be called by several goroutines; where it is called, the
// file is read and nowhere else: the metadata, and what is needed of the columns that are read.
type File interface {
	io.ReaderAt
	io.Closer
	Size() int64
}

// MinMemory is the smallest budget.
const MinMemory = extsort.MinMemory

// The phases that Progress is called with. An input that fits in memory is loaded, sorted and saved. Standard input is
// loaded, too, where it is copied to a file first.
const (
	PhaseLoad = "reading"
	PhaseSort = "sorting"
	PhaseSave = "writing"

	PhaseMeasure = "measuring" // the keys

	PhaseTypes = "finding the types of" // CSV
	PhaseRead  = "reading and sorting"
	PhaseWrite = "merging and writing"
	PhaseCheck = "checking" // whether rows are in order
	PhaseCopy  = "copying"
	PhaseMerge = "merging runs" // or files to runs, where there are more than are merged at once

	PhaseDictionaries = "reading the dictionaries of"
	PhaseFooters      = "checking the order in the footers of"
)

func (o Options) resolved(ctx context.Context) (Options, error) {
	if ctx == nil {
		return o, fmt.Errorf("%w: the context is nil; give context.Background()", errOption)
	}
	if len(o.Keys) == 0 && o.KeysFor == nil {
		return o, arrowsort.ErrNoKeys
	}
	for _, n := range []struct {
		name  string
		value int64
	}{{"RowGroupRows", int64(o.RowGroupRows)}, {"Limit", o.Limit}, {"PageRows", int64(o.PageRows)},
		{"RowsPerFile", o.RowsPerFile}, {"BytesPerFile", o.BytesPerFile}, {"Threads", int64(o.Threads)},
		{"Tail", o.Tail}, {"Head", o.Head}} {
		if n.value < 0 {
			return o, fmt.Errorf("%w: %s is %d", errOption, n.name, n.value)
		}
	}
	budget, err := extsort.ResolveMemory(o.Memory)
	if err != nil {
		return o, fmt.Errorf("%w: %w", errOption, err)
	}
	if o.Memory > 0 {
		o.readLimit = max(machine.Memory(), budget) // the budget is kept by reading in pieces
	}
	o.Memory = budget
	spilling := o.spilling()
	if err := spilling.Resolve(); err != nil {
		return o, fmt.Errorf("%w: %w", errOption, err)
	}
	o.SpillDir, o.Allocator = spilling.SpillDir, spilling.Allocator
	if _, err := tablefile.ParseFormat(o.InputFormat); err != nil {
		return o, fmt.Errorf("%w: InputFormat: %w", errOption, err)
	}
	if _, err := o.parsed(); err != nil {
		return o, fmt.Errorf("%w: %w", errOption, err)
	}
	if o.csvTypes, err = csv.ParseTypes(o.CSVTypes); err != nil {
		return o, fmt.Errorf("%w: CSVTypes: %w", errOption, err)
	}
	if o.Progress == nil {
		o.Progress = func(string, int64, int64) {}
	}
	if o.Warn == nil {
		o.Warn = func(string) {}
	}
	return o, nil
}

// budget is what the footer of an input leaves of the memory.
func (o *Options) budget() extsort.Budget {
	return extsort.Budget{Total: o.Memory - o.footers, All: o.Memory}
}

// spilling are the options to sort within the budget.
func (o *Options) spilling() extsort.Options {
	return extsort.Options{Keys: o.Keys, Budget: o.budget(), SpillDir: o.SpillDir, SpillCompression: o.SpillCompression,
		BatchRows: o.RowGroupRows, Limit: o.Limit, Tail: o.Tail, Unique: o.Unique, Engine: o.Engine, Threads: o.Threads,
		Allocator: o.Allocator,
		Progress:  func(phase extsort.Phase, done, total int64) { o.Progress(string(phase), done, total) }}
}

// filters reports whether rows are left out of the sorted order by more than a limit.
func (o *Options) filters() bool { return o.Unique || o.Tail > 0 }

// splits reports whether the output may be several files.
func (o *Options) splits() bool { return o.RowsPerFile > 0 || o.BytesPerFile > 0 }

// progress is Progress of a phase in steps.
func (o *Options) progress(phase string) func(done, total int) {
	return func(done, total int) { o.Progress(phase, int64(done), int64(total)) }
}

// parsed are the options to write an output that do not depend on its name.
func (o *Options) parsed() (w tablefile.WriteOptions, err error) {
	w = tablefile.WriteOptions{Threads: o.Threads, Allocator: o.Allocator, Stdout: o.Stdout, Delimiter: o.Delimiter,
		NoHeader: o.NoHeader}
	if w.Compression, err = tablefile.ParseCompression(o.Compression); err != nil {
		return w, err
	}
	if w.Format, err = tablefile.ParseFormat(o.OutputFormat); err != nil {
		return w, fmt.Errorf("OutputFormat: %w", err)
	}
	return w, nil
}

// writing are the options to write an output.
func (o *Options) writing(path string) (tablefile.WriteOptions, error) {
	w, err := o.parsed()
	if err == nil {
		w.Format, err = w.Format.Resolve(path)
	}
	if err == nil {
		err = tablefile.CheckWrite(path, w)
	}
	return w, err
}

// sorting are the options for package arrowsort; sorts use the Engine as well.
func (o *Options) sorting() arrowsort.Options {
	return arrowsort.Options{Threads: o.Threads, Allocator: o.Allocator}
}

// taking are the options for package take.
func (o *Options) taking() take.Options {
	return take.Options{Threads: o.Threads, Allocator: o.Allocator}
}
