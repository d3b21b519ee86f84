// Package extsort sorts any number of record batches of Arrow Go v18 within a memory budget: package arrowsort/extsort
// for data of v18.
//
// A [Sorter] takes batches, or all those of a reader, sorts them run by run, spills the runs to a folder, and merges
// them. Rows that tie keep the order in which they were written. Rows that fit in the budget are not spilled. No value
// is copied from one version of Arrow to the other.
//
// Every type of v18.8 can be a payload column, and comes back as it was written, but for dictionaries, which come back
// as their values: each batch may have another one.
package extsort

import (
	"context"
	"fmt"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	v15 "github.com/apache/arrow/go/v15/arrow"
	array15 "github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/arrow18/internal/bridge"
	"github.com/arrowsort/arrowsort/arrowsort/extsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/adapter"
	convert "github.com/arrowsort/arrowsort/arrowsort/internal/arrow18"
)

// Options are the options of a Sorter: those of arrowsort/extsort. Allocator takes allocators of v18, too, since they
// have the same methods; nil is memory.DefaultAllocator of v18.
type Options = extsort.Options

// MinMemory is the smallest budget.
const MinMemory = extsort.MinMemory

// A Phase is a step of a sort, for Options.Progress.
type Phase = extsort.Phase

// The phases are those of arrowsort/extsort.
const (
	PhaseSort  = extsort.PhaseSort  // all rows are sorted in memory
	PhaseMerge = extsort.PhaseMerge // runs are merged to longer runs
	PhaseWrite = extsort.PhaseWrite // sorted batches are read
)

// The kinds of errors, for errors.Is: those of arrowsort/extsort. Errors match Arrow's of both versions.
var (
	// ErrOption is returned for an invalid option, and for calls in the wrong order.
	ErrOption = extsort.ErrOption
	// ErrSchema is returned for a batch with other columns than the sorter's.
	ErrSchema = extsort.ErrSchema
	// ErrMemory is returned when something does not fit in the budget that cannot be spilled.
	ErrMemory = extsort.ErrMemory
)

// Stats are what a Sorter did so far.
type Stats = extsort.Stats

// A Sorter sorts record batches within a memory budget: Write and WriteFrom take them, Sorted gives all of them back in
// order. It is used by one goroutine. Close it in any case, after the release of the reader: it removes the runs.
type Sorter struct {
	core   *extsort.Sorter
	schema *arrow.Schema // of what is written
	sorted *arrow.Schema // of what is read
	stored *v15.Schema   // of the core: what types are stored as, since runs are read back as that
}

// NewSorter begins a sort of batches of a schema by keys, the most significant first. The context ends it early.
// Dictionary columns come back as their values.
func NewSorter(ctx context.Context, schema *arrow.Schema, keys []arrowsort.Key, opts Options) (*Sorter, error) {
	if schema == nil {
		return nil, bridge.Translate(fmt.Errorf("%w: the schema is nil", ErrOption))
	}
	stored, err := bridge.StoredSchema(schema)
	if err != nil {
		return nil, bridge.Translate(err)
	}
	sorted, err := decodedSchema(schema)
	if err != nil {
		return nil, bridge.Translate(err)
	}
	opts.Allocator = bridge.Allocator(opts.Allocator)
	core, err := extsort.NewSorter(ctx, stored, keys, opts)
	if err != nil {
		return nil, bridge.Translate(err)
	}
	return &Sorter{core: core, schema: schema, sorted: sorted, stored: stored}, nil
}

// Schema returns the schema of the sorted batches.
func (s *Sorter) Schema() *arrow.Schema { return s.sorted }

// Write takes a batch of the sorter's schema; the caller may release it. It sorts and spills a run first if there is no
// memory for the batch. After an error the sorter can only be closed.
func (s *Sorter) Write(batch arrow.RecordBatch) error {
	switch {
	case adapter.IsNil(batch):
		return bridge.Translate(fmt.Errorf("%w: the batch is nil", ErrOption))
	case !s.schema.Equal(batch.Schema()):
		return bridge.Translate(fmt.Errorf("%w: the sorter has %s, the batch %s", ErrSchema, s.schema, batch.Schema()))
	}
	columns, err := bridge.Columns(batch, s.stored)
	if err != nil {
		return bridge.Translate(err)
	}
	for _, c := range columns {
		defer c.Release()
	}
	rec := array15.NewRecord(s.stored, columns, batch.NumRows())
	defer rec.Release()
	return bridge.Translate(s.core.Write(rec))
}

// WriteFrom writes all batches of a reader, which the caller releases. An error of the reader is returned.
func (s *Sorter) WriteFrom(reader array.RecordReader) error {
	if adapter.IsNil(reader) {
		return bridge.Translate(fmt.Errorf("%w: the reader is nil", ErrOption))
	}
	for reader.Next() {
		if err := s.Write(reader.RecordBatch()); err != nil {
			return err
		}
	}
	return reader.Err()
}

// Sorted returns the rows in order, in batches of Options.BatchRows. It is called once, after the last Write. The
// caller releases the reader, then closes the sorter.
func (s *Sorter) Sorted() (array.RecordReader, error) {
	core, err := s.core.Sorted()
	if err != nil {
		return nil, bridge.Translate(err)
	}
	return bridge.NewReader(core, s.sorted), nil
}

// Stats returns what the sorter did so far. It is complete after Sorted.
func (s *Sorter) Stats() Stats { return s.core.Stats() }

// Close removes the runs. It may be called more than once.
func (s *Sorter) Close() error { return s.core.Close() }

// decodedSchema returns the schema of the rows as they are sorted: with the values of dictionaries in their place.
func decodedSchema(schema *arrow.Schema) (*arrow.Schema, error) {
	fields := schema.Fields()
	for i, f := range fields {
		typ, ok := convert.Decoded(f.Type)
		if !ok {
			return nil, fmt.Errorf("%s has type %v: %w: a dictionary inside an extension type", bridge.Label(f.Name, i),
				f.Type, arrow.ErrNotImplemented)
		}
		fields[i].Type = typ
	}
	meta := schema.Metadata()
	return arrow.NewSchemaWithEndian(fields, &meta, schema.Endianness()), nil
}
