package adapter

import (
	"context"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/keyfunction"
	"github.com/arrowsort/arrowsort/keyencode"
)

// A JobBuilder is a job under construction, with the memory of its raw columns. Release it when the job is done; one
// that failed to add a column must be released too.
type JobBuilder struct {
	Job engine.Job

	raw      RawColumns
	input    *Input
	keys     []keyColumn
	payloads []payload
	split    bool // payloads may be several arrays

	first struct { // storage for one key without an allocation
		part   [1]arraySlice
		column [1]keyencode.Column
		key    [1]keyencode.Key
		at     [1]keyColumn
	}
}

// A payload describes how a column of the input, or a field of one, is copied into the result.
type payload struct {
	typ      arrow.DataType
	column   int              // position in the input
	taken    bool             // by row numbers, after the job; nothing below is set
	gather   int              // position in the job's Gather; -1 when the engine has nothing to gather
	buffers  int              // validity, values, bytes
	variadic []*memory.Buffer // of views, shared with the input
	dict     arrow.ArrayData  // shared with the input
	lists    listLayout       // of lists that the engine gathers
	fields   []payload
}

// A keyColumn is the column of a key, which the payload uses too.
type keyColumn struct {
	path   []int
	column int
}

// Start makes w a new job on the rows of an input.
func (w *JobBuilder) Start(ctx context.Context, input *Input, opts Options) {
	*w = JobBuilder{Job: engine.Job{Rows: input.Rows, Threads: opts.Threads}, input: input, split: opts.Split}
	w.raw.Start(ctx, opts)
	w.Job.Columns, w.Job.Keys, w.keys = w.first.column[:0], w.first.key[:0], w.first.at[:0]
}

// Input returns the rows of the job.
func (w *JobBuilder) Input() *Input { return w.input }

// Release gives the temporary memory back.
func (w *JobBuilder) Release() { w.raw.Release() }

// AddKey adds a sort key, less significant than those before it. The type of the leaf must be Sortable.
func (w *JobBuilder) AddKey(leaf Leaf, order keyencode.Order, nulls keyencode.NullPlacement) error {
	if leaf.Function.IsRandom() {
		return w.AddKeyColumn(leaf, order, nulls, func(r *RawColumns) (keyencode.Column, error) {
			return r.random(leaf.Function, w.input.Rows)
		})
	}
	var buf []arraySlice
	if len(w.Job.Keys) == 0 {
		buf = w.first.part[:0]
	}
	parts := w.input.parts(leaf.Path, buf)
	err := w.addKey(leaf, order, nulls, func(key keyencode.Key) (keyencode.Column, error) {
		return w.raw.keyColumn(leaf.Type, parts, sortKey{key, leaf.derivation()})
	})
	if err != nil {
		return err
	}
	asIs := arraydata.Storage(leaf.Type).ID() != arrow.RUN_END_ENCODED && !leaf.Derived()
	if len(leaf.Path) == 1 && asIs {
		w.keys = append(w.keys, keyColumn{leaf.Path, len(w.Job.Columns) - 1})
	}
	return nil
}

// AddKeyOfBoth is AddKey for the rows of the input followed by those of another one, whose leaf has the SameValues.
// What is stored otherwise than in the input is converted, at a cost in temporary memory: indices of dictionaries to 32
// bits, 4 bytes a row; text of the other input to the layout of this one, 4 to 16 bytes a row, and the bytes of views.
// The job has no payloads, and the rows of both.
func (w *JobBuilder) AddKeyOfBoth(
	leaf Leaf, order keyencode.Order, nulls keyencode.NullPlacement, other *Input, values Leaf,
) error {
	left, right := w.input.parts(leaf.Path, nil), other.parts(values.Path, nil)
	return w.addKey(leaf, order, nulls, func(key keyencode.Key) (keyencode.Column, error) {
		return w.raw.columnOfBoth(leaf.Type, left, values.Type, right, sortKey{key, leaf.derivation()})
	})
}

// AddKeyColumn is AddKey with a raw column that a function makes, whose memory the RawColumns hold.
func (w *JobBuilder) AddKeyColumn(
	leaf Leaf, order keyencode.Order, nulls keyencode.NullPlacement,
	column func(r *RawColumns) (keyencode.Column, error),
) error {
	return w.addKey(leaf, order, nulls, func(keyencode.Key) (keyencode.Column, error) { return column(&w.raw) })
}

// addKey adds a key, of which column makes the raw column.
func (w *JobBuilder) addKey(
	leaf Leaf, order keyencode.Order, nulls keyencode.NullPlacement,
	column func(keyencode.Key) (keyencode.Column, error),
) error {
	typ := leaf.Type
	if leaf.Function != keyfunction.None {
		typ, _ = leaf.ValueType() // the leaf was checked
	}
	key := keyencode.Key{Column: len(w.Job.Columns), Name: leaf.Name, Type: typ.String(),
		Collation: string(leaf.Collation), Order: order, Nulls: nulls}
	c, err := column(key)
	if err != nil {
		return err
	}
	w.Job.Columns = append(w.Job.Columns, c)
	w.Job.Keys = append(w.Job.Keys, key)
	return nil
}

// keyAt returns the column of the key at path, or -1.
func (w *JobBuilder) keyAt(path []int) int {
	i := slices.IndexFunc(w.keys, func(k keyColumn) bool { return slices.Equal(k.path, path) })
	if i < 0 {
		return -1
	}
	return w.keys[i].column
}
