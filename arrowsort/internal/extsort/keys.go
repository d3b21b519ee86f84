package extsort

import (
	"cmp"
	"context"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/adapter"
	"github.com/arrowsort/arrowsort/arrowsort/internal/allocators"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/cpu"
	"github.com/arrowsort/arrowsort/arrowsort/internal/keypath"
	"github.com/arrowsort/arrowsort/keyencode"
)

// keyColumns returns a job with the key columns of rows, in the layout that keyencode reads, and nothing else. They
// borrow the memory of the rows. The caller releases the job.
func keyColumns(
	ctx context.Context, table arrow.Table, keys []arrowsort.Key, mem memory.Allocator,
) (*adapter.JobBuilder, error) {
	in, w := &adapter.Input{}, &adapter.JobBuilder{}
	if err := in.Open(table); err != nil {
		return nil, err
	}
	for i := range in.Columns {
		in.Columns[i].Name = cmp.Or(in.Columns[i].Name, arraydata.Label(i))
	}
	var found []keypath.Column
	for i, k := range keys {
		var err error
		key := keypath.Of(k.Path, k.At, k.Order, k.Nulls, k.Function, k.Collation)
		if found, err = keypath.Append(found, in, i, key); err != nil {
			return nil, err
		}
	}
	w.Start(ctx, in, adapter.Options{Allocator: allocators.Unzeroed(mem), Ranker: cpu.New()})
	return w, keypath.AddKeys(w, found)
}

// SortKeyBytes is about how many times as many bytes as its text the sort keys of a collation take.
const SortKeyBytes = 3

// Derived reports whether a key has other values than its column: those of a function or a collation. Bounds in files
// are not of these.
func Derived(k arrowsort.Key) bool { return k.Function != "" || k.Collation != arrowsort.Bytes }

// DerivedKeys returns the number of keys that are Derived.
func DerivedKeys(keys []arrowsort.Key) (n int) {
	for _, k := range keys {
		if Derived(k) {
			n++
		}
	}
	return n
}

// HasRandom reports whether a key goes by row numbers.
func HasRandom(keys []arrowsort.Key) bool {
	return slices.ContainsFunc(keys, func(k arrowsort.Key) bool { return k.Function.IsRandom() })
}

// sortKeyBytes returns about how many bytes the values of derived keys of the rows of a table take.
func sortKeyBytes(table arrow.Table, keys []arrowsort.Key) (bytes int64) {
	in := adapter.OfSchema(table.Schema())
	for i, k := range keys {
		if !Derived(k) {
			continue
		}
		found, err := keypath.Find(&in, i, keypath.Of(k.Path, k.At, k.Order, k.Nulls, k.Function, k.Collation))
		if err != nil {
			continue // the sort reports it
		}
		if k.Function != "" && k.Function != arrowsort.Lower {
			typ, _ := found.ValueType()
			_, width := adapter.Layout(typ)
			bytes += int64(width) * table.NumRows()
			continue
		}
		for _, c := range table.Column(found.Path[0]).Data().Chunks() {
			bytes += SortKeyBytes * arraydata.ArrayBytes(c.Data(), 0, c.Len())
		}
	}
	return bytes
}

// KeyStatistics are the statistics of the keys of all rows so far, and the layout of their columns: a plan is made from
// both.
type KeyStatistics struct {
	columns []keyencode.Column // without rows
	keys    []keyencode.Key
	stats   []keyencode.Statistics
}

// Add measures the next rows.
func (s *KeyStatistics) Add(ctx context.Context, table arrow.Table, keys []arrowsort.Key,
	mem memory.Allocator) error {
	w, err := keyColumns(ctx, table, keys, mem)
	if err != nil {
		return err
	}
	defer w.Release()
	var next KeyStatistics
	next.measure(&w.Job)
	s.merge(&next)
	return nil
}

// measure makes the statistics of the rows of a job.
func (s *KeyStatistics) measure(job *engine.Job) {
	s.keys = append([]keyencode.Key(nil), job.Keys...)
	for _, c := range job.Columns {
		s.columns = append(s.columns, keyencode.Column{Kind: c.Kind, Width: c.Width})
	}
	for _, k := range job.Keys {
		s.stats = append(s.stats, keyencode.Measure(&job.Columns[k.Column], k, 0, job.Rows))
	}
}

// merge adds the statistics of further rows.
func (s *KeyStatistics) merge(next *KeyStatistics) {
	if s.keys == nil {
		s.keys, s.columns, s.stats = next.keys, next.columns, append([]keyencode.Statistics(nil), next.stats...)
		return
	}
	for i := range s.stats {
		s.stats[i].Merge(&next.stats[i])
	}
}

// Plan returns the plan of the codes of all rows.
func (s *KeyStatistics) Plan() (*keyencode.Plan, error) {
	return keyencode.NewPlan(s.columns, s.keys, s.stats)
}

// KeyedRows are rows in memory with their key columns.
type KeyedRows struct {
	table arrow.Table
	first int // rows before it were returned
	rows  int
	bytes int64
	keys  *adapter.JobBuilder // their key columns
	stats KeyStatistics
	plan  *keyencode.Plan // on the keys; that of Bind
}

// newKeyedRows returns a table with its key columns. It takes the table over, also when it fails.
func newKeyedRows(ctx context.Context, table arrow.Table, keys []arrowsort.Key,
	mem memory.Allocator) (*KeyedRows, error) {
	w, err := keyColumns(ctx, table, keys, mem)
	if err != nil {
		table.Release()
		return nil, err
	}
	bytes := arraydata.TableBytes(table) + sortKeyBytes(table, keys) + table.NumRows()*RowOverhead
	b := &KeyedRows{table: table, rows: int(table.NumRows()), bytes: bytes, keys: w}
	b.stats.measure(&w.Job)
	return b, nil
}

// Bind sets the plan of Code, which may be that of more rows.
func (b *KeyedRows) Bind(plan *keyencode.Plan) { b.plan = plan.On(b.keys.Job.Columns) }

// Code returns a row as code words, which compare as the rows do. Words that cannot decide any more are left out.
func (b *KeyedRows) Code(row int) []uint64 {
	var words []uint64
	rows := [1]uint32{uint32(row)}
	for number := 0; number < b.plan.Words(); {
		var word [1]uint64
		b.plan.EncodeRows(word[:], number, rows[:])
		words = append(words, word[0])
		number = b.plan.Next(number, word[0])
	}
	return words
}

// Release releases the rows and the memory of their keys.
func (b *KeyedRows) Release() {
	b.keys.Release()
	b.table.Release()
}
