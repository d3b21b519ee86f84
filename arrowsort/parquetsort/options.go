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
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort/internal/dataset"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort/internal/output"
	"github.com/arrowsort/arrowsort/internal/machine"
)

// Options say how Sort, Merge and Argsort work, and what Explain explains. The zero value is right but for the keys.
type Options struct {
	// Keys are the sort keys, the most significant first.
	Keys []arrowsort.Key
	// KeysFor, when set, returns the keys for the schema of the first input, in place of Keys. For CSV it is called
	// before all types are found, too, when the columns are text or of the types of the first rows: then only an error
	// about a column that is not there counts.
	KeysFor KeysFor
	// Columns names the columns that are written, in this order; none is all. #N, counted from 1, is a column whose
	// name repeats or is missing. Keys need not be among them. Columns that are neither are not read.
	Columns []string
	// Curve orders the rows along a space-filling curve over 2 to 8 Keys, in place of the order of the keys: see Sort.
	// Sort and Explain use it, without Rows and Output.PartitionBy; it is ErrOption elsewhere.
	Curve arrowsort.Curve

	Input  Input  // how files are read
	Rows   Rows   // which rows are wanted
	Output Output // how files are written
	Memory Memory // how much memory is used
	Run    Run    // what does the work, and who hears of it
}

// KeysFor returns the sort keys for a schema.
type KeysFor = func(schema *arrow.Schema) ([]arrowsort.Key, error)

// CheckOptions are the options of Check and Plan.
type CheckOptions struct {
	Keys    []arrowsort.Key // as of Options
	KeysFor KeysFor         // as of Options
	// Curve checks the order along a curve, which the metadata of the files have to name, as Sort writes them; Keys may
	// be left out then. Check alone uses it.
	Curve  arrowsort.Curve
	Limit  int64 // the number of leading rows of the files that are read; 0 is all
	Input  Input
	Memory Memory
	Run    Run
}

// FooterOptions are the options of DeclaredOrders and CheckFooters.
type FooterOptions struct {
	Input  Input
	Memory Memory
	Run    Run
}

// DivideOptions are the options of Divide.
type DivideOptions struct {
	Keys      []arrowsort.Key // as of Options
	KeysFor   KeysFor         // as of Options
	Format    Format          // of the files; Auto goes by their names
	Open      Opener          // nil: the files are local
	Allocator memory.Allocator
}

// PartOptions are the options of ReadPart.
type PartOptions struct {
	Format    Format           // of the file; Auto goes by its name
	Open      Opener           // nil: the file is local
	Budget    int64            // bytes of memory, for the size of the batches: as of Memory
	Threads   int              // as of Run
	Allocator memory.Allocator // as of Run
}

// An Opener opens files that are elsewhere, in an object store for instance. The paths are its own, without patterns;
// CSV is none of them.
type Opener = func(path string) (File, error)

// SorterOptions are the options of NewSorter.
type SorterOptions struct {
	Rows   Rows
	Memory Memory
	Run    Run
	// BatchRows is the number of rows of a batch of Sorted: 0 is 262,144, or less where rows are wide. More than an
	// eighth of the budget holds are ErrMemory.
	BatchRows int
}

// Input says how files are read.
type Input struct {
	// Format is the format of the files; Auto goes by their names.
	Format Format
	// Delimiter is between the values of CSV; 0 is a comma, or a tab in a .tsv file.
	Delimiter rune
	// NoHeader has CSV read without a line of column names: the columns are #1, #2 and so on.
	NoHeader bool
	// CSVTypes are types of columns of CSV, by their names or positions as #2, in place of those that are inferred:
	// date:LAYOUT, timestamp:LAYOUT, int64, float64, decimal(p,s) or text, as in docs/csv.md. A value that is none of
	// its column's type is an error.
	CSVTypes map[string]string
	// Stdin is what is read when the input is named "-"; nil is os.Stdin.
	Stdin io.Reader
}

// Rows says which rows of the sorted order are wanted. The zero value is all. Of Limit, Tail and Unique only Limit and
// Unique go together.
type Rows struct {
	Limit  int64 // the number of leading rows; 0 is all
	Tail   int64 // the number of last rows; 0 is all
	Unique bool  // only the first row of each key
}

// Output says how files are written.
type Output struct {
	// Format is the format of the files; Auto goes by their names.
	Format Format
	// Delimiter is between the values of CSV; 0 is a comma, or a tab in a .tsv file.
	Delimiter rune
	// NoHeader has CSV written without a line of column names.
	NoHeader bool
	// Compression compresses Parquet and Arrow; empty keeps that of each column in the first input with row groups if
	// the first input is Parquet, and is Zstd for Parquet else, Uncompressed for Arrow.
	Compression Compression
	// RowGroupRows is the number of rows of a row group: 0 is 262,144, or less where rows are wide. Row groups are
	// buffered: more of them than an eighth of the budget holds are ErrMemory.
	RowGroupRows int
	// PageRows is the number of rows of a page of Parquet at most, which readers skip by its bounds; 0 is 16,384. More
	// compress better and skip less.
	PageRows int
	// PageVersion is the version of the data pages of Parquet: 1 or 2; 0 is 1.
	PageVersion int
	// Encoding says how the encodings of Parquet columns of numbers and text are chosen; empty is AutoEncoding.
	Encoding Encoding
	// Encodings are the encodings of some of them, by the name of the column. An encoding that the type of the column
	// cannot have, and a column that the output does not have, is ErrUnsupported.
	Encodings map[string]Encoding
	// BloomFilters are those of columns of Parquet, of each row group, by which readers skip row groups that lack a
	// value. While a row group is encoded they take 8 bytes for each value of a column, and then less, see BloomFilter.
	BloomFilters []BloomFilter
	// RowsPerFile splits the output into files of this number of rows, BytesPerFile into files of at most about this
	// number of bytes; 0 does not. A file has a row group at least.
	RowsPerFile, BytesPerFile int64
	// PartitionBy names columns, or their labels as #2, whose values name folders below the output, as Hive does:
	// origin=ORD/part-00001.parquet. The rows of a folder are sorted by the keys, and lack these columns. See Sort.
	PartitionBy []string
	// Overwrite replaces the folders of the partitions that are written where they are there already. All others stay.
	Overwrite bool
	// Depth has Result.Depth measured, from the footers of inputs and outputs.
	Depth bool
	// Preview is the number of leading rows of the output that Result.Preview is to hold.
	Preview int64
	// Stdout is what is written to when the output is named "-"; nil is os.Stdout. A write to an *os.File that waits
	// for a reader ends with the context, though its goroutine may stay until the file is closed; other writers have to
	// return by themselves.
	Stdout io.Writer
}

// Memory says how much memory is used.
type Memory struct {
	// Budget is the number of bytes, at least MinMemory; 0 is half of what the machine or container has. It covers
	// tables and their temporary memory. To keep garbage within it too, give the process a limit with
	// debug.SetMemoryLimit or GOMEMLIMIT.
	Budget int64
	// SpillDir is the folder in which runs are spilled; empty is os.TempDir.
	SpillDir string
	// SpillCompression compresses the runs: LZ4 or Zstd; empty and Uncompressed do not.
	SpillCompression Compression
}

// Run says what does the work, and who hears of it.
type Run struct {
	// Engine sorts the runs, and the rows that are merged, one after the other; nil is the CPU.
	Engine engine.Engine
	// Threads is the largest number of threads of the CPU to use; 0 is GOMAXPROCS.
	Threads int
	// Allocator gives the memory of tables; nil is memory.DefaultAllocator. It must be safe for concurrent use.
	Allocator memory.Allocator
	// Progress, when set, is called now and then with what is being done and how much of it is: rows that are merged or
	// written, steps of an input in memory that is loaded, sorted and saved, bytes of the inputs in all other phases. A
	// total of 0 is not known. It is called from one goroutine at a time, with one phase after the other.
	Progress func(phase Phase, done, total int64)
	// Store has the inputs and outputs that are addresses; nil: all are local files. It takes its memory out of the
	// budget, of which it needs 64 MiB.
	Store Store
	// Warn, when set, is passed a line about what is read otherwise than somebody may expect. Nothing of it is an
	// error. It is called from the goroutine of the caller.
	Warn func(text string)
}

// MinMemory is the smallest budget.
const MinMemory = extsort.MinMemory

// A Phase is a step of a sort, for Run.Progress.
type Phase = extsort.Phase

// The phases. An input that fits in memory is loaded, sorted and saved. Standard input is loaded, too, where it is
// copied to a file first.
const (
	PhaseLoad       = dataset.PhaseLoad
	PhaseSort       = extsort.PhaseSort
	PhaseSave Phase = "writing"

	PhaseMeasure Phase = "measuring" // the keys

	PhaseTypes        = dataset.PhaseTypes     // of CSV
	PhaseSample Phase = "sampling the keys of" // for a curve
	PhaseRead   Phase = "reading and sorting"
	PhaseWrite        = extsort.PhaseWrite
	PhaseCheck  Phase = "checking" // whether rows are in order
	PhaseCopy   Phase = "copying"
	PhaseMerge        = extsort.PhaseMerge // runs, or files to runs, where there are more than are merged at once

	PhaseDictionaries Phase = "reading the dictionaries of"
	PhaseFooters      Phase = "checking the order in the footers of"
)

// resolve checks the options, of which there are keys, and completes them; it returns how files are read.
func (o Options) resolve(ctx context.Context) (Options, dataset.Options, error) {
	if ctx != nil && len(o.Keys) == 0 && o.KeysFor == nil {
		return o, dataset.Options{}, arrowsort.ErrNoKeys
	}
	if err := o.checkCurve(); err != nil {
		return o, dataset.Options{}, err
	}
	return o.resolveAll(ctx)
}

// resolveAll is resolve for what needs no keys.
func (o Options) resolveAll(ctx context.Context) (_ Options, read dataset.Options, err error) {
	if ctx == nil {
		return o, read, fmt.Errorf("%w: the context is nil; give context.Background()", errOption)
	}
	if err := o.Output.check(); err != nil {
		return o, read, err
	}
	budget, err := extsort.ResolveMemory(o.Memory.Budget)
	if err != nil {
		return o, read, fmt.Errorf("%w: %w", errOption, err)
	}
	if o.Memory.Budget > 0 {
		read.MemoryLimit = max(machine.Memory(), budget) // the budget is kept by reading in batches
	}
	if o.Run.Store != nil {
		var share int64
		if budget, share, err = divideBudget(budget); err != nil {
			return o, read, err
		}
		o.Run.Store.Limit(share)
		read.Store = storeFor(ctx, o.Run.Store)
	}
	o.Memory.Budget = budget
	spilling := o.spilling(nil, extsort.Budget{})
	if err := spilling.Resolve(); err != nil {
		return o, read, fmt.Errorf("%w: %w", errOption, err)
	}
	o.Memory.SpillDir, o.Run.Allocator, o.Run.Progress = spilling.SpillDir, spilling.Allocator, spilling.Progress
	if _, err := o.Run.writing(o.Output); err != nil {
		return o, read, err
	}
	if o.Run.Warn == nil {
		o.Run.Warn = func(string) {}
	}
	read.Budget, read.SpillDir, read.Threads = budget, o.Memory.SpillDir, o.Run.Threads
	read.Allocator, read.Progress, read.Warn = o.Run.Allocator, o.Run.Progress, o.Run.Warn
	read.KeepFooters = o.Rows.Limit > 0 || o.Rows.Tail > 0
	return o, read, o.Input.resolve(&read)
}

// resolve checks how files are read, and sets it in read.
func (i *Input) resolve(read *dataset.Options) (err error) {
	read.Delimiter, read.NoHeader, read.Stdin = i.Delimiter, i.NoHeader, i.Stdin
	if read.Format, err = tablefile.ParseFormat(string(i.Format)); err != nil {
		return fmt.Errorf("%w: Input.Format: %w", errOption, err)
	}
	if read.CSVTypes, err = csv.ParseTypes(i.CSVTypes); err != nil {
		return fmt.Errorf("%w: CSVTypes: %w", errOption, err)
	}
	return nil
}

// check finds numbers that make no sense.
func (o *Output) check() error {
	for _, n := range []struct {
		name  string
		value int64
	}{{"RowGroupRows", int64(o.RowGroupRows)}, {"PageRows", int64(o.PageRows)}, {"RowsPerFile", o.RowsPerFile},
		{"BytesPerFile", o.BytesPerFile}, {"Preview", o.Preview}} {
		if n.value < 0 {
			return fmt.Errorf("%w: %s is %d", errOption, n.name, n.value)
		}
	}
	if o.PageVersion < 0 || o.PageVersion > 2 {
		return fmt.Errorf("%w: PageVersion is %d: use 1 or 2, or 0 for 1", errOption, o.PageVersion)
	}
	return nil
}

// opener returns the same function for package tablefile.
func opener(open Opener) tablefile.Opener {
	if open == nil {
		return nil
	}
	return func(path string) (tablefile.File, error) { return open(path) }
}

func (o *Options) keys() KeysFor {
	keys := o.KeysFor
	if keys == nil {
		keys = func(*arrow.Schema) ([]arrowsort.Key, error) { return o.Keys, nil }
	}
	if len(o.Output.PartitionBy) > 0 {
		return partitionKeys(o.Output.PartitionBy, keys)
	}
	return keys
}

// spilling returns the options to sort by keys within a budget.
func (o *Options) spilling(keys []arrowsort.Key, budget extsort.Budget) extsort.Options {
	return extsort.Options{
		Keys: keys, Budget: budget, BatchRows: o.Output.RowGroupRows, BatchName: "row groups",
		SpillDir: o.Memory.SpillDir, SpillCompression: string(o.Memory.SpillCompression),
		Limit: o.Rows.Limit, Tail: o.Rows.Tail, Unique: o.Rows.Unique,
		Engine: o.Run.Engine, Threads: o.Run.Threads, Allocator: o.Run.Allocator, Progress: o.Run.Progress,
		ErrOption: errOption, ErrSchema: errSchema,
	}
}

// Splits reports whether the output may be several files.
func (o *Output) Splits() bool {
	return o.RowsPerFile > 0 || o.BytesPerFile > 0 || len(o.PartitionBy) > 0
}

// progress is Progress of a phase.
func (o *Options) progress(phase Phase) func(done, total int64) {
	return func(done, total int64) { o.Run.Progress(phase, done, total) }
}

// steps is Progress of a phase in steps.
func (o *Options) steps(phase Phase) func(done, total int) {
	return func(done, total int) { o.Run.Progress(phase, int64(done), int64(total)) }
}

// writing returns the options to write an output that do not depend on its name.
func (r *Run) writing(o Output) (w tablefile.WriteOptions, err error) {
	w = tablefile.WriteOptions{Threads: r.Threads, Allocator: r.Allocator, Stdout: o.Stdout, Delimiter: o.Delimiter,
		NoHeader: o.NoHeader, BloomFilters: o.BloomFilters}
	if w.Compression, err = tablefile.ParseCompression(string(o.Compression)); err != nil {
		return w, fmt.Errorf("%w: %w", errOption, err)
	}
	if w.Format, err = tablefile.ParseFormat(string(o.Format)); err != nil {
		return w, fmt.Errorf("%w: Output.Format: %w", errOption, err)
	}
	return w, nil
}

// target returns where and how an output is written.
func (r *Run) target(ctx context.Context, path string, o Output) (output.Target, error) {
	write, err := r.writing(o)
	if err != nil {
		return output.Target{}, err
	}
	encodings, err := o.encodings()
	if err != nil {
		return output.Target{}, err
	}
	target, err := output.Resolve(output.Target{Path: path, Write: write, PageRows: o.PageRows,
		PageVersion: o.PageVersion, Encodings: encodings, Split: o.Splits(),
		RowsPerFile: o.RowsPerFile, BytesPerFile: o.BytesPerFile, Preview: o.Preview,
		Partitioned: len(o.PartitionBy) > 0, Overwrite: o.Overwrite, Store: storeFor(ctx, r.Store)})
	if err == nil && target.Write.Format != tablefile.Parquet {
		err = o.checkNoParquet()
	}
	return target, err
}

// sorting returns the options for package arrowsort; sorts use the Engine as well.
func (o *Options) sorting() arrowsort.Options {
	return arrowsort.Options{Threads: o.Run.Threads, Allocator: o.Run.Allocator}
}
