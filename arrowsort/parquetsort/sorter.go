package parquetsort

import (
	"context"
	"fmt"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/adapter"
	"github.com/arrowsort/arrowsort/arrowsort/internal/allocators"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/atomicfile"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/dictionary"
)

// A Sorter sorts record batches within a memory budget: Write takes them, Sorted gives all of them back in order. It is
// used by one goroutine. Close it in any case, behind the release of the reader: it removes what was spilled.
type Sorter struct {
	ctx     context.Context
	opts    Options
	budget  budget
	schema  *arrow.Schema // of what is written
	decoded *arrow.Schema // of what is sorted

	parts    []arrow.Table // of the run that is collected
	bytes    int64         // that they take
	run      int64         // that they may take
	stats    keyStatistics
	rows     int64 // in all
	allBytes int64

	recycled *allocators.Recycler // the allocator of all

	folder  *atomicfile.Folder
	fan     int // runs that are merged at once
	runs    []run
	spills  chan error // receives when the run in the background is spilled; nil when there is none
	spilled int64      // bytes
	sorted  bool       // Sorted was called

	reducing, writing rowProgress // of runs that become longer ones, and of the output

	err error // of the last Write
}

// NewSorter begins a sort of batches of a schema. Of the options it uses Keys, Memory, SpillDir, SpillCompression,
// Limit, RowGroupRows, Threads, Allocator and, for what Sorted does, Progress. Dictionary columns come back as their
// values.
func NewSorter(ctx context.Context, schema *arrow.Schema, opts Options) (*Sorter, error) {
	opts, err := opts.resolved(ctx)
	if err != nil {
		return nil, err
	}
	if schema == nil {
		return nil, fmt.Errorf("%w: the schema is nil", errOption)
	}
	decoded, err := dictionary.DecodedSchema(schema)
	if err != nil {
		return nil, err
	}
	s := &Sorter{ctx: ctx, opts: opts, budget: opts.budget(), schema: schema, decoded: decoded}
	s.fan, s.run = s.budget.fanIn(schema.NumFields()), s.budget.run()
	s.recycle(opts.Allocator)
	if err := checkKeys(ctx, decoded, opts.Keys); err != nil {
		return nil, err
	}
	return s, nil
}

// recycle has what follows use its own memory again and again, as what is sorted piece by piece or run by run takes the
// same few blocks each time.
func (s *Sorter) recycle(mem memory.Allocator) {
	if s.recycled != nil {
		s.recycled.Release()
	}
	s.recycled = allocators.NewRecycler(mem, s.budget.total*3/4) // the rest is for what reading and encoding take
	s.opts.Allocator = s.recycled
}

// checkKeys finds keys that the schema does not have before there is a row.
func checkKeys(ctx context.Context, schema *arrow.Schema, keys []arrowsort.Key) error {
	empty := arraydata.Concatenate(schema, nil)
	defer empty.Release()
	indices, err := arrowsort.SortIndices32(ctx, empty, keys, arrowsort.Options{})
	if err == nil {
		indices.Release()
	}
	return err
}

// Schema is the schema of the sorted batches.
func (s *Sorter) Schema() *arrow.Schema { return s.decoded }

// Write takes a batch of the sorter's schema; the caller may release it. It returns when there is memory for the next:
// now and then it sorts and spills. After an error the sorter can only be closed.
func (s *Sorter) Write(rec arrow.Record) error {
	if adapter.IsNil(rec) {
		return fmt.Errorf("%w: the batch is nil", errOption)
	}
	if !s.schema.Equal(rec.Schema()) {
		return fmt.Errorf("%w: the sorter has %s, the batch %s", errSchema, s.schema, rec.Schema())
	}
	counted, err := adapter.SliceRecord(rec, 0, rec.NumRows())
	if err != nil {
		return err
	}
	defer counted.Release()
	table := array.NewTableFromRecords(s.schema, []arrow.Record{counted})
	defer table.Release()
	return s.write(table)
}

func (s *Sorter) write(table arrow.Table) error {
	switch {
	case s.err != nil:
		return s.err
	case s.sorted:
		return fmt.Errorf("%w: Write behind Sorted", errOption)
	}
	s.err = s.add(table)
	return s.err
}

func (s *Sorter) add(table arrow.Table) error {
	if err := context.Cause(s.ctx); err != nil {
		return err
	}
	piece := arraydata.TableBytes(table)
	s.run = min(s.run, s.budget.runBeside(piece))
	for first := int64(0); first < table.NumRows(); {
		n := fitting(table, first, s.run/2) // a run is made of several parts
		if err := s.collect(table, first, n); err != nil {
			return err
		}
		first += n
	}
	return nil
}

// rowBytes is what a row takes, sorting included.
func (s *Sorter) rowBytes() int64 { return s.allBytes / max(s.rows, 1) }

// Sorted gives the rows in order, in batches of RowGroupRows. It is called once, behind the last Write. The caller
// releases the reader, then closes the sorter.
func (s *Sorter) Sorted() (array.RecordReader, error) {
	t, err := s.merged()
	if err != nil {
		return nil, err
	}
	return newReader(s.ctx, s.decoded, t), nil
}

// merged gives the sorted rows piece by piece.
func (s *Sorter) merged() (tables, error) {
	if s.err != nil {
		return nil, s.err
	}
	if s.sorted {
		return nil, fmt.Errorf("%w: Sorted is called twice", errOption)
	}
	s.sorted = true
	rows, bytes, err := s.budget.group(s.rowBytes(), s.rows, s.opts.RowGroupRows)
	if err != nil {
		return nil, err
	}
	if s.folder == nil {
		sorted, err := s.sortRun(s.opts.progress(PhaseSort))
		if err != nil {
			return nil, err
		}
		return s.wanted(&oneTable{sorted}, rows, bytes)
	}
	if err := s.spill(); err != nil {
		return nil, err
	}
	if err := s.wait(); err != nil {
		return nil, err
	}
	s.recycle(s.recycled.Allocator) // blocks of other sizes
	spilled := int64(0)
	for _, r := range s.runs {
		spilled += r.rows
	}
	s.startReducing(spilled, s.passes(len(s.runs)))
	if err := s.reduce(); err != nil {
		return nil, err
	}
	s.writing.rows = spilled
	m, err := s.mergeRuns(s.runs, &s.writing)
	if err != nil {
		return nil, err
	}
	return s.wanted(m, rows, bytes)
}

// wanted are those rows of the sorted order that are wanted, in groups of some rows and bytes.
func (s *Sorter) wanted(sorted tables, rows, bytes int64) (tables, error) {
	plan, err := s.stats.plan()
	if err != nil {
		sorted.close()
		return nil, err
	}
	return newGroups(s.filter(sorted, plan, s.rows), s.decoded, rows, bytes, &s.opts), nil
}

func (s *Sorter) close() error {
	s.dropParts()
	s.recycled.Release()
	if s.folder == nil {
		return nil
	}
	err := s.folder.Remove()
	s.folder = nil
	return err
}

// Close removes what was spilled. It may be called more than once.
func (s *Sorter) Close() error {
	s.wait() // nobody writes into the folder any more; whether it worked does not matter now
	return s.close()
}

// collect adds rows of a table to the run, which is spilled before if there is no room for them.
func (s *Sorter) collect(table arrow.Table, first, n int64) error {
	part, err := arraydata.NewTable(s.decoded, -1, func(i int) (*arrow.Chunked, error) {
		return s.rowsOf(table.Column(i).Data(), s.decoded.Field(i).Type, first, n)
	})
	if err != nil {
		return err
	}
	bytes := arraydata.TableBytes(part) + n*rowOverhead
	if s.bytes > 0 && s.bytes+bytes > s.run {
		if err := s.spill(); err != nil {
			part.Release()
			return err
		}
	}
	s.parts = append(s.parts, part)
	s.bytes += bytes
	s.rows += n
	s.allBytes += bytes
	return nil
}

// rowsOf is some rows of a column with the values of its dictionaries. What is not all of the column is copied: a slice
// would keep all of it in memory, and the dictionaries inside of it would be decoded whole.
func (s *Sorter) rowsOf(column *arrow.Chunked, typ arrow.DataType, first, n int64) (*arrow.Chunked, error) {
	rows := arraydata.SliceChunked(column, first, first+n)
	defer rows.Release()
	_, whole := column.DataType().(*arrow.DictionaryType) // whose values are copied as it is
	if !whole && n < int64(column.Len()) {
		all := identity(n, s.opts.Allocator)
		defer all.Release()
		copied, err := arrowsort.Take(s.ctx, rows, all, s.opts.sorting())
		if err != nil {
			return nil, err
		}
		defer copied.Release()
		rows = copied
	}
	return dictionary.WithType(s.ctx, rows, typ, s.opts.taking())
}

// fitting is the number of rows of a table, from a row on, that take about some bytes at most; one at least.
func fitting(table arrow.Table, first, bytes int64) (n int64) {
	const least = 4 // bytes of a row, so that few rows are looked at
	for n = max(min(table.NumRows()-first, bytes/least), 1); n > 1; {
		part := arraydata.SliceTable(table, first, first+n)
		takes := arraydata.TableBytes(part)
		part.Release()
		if takes <= bytes+bytes/16 {
			break
		}
		n = max(int64(float64(n)*float64(bytes)/float64(takes)), 1)
	}
	return n
}

// rowOverhead is what sorting takes beside the rows, in bytes per row.
const rowOverhead = 8
