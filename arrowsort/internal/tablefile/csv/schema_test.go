package csv

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"
)

// TestSchemaOfSeveralFiles: types are those of all values of all files, columns may come in any order.
func TestSchemaOfSeveralFiles(t *testing.T) {
	files := []Source{sourceOf("a,b,c\n1,2,\n3,4,\n", ','), sourceOf("c,a,b\nx,2.5,7\n", ',')}
	var schema Schema
	for _, f := range files {
		require.NoError(t, schema.Infer(t.Context(), f))
	}
	require.EqualValues(t, 3, schema.Rows)
	require.Equal(t, "float64 int64 utf8", schema.Arrow().Field(0).Type.String()+" "+
		schema.Arrow().Field(1).Type.String()+" "+schema.Arrow().Field(2).Type.String())
	r, err := NewReader(files[1], schema.Pick([]int{2, 0}), 1, memory.DefaultAllocator)
	require.NoError(t, err)
	defer r.Release()
	rec, err := r.Next(t.Context())
	require.NoError(t, err)
	defer rec.Release()
	require.Equal(t, "x 2.5", rec.Column(0).ValueStr(0)+" "+rec.Column(1).ValueStr(0))
}

func TestHeadersThatDiffer(t *testing.T) {
	for _, c := range []struct{ first, second, want string }{
		{"a,b\n", "a,c\n", `there is a column "c", which the first input has not`},
		{"a,b\n", "a\n", `there is no column "b", which the first input has`},
		{"a,b\n", "b,a,a\n", `column "a" occurs more than once, then all columns must be those of the first input`},
		{"a,a,b\n", "b,a,a\n", `column "a" occurs more than once, then all columns must be those of the first input`},
	} {
		var schema Schema
		require.NoError(t, schema.Infer(t.Context(), sourceOf(c.first, ',')))
		err := schema.Infer(t.Context(), sourceOf(c.second, ','))
		require.ErrorIs(t, err, ErrHeader)
		require.EqualError(t, err, c.want)
	}
}

// TestHeaderIsSeenFirst: the columns are passed before the rows are read. An error is that of the call after the first
// rows, which have types and remarks; a row that cannot be read does not count.
func TestHeaderIsSeenFirst(t *testing.T) {
	for rows, want := range map[string][]string{
		"1,x\n":       {"utf8 utf8", "int64 utf8"},
		"":            {"utf8 utf8", "utf8 utf8"},
		"1\n1,2,3\n":  {"utf8 utf8", "utf8 utf8"},
		"1,2\n1\n1,x": {"utf8 utf8", "int64 int64"},
	} {
		var seen []string
		s := &Schema{}
		s.Header = func(columns *arrow.Schema) error {
			seen = append(seen, columns.Field(0).Type.String()+" "+columns.Field(1).Type.String())
			return fmt.Errorf("refused after %d", len(seen))
		}
		require.EqualError(t, s.Infer(t.Context(), sourceOf("7,8\n"+rows, ',')), "refused after 2")
		require.Equal(t, want, seen, rows)
		require.Equal(t, want[1] != want[0], len(s.Remarks) > 0, "the first line may be a row")
	}
	s, calls := &Schema{}, 0
	s.Header = func(*arrow.Schema) error { calls++; return nil }
	require.NoError(t, s.Infer(t.Context(), sourceOf("a,b\n1,2\n", ',')))
	require.NoError(t, s.Infer(t.Context(), sourceOf("b,a\n1,2\n", ',')))
	require.Equal(t, 1, calls, "of the first file only")

	s = &Schema{}
	s.Header = func(columns *arrow.Schema) error {
		if calls++; columns.Field(0).Type.ID() != arrow.INT64 {
			return errors.New("no number")
		}
		return nil
	}
	require.NoError(t, s.Infer(t.Context(), sourceOf("a,b\n1,2\n2,3\n", ',')), "the types of no rows do not count")
	require.Equal(t, 3, calls)
	require.EqualValues(t, 2, s.Rows)
}

func TestVerbatim(t *testing.T) {
	source := sourceOf("a,b,c\n1.50,2,2.50\n", ',')
	var schema Schema
	require.NoError(t, schema.Infer(t.Context(), source))
	verbatim, keys := schema.Verbatim([]int{1, 2})
	require.Equal(t, []int{1, 3}, keys)
	r, err := NewReader(source, verbatim, 1, memory.DefaultAllocator)
	require.NoError(t, err)
	defer r.Release()
	rec, err := r.Next(t.Context())
	require.NoError(t, err)
	defer rec.Release()
	var got []string
	for _, c := range rec.Columns() {
		got = append(got, c.DataType().Name()+" "+c.ValueStr(0))
	}
	require.Equal(t, []string{"utf8 1.50", "int64 2", "utf8 2.50", "float64 2.5"}, got)
}

// TestWideHeaders: the time is linear in the columns; if it were quadratic, this would take minutes.
func TestWideHeaders(t *testing.T) {
	const columns = 200_000
	names := make([]string, columns)
	for i := range names {
		names[i] = strconv.Itoa(i)
	}
	var schema Schema
	require.NoError(t, schema.Infer(t.Context(), sourceOf(strings.Join(names, ",")+"\n", ',')))
	slices.Reverse(names)
	require.NoError(t, schema.Infer(t.Context(), sourceOf(strings.Join(names, ",")+"\n", ',')))
	for i := range columns {
		require.Empty(t, schema.Rounded(i))
		example, _ := schema.Looks(i)
		require.Empty(t, example)
	}
}

func TestSeparator(t *testing.T) {
	for header, want := range map[string]rune{"a;b": ';', "a\tb": '\t', "a|b,c": 0, "a|b": '|', "a": 0, "\"a,b\"": 0} {
		var schema Schema
		require.NoError(t, schema.Infer(t.Context(), sourceOf(header+"\n", ',')))
		require.Equal(t, want, schema.Separator(), header)
	}
}
