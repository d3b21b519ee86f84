package keypath

import (
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/adapter"
	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/keyencode"
)

var inner = arrow.StructOf(arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Int8},
	arrow.Field{Name: "y", Type: arrow.BinaryTypes.String})

var days = arrow.ListOf(arrow.FixedWidthTypes.DayTimeInterval)

func data() *adapter.Input {
	in := adapter.OfSchema(arrow.NewSchema([]arrow.Field{
		{Name: "a", Type: arrow.Null}, {Name: "s", Type: inner}, {Name: "l", Type: days}}, nil))
	return &in
}

func TestFind(t *testing.T) {
	for _, c := range []struct {
		key  Key
		path []int
		typ  arrow.DataType
		name string
	}{
		{Key{Path: "s.y", Order: keyencode.Descending}, []int{1, 1}, arrow.BinaryTypes.String, "s.y"},
		{Key{Position: 1, HasPosition: true, Nulls: keyencode.NullsAtStart}, []int{1}, inner, "s"},
		{Key{Position: 0, HasPosition: true}, []int{0}, arrow.Null, "a"},
		{Key{Path: "l"}, []int{2}, days, "l"},
	} {
		column, err := Find(data(), 0, c.key)
		require.NoError(t, err)
		leaf := adapter.Leaf{Path: c.path, Name: c.name, Type: c.typ}
		require.Equal(t, Column{leaf, c.key.Order, c.key.Nulls}, column)
	}
	for _, key := range []Key{{Path: "b"}, {Path: "s.z"}, {Path: "a.x"}, {Position: 3, HasPosition: true}} {
		_, err := Find(data(), 0, key)
		require.ErrorIs(t, err, errkind.ErrColumn)
	}
	for _, key := range []Key{{}, {Path: "a", HasPosition: true}} {
		_, err := Find(data(), 0, key)
		require.ErrorIs(t, err, errkind.ErrOption)
	}
}

// TestFindInArray: an array has no name, the fields of its structs have.
func TestFindInArray(t *testing.T) {
	array := &adapter.Input{Shape: adapter.Array, Columns: []adapter.Column{{Type: inner}}}
	column, err := Find(array, 0, Key{Path: "y"})
	require.NoError(t, err)
	require.Equal(t, []int{0, 1}, column.Path)
	column, err = Find(array, 0, Key{})
	require.NoError(t, err)
	require.Equal(t, []int{0}, column.Path)
	array.Columns[0].Type = arrow.Null
	_, err = Find(array, 0, Key{Path: "y"})
	require.ErrorContains(t, err, "an array has no columns, leave Path empty")
}

// TestExpand: structs become their fields, and a column counts once.
func TestExpand(t *testing.T) {
	var found []Column
	for _, path := range []string{"s.y", "s", "a"} {
		var err error
		found, err = Append(found, data(), 0, Key{Path: path})
		require.NoError(t, err)
	}
	names := make([]string, len(found))
	for i := range found {
		names[i] = found[i].Name
	}
	require.Equal(t, []string{"s.y", "s.x", "a"}, names)
	list, err := Find(data(), 0, Key{Path: "l"})
	require.NoError(t, err)
	_, err = Expand(nil, list)
	require.ErrorIs(t, err, errkind.ErrKeyType)
}

func TestFindChecksOrderAndNulls(t *testing.T) {
	for _, key := range []Key{{Path: "a", Order: 2}, {Path: "a", Nulls: 2}} {
		_, err := Find(data(), 3, key)
		require.ErrorIs(t, err, errkind.ErrOption)
		require.ErrorContains(t, err, "key 3 has")
	}
}
