package extsort

import (
	"context"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/keyfunction"
	"github.com/arrowsort/arrowsort/internal/buffers"
)

// addRandom replaces keys of row numbers by keys on columns of their values, which rows get when they are added and
// lose when they are returned: in a run, and after a merge of runs, rows have other numbers.
func (s *Sorter) addRandom() {
	s.sorted = s.decoded
	if !HasRandom(s.opts.Keys) {
		return
	}
	fields, meta := slices.Clone(s.decoded.Fields()), s.decoded.Metadata()
	s.opts.Keys = slices.Clone(s.opts.Keys)
	for i, k := range s.opts.Keys {
		if !k.Function.IsRandom() {
			if k.Path == "" && k.At == (arrowsort.Key{}).At { // the only column, which gets company
				s.opts.Keys[i].At = arrowsort.Column(0)
			}
			continue
		}
		name := k.Function.Of("")
		for s.decoded.HasField(name) { // a key that names this column would have two
			name += "'"
		}
		s.random = append(s.random, k.Function)
		s.opts.Keys[i].Function, s.opts.Keys[i].At = "", arrowsort.Column(len(fields))
		fields = append(fields, arrow.Field{Name: name, Type: arrow.PrimitiveTypes.Uint64})
	}
	s.sorted = arrow.NewSchema(fields, &meta)
}

// randomColumn returns the values of a function of row numbers for n rows from row first on, in one chunk.
func randomColumn(f arrowsort.Function, first, n int64, mem memory.Allocator) (*arrow.Chunked, error) {
	words, err := newNumbers(arrow.PrimitiveTypes.Uint64, n, mem, func(b []byte) {
		keyfunction.RandomWords(f, buffers.View[uint64](b), uint64(first))
	})
	if err != nil {
		return nil, err
	}
	defer words.Release()
	return arrow.NewChunked(words.DataType(), []arrow.Array{words}), nil
}

// leadingColumns is a stream without the columns after those of a schema.
type leadingColumns struct {
	TableStream
	schema *arrow.Schema
}

func (l *leadingColumns) Next(ctx context.Context) (arrow.Table, error) {
	table, err := l.TableStream.Next(ctx)
	if err != nil {
		return nil, err
	}
	defer table.Release()
	return arraydata.WithNames(table, l.schema), nil
}
