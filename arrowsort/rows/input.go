package rows

import (
	"fmt"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/adapter"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
)

// input borrows the data as columns and checks that it has those of the keys.
func (c *Converter) input(data arrowsort.Data) (in adapter.Input, err error) {
	if err := in.Open(data); err != nil {
		return in, err
	}
	return in, c.check(&in)
}

// check compares the types of the columns that hold keys with the schema.
func (c *Converter) check(in *adapter.Input) error {
	for i := range c.leaves {
		l := &c.leaves[i]
		at := l.Path[0]
		if at >= len(in.Columns) {
			return fmt.Errorf("%w: key %s is in column %d, the data has %d columns",
				arrowsort.ErrColumn, l.Name, at, len(in.Columns))
		}
		if want, has := c.schema.Field(at).Type, in.Columns[at].Type; !arrow.TypeEqual(want, has) {
			return fmt.Errorf("%w: column %s has type %s, the converter is for %s",
				arrowsort.ErrOption, in.Label(at), has, want)
		}
	}
	return nil
}

// rowOf returns the input cut down to one row. The caller releases the arrays.
func (c *Converter) rowOf(in *adapter.Input, row int) (one adapter.Input, held []arrow.Array, err error) {
	one = adapter.Input{Rows: 1, Columns: slices.Clone(in.Columns)}
	for i := range one.Columns {
		one.Columns[i].Chunks = nil
	}
	for i := range c.leaves {
		l := &c.leaves[i]
		at := l.Path[0]
		if one.Columns[at].Chunks != nil {
			continue
		}
		slice, err := rowOfChunks(in.Columns[at].Chunks, int64(row))
		if err != nil {
			return one, held, fmt.Errorf("key %s of type %s: row %d: %w", l.Name, l.Type, row, err)
		}
		held = append(held, slice)
		one.Columns[at].Chunks = []arrow.Array{slice}
	}
	return one, held, nil
}

func rowOfChunks(chunks []arrow.Array, row int64) (one arrow.Array, err error) {
	defer arraydata.Guard(&err)
	for int64(chunks[0].Len()) <= row {
		chunks, row = chunks[1:], row-int64(chunks[0].Len())
	}
	return array.NewSlice(chunks[0], row, row+1), nil
}
