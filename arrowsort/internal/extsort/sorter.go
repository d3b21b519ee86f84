package extsort

import (
	"context"
	"fmt"
	"math"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/adapter"
	"github.com/arrowsort/arrowsort/arrowsort/internal/allocators"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/dictionary"
	"github.com/arrowsort/arrowsort/arrowsort/internal/take"
	"github.com/arrowsort/arrowsort/keyencode"
)

// A Sorter sorts tables within a memory budget: Add takes them, Sorted or Stream returns the rows in order. It is used
// by one goroutine. Close it in any case, after what Sorted or Stream returned: it removes the runs.
type Sorter struct {
	// Set by New. A merge of spilled runs replaces the recycler.
	ctx      context.Context
	opts     Options              // with the recycler as allocator
	recycled *allocators.Recycler // of all tables; each run gets another one
	schema   *arrow.Schema        // of the rows that are added
	decoded  *arrow.Schema        // of the rows that are returned
	sorted   *arrow.Schema        // of the rows that are sorted: decoded, and a column for each key of row numbers
	random   []arrowsort.Function // of these columns

	// Changed by Add, in place of which there is MergeSources.
	parts    []arrow.Table // tables of the run that is collected
	bytes    int64         // size of parts
	runRows  int64         // rows of parts
	run      int64         // the most that parts may take; less where pieces of the input are large
	rows     int64         // all rows that were added
	allBytes int64         // size of these rows, sorting included
	stats    KeyStatistics // of all rows
	store    runStore      // the spilled runs
	err      error         // of the last Add

	// Changed by Stream or MergeSources.
	writing rowProgress     // of the sorted rows
	plan    *keyencode.Plan // of the codes of all rows
	ended   bool            // no rows can be added
}

// New begins a sort of tables of a schema. The options are resolved. Dictionary columns come back as their values.
func New(ctx context.Context, schema *arrow.Schema, opts Options) (*Sorter, error) {
	decoded, err := dictionary.DecodedSchema(schema)
	if err != nil {
		return nil, err
	}
	s := &Sorter{ctx: ctx, opts: opts, schema: schema, decoded: decoded, run: opts.Budget.Run()}
	s.recycle(opts.Allocator)
	if err := CheckKeys(ctx, decoded, opts.Keys); err != nil {
		return nil, err
	}
	s.addRandom()
	s.store = runStore{opts: &s.opts, schema: s.sorted, fanIn: opts.Budget.FanIn(schema.NumFields())}
	return s, nil
}

// recycle reuses freed blocks: every run, and every round of a merge, allocates blocks of the same few sizes.
func (s *Sorter) recycle(mem memory.Allocator) {
	if s.recycled != nil {
		s.recycled.Release()
	}
	s.recycled = allocators.NewRecycler(mem, s.opts.Budget.Total*3/4) // the rest is for reading and encoding
	s.opts.Allocator = s.recycled
}

// Recycler returns the allocator of the tables that are collected and merged, which changes with Stream.
func (s *Sorter) Recycler() *allocators.Recycler { return s.recycled }

// Schema returns the schema of the sorted rows.
func (s *Sorter) Schema() *arrow.Schema { return s.decoded }

// Rows returns the number of rows that were added.
func (s *Sorter) Rows() int64 { return s.rows }

// Spilled returns the number of runs that are merged to the sorted rows, and the bytes that were spilled in all passes.
func (s *Sorter) Spilled() (runs int, bytes int64) { return len(s.store.runs), s.store.bytes }

// Plan returns the plan of the codes of all rows. It follows Stream or MergeSources.
func (s *Sorter) Plan() *keyencode.Plan { return s.plan }

// Write adds a batch of the sorter's schema; the caller may release it. It sorts and spills a run first if there is no
// memory for the batch. After an error the sorter can only be closed.
func (s *Sorter) Write(rec arrow.Record) error {
	if adapter.IsNil(rec) {
		return fmt.Errorf("%w: the batch is nil", s.opts.ErrOption)
	}
	if !s.schema.Equal(rec.Schema()) {
		return fmt.Errorf("%w: the sorter has %s, the batch %s", s.opts.ErrSchema, s.schema, rec.Schema())
	}
	counted, err := adapter.SliceRecord(rec, 0, rec.NumRows())
	if err != nil {
		return err
	}
	defer counted.Release()
	table := arraydata.TableOf(counted)
	defer table.Release()
	return s.Add(table)
}

// Add is Write of a table, whose columns may have any chunks.
func (s *Sorter) Add(table arrow.Table) error {
	switch {
	case s.err != nil:
		return s.err
	case s.ended:
		return fmt.Errorf("%w: Write after Sorted", s.opts.ErrOption)
	}
	s.err = s.add(table)
	return s.err
}

func (s *Sorter) add(table arrow.Table) error {
	if err := context.Cause(s.ctx); err != nil {
		return err
	}
	s.run = min(s.run, s.opts.Budget.runBeside(arraydata.TableBytes(table)))
	perByte := 1 + SortKeyBytes*int64(DerivedKeys(s.opts.Keys))
	for first := int64(0); first < table.NumRows(); {
		n := min(FittingRows(table, first, s.run/2/perByte), mostRunRows/2) // a run is made of several parts
		if err := s.collect(table, first, n); err != nil {
			return err
		}
		first += n
	}
	return nil
}

// collect adds rows of a table to the run, which is spilled first if they do not fit.
func (s *Sorter) collect(table arrow.Table, first, n int64) error {
	part, err := arraydata.NewTable(s.sorted, n, func(i int) (*arrow.Chunked, error) {
		if i >= s.decoded.NumFields() {
			return randomColumn(s.random[i-s.decoded.NumFields()], s.rows, n, s.opts.Allocator)
		}
		return s.rowsOf(table.Column(i).Data(), s.decoded.Field(i).Type, first, n)
	})
	if err != nil {
		return err
	}
	bytes := arraydata.TableBytes(part) + sortKeyBytes(part, s.opts.Keys) + n*RowOverhead
	if s.bytes > 0 && (s.bytes+bytes > s.run || s.runRows+n > mostRunRows) {
		if err := s.spill(); err != nil {
			part.Release()
			return err
		}
	}
	s.parts = append(s.parts, part)
	s.bytes += bytes
	s.runRows += n
	s.rows += n
	s.allBytes += bytes
	return nil
}

// rowsOf returns rows of a column with the values of its dictionaries. Rows that are not all of the column are copied:
// a slice would keep all of it in memory, and the dictionaries inside of it would be decoded whole.
func (s *Sorter) rowsOf(column *arrow.Chunked, typ arrow.DataType, first, n int64) (*arrow.Chunked, error) {
	rows := arraydata.SliceChunked(column, first, first+n)
	defer rows.Release()
	_, encoded := column.DataType().(*arrow.DictionaryType) // its values are copied as it is
	if !encoded && n < int64(column.Len()) {
		all, err := identity(n, s.opts.Allocator)
		if err != nil {
			return nil, err
		}
		defer all.Release()
		copied, err := arrowsort.Take(s.ctx, rows, all, s.opts.taking())
		if err != nil {
			return nil, err
		}
		defer copied.Release()
		rows = copied
	}
	return dictionary.WithType(s.ctx, rows, typ, take.Options{Threads: s.opts.Threads, Allocator: s.opts.Allocator})
}

// spill sorts the run and begins to write it in the background. If a limit leaves few rows of it, they stay in memory.
func (s *Sorter) spill() error {
	if err := s.store.wait(); err != nil { // there is memory for one sorted run
		return err
	}
	sorted, err := s.sortRun(nil)
	if err != nil || s.keepInMemory(sorted) {
		return err
	}
	return s.store.spill(s.ctx, sorted)
}

// sortRun sorts the collected rows and empties the buffer for the next run. Progress may be nil.
func (s *Sorter) sortRun(progress func(done, total int)) (arrow.Table, error) {
	all := arraydata.Concatenate(s.sorted, s.parts)
	defer all.Release()
	s.dropParts()
	if err := s.stats.Add(s.ctx, all, s.opts.Keys, s.opts.Allocator); err != nil {
		return nil, err
	}
	opts := s.opts.sorting()
	opts.Progress = progress
	if !s.opts.Unique { // a limit of each run would drop rows before equal keys are dropped
		opts.Limit = int(min(s.opts.Limit, math.MaxInt))
	}
	return arrowsort.Sort(s.ctx, all, s.opts.Keys, opts)
}

// keepInMemory starts the next run with the sorted rows of the last one, if a limit leaves few: they need no spilling.
func (s *Sorter) keepInMemory(sorted arrow.Table) bool {
	bytes := arraydata.TableBytes(sorted) + sortKeyBytes(sorted, s.opts.Keys) + sorted.NumRows()*RowOverhead
	many := bytes > s.run/2 || sorted.NumRows() > mostRunRows/2
	if s.opts.Limit == 0 || s.opts.Unique || s.store.folder != nil || many {
		return false
	}
	s.parts, s.bytes, s.runRows = append(s.parts, sorted), bytes, sorted.NumRows()
	return true
}

func (s *Sorter) dropParts() {
	arraydata.Release(s.parts)
	s.parts, s.bytes, s.runRows = nil, 0, 0
}

// Stream is Sorted as a stream of tables of batchRows whose columns have one chunk each.
func (s *Sorter) Stream(batchRows int) (TableStream, error) {
	if s.err != nil {
		return nil, s.err
	}
	if s.ended {
		return nil, fmt.Errorf("%w: Sorted is called twice", s.opts.ErrOption)
	}
	s.ended = true
	rows, bytes, err := s.batch(batchRows)
	if err != nil {
		return nil, err
	}
	if s.store.folder == nil {
		sorted, err := s.sortRun(func(done, total int) { s.opts.Progress(PhaseSort, int64(done), int64(total)) })
		if err != nil {
			return nil, err
		}
		return s.wanted(&singleTable{sorted}, rows, bytes)
	}
	if err := s.spill(); err != nil {
		return nil, err
	}
	if err := s.store.wait(); err != nil {
		return nil, err
	}
	s.recycle(s.recycled.Allocator) // blocks of other sizes
	spilled := s.store.rows()
	s.store.startPasses(spilled, s.store.passes(len(s.store.runs)))
	m, err := s.mergeRuns(spilled)
	if err != nil {
		return nil, err
	}
	return s.wanted(m, rows, bytes)
}

// mergeRuns merges all runs, in passes where they are more than are merged at once.
func (s *Sorter) mergeRuns(rows int64) (*merger, error) {
	if err := s.store.reduce(s.ctx); err != nil {
		return nil, err
	}
	s.writing.rows = rows
	return s.store.merge(s.store.runs, &s.writing)
}

// Sources are sorted streams that are merged in place of rows that are added.
type Sources struct {
	Streams []Source
	Stats   KeyStatistics
	Rows    int64 // of all
	Bytes   int64 // that they take in memory
	FanIn   int   // streams that are merged at once, if no more of them overlap
	Overlap int   // the largest number of streams with rows at the same place of the order
}

// MergeSources is Stream for rows that are in order source by source. It takes the sources over. Where more of them
// overlap than are merged at once, they are merged to runs first.
func (s *Sorter) MergeSources(in Sources) (TableStream, error) {
	s.rows, s.allBytes, s.stats, s.ended = in.Rows, in.Bytes+in.Rows*RowOverhead, in.Stats, true
	rows, bytes, err := s.batch(s.opts.BatchRows)
	if err != nil {
		closeSources(in.Streams)
		return nil, err
	}
	m, err := s.mergeSources(in)
	if err != nil {
		return nil, err
	}
	return s.wanted(m, rows, bytes)
}

func (s *Sorter) mergeSources(in Sources) (*merger, error) {
	if in.Overlap <= in.FanIn {
		s.writing.rows = in.Rows
		return s.store.newMerger(in.Streams, &s.writing), nil
	}
	s.store.startPasses(in.Rows, 1+s.store.passes((len(in.Streams)+in.FanIn-1)/in.FanIn))
	for sources := in.Streams; len(sources) > 0; {
		n := min(in.FanIn, len(sources))
		r, err := s.store.writeMerged(s.ctx, s.store.newMerger(sources[:n], &s.store.reducing))
		sources = sources[n:]
		if err != nil {
			closeSources(sources)
			return nil, err
		}
		s.store.runs = append(s.store.runs, r)
	}
	return s.mergeRuns(in.Rows)
}

// batch returns the number of rows of a sorted batch, and the bytes at which it ends, 0 for any.
func (s *Sorter) batch(wanted int) (rows, bytes int64, err error) {
	return s.opts.Budget.group(s.opts.BatchName, s.allBytes/max(s.rows, 1), s.rows, wanted)
}

// StartWriting begins the phase in which the rows of a stream are used.
func (s *Sorter) StartWriting() { s.writing.begin(&s.opts, PhaseWrite, s.opts.wanted(s.rows)) }

// Wrote adds rows to the progress of that phase.
func (s *Sorter) Wrote(rows int64) { s.writing.add(0, rows) }

// Close removes the runs. It may be called more than once.
func (s *Sorter) Close() error {
	s.store.wait() // nobody writes into the folder any more; whether it worked does not matter now
	s.dropParts()
	s.recycled.Release()
	return s.store.close()
}

// RowOverhead is what sorting takes in addition to the rows, in bytes per row.
const RowOverhead = 8

// mostRunRows is the most rows that are sorted at once.
var mostRunRows = int64(math.MaxUint32)

// wanted returns the rows of a sorted stream that the options want, in batches of at most some rows and bytes.
func (s *Sorter) wanted(sorted TableStream, rows, bytes int64) (TableStream, error) {
	var err error
	if s.plan, err = s.stats.Plan(); err != nil {
		sorted.Close()
		return nil, err
	}
	switch {
	case s.opts.Unique:
		sorted = &uniqueStream{TableStream: sorted, plan: s.plan, opts: &s.opts}
	case s.opts.Tail > 0:
		sorted = &tailStream{sorted, max(s.rows-s.opts.Tail, 0)}
	}
	if s.random != nil {
		sorted = &leadingColumns{sorted, s.decoded}
	}
	return newRebatch(sorted, s.decoded, rows, bytes, &s.opts), nil
}
