package adapter

import (
	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/internal/take"
	"github.com/arrowsort/arrowsort/keyencode"
)

// Values are the rows of a leaf as raw buffers: of a dictionary its indices, which need not be in range, and the
// dictionary of each chunk. Run-end-encoded rows are expanded.
type Values struct {
	keyencode.Column
	Dictionaries []arrow.ArrayData // of each chunk; nil when the column has none
}

// Plain is the type of the values that a column of a Sortable type stands for, when dictionaries and runs are resolved.
// An extension type is kept where its storage is plain.
func Plain(typ arrow.DataType) arrow.DataType {
	switch t := take.Storage(typ).(type) {
	case *arrow.DictionaryType:
		return Plain(t.ValueType)
	case *arrow.RunEndEncodedType:
		return Plain(t.Encoded())
	}
	return typ
}

// Layout is how the values of a Plain type that is Sortable lie in memory.
func Layout(typ arrow.DataType) (kind keyencode.Kind, width int) {
	l, _ := layoutOf(typ)
	return l.kind, l.width
}

// Values are the rows of a leaf, whose type must be Sortable. The JobBuilder holds what memory they need.
func (w *JobBuilder) Values(leaf Leaf) (Values, error) {
	return w.values(leaf.Type, w.input.views(leaf.Path, nil))
}

// EntryValues are n entries of a dictionary, from entry first on.
func (w *JobBuilder) EntryValues(dictionary arrow.ArrayData, first, n int) (Values, error) {
	v := view{data: dictionary, first: dictionary.Offset() + first, rows: n}
	v.masks = v.ownMask(nil)
	return w.values(dictionary.DataType(), []view{v})
}

func (w *JobBuilder) values(typ arrow.DataType, views []view) (Values, error) {
	switch t := take.Storage(typ).(type) {
	case *arrow.RunEndEncodedType:
		views, err := w.expandRuns(views)
		if err != nil {
			return Values{}, err
		}
		return w.values(t.Encoded(), views)
	case *arrow.DictionaryType:
		l, _ := layoutOf(t.IndexType)
		column, err := w.column(l, views)
		dictionaries := make([]arrow.ArrayData, len(views))
		for i, v := range views {
			dictionaries[i] = v.data.Dictionary()
		}
		return Values{column, dictionaries}, err
	}
	l, _ := layoutOf(typ)
	column, err := w.column(l, views)
	return Values{Column: column}, err
}
