package output

import (
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
)

// TestEncodingsOfEveryIndexType gives values the dictionary that was collected from two others, and refuses one that is
// in none.
func TestEncodingsOfEveryIndexType(t *testing.T) {
	mem := arrowtest.Checked(t)
	values := func(typ arrow.DataType, text string) arrow.Array {
		a, _, err := array.FromJSON(mem, typ, strings.NewReader(text))
		require.NoError(t, err)
		return a
	}
	for _, index := range []arrow.DataType{arrow.PrimitiveTypes.Int8, arrow.PrimitiveTypes.Uint8,
		arrow.PrimitiveTypes.Int16, arrow.PrimitiveTypes.Uint16,
		arrow.PrimitiveTypes.Int32, arrow.PrimitiveTypes.Uint32, arrow.PrimitiveTypes.Int64,
		arrow.PrimitiveTypes.Uint64} {
		for _, typ := range []arrow.DataType{arrow.BinaryTypes.String, arrow.BinaryTypes.LargeString,
			arrow.BinaryTypes.Binary, arrow.FixedWidthTypes.Date32} {
			texts := []string{`["YQ==", null]`, `["Yg==", "YQ=="]`}
			if typ.ID() == arrow.DATE32 {
				texts = []string{`["2021-03-04", null]`, `["2021-03-05", "2021-03-04"]`}
			}
			tree := newDictionaryTree(&arrow.DictionaryType{IndexType: index, ValueType: typ})
			for _, text := range texts {
				part := values(typ, text)
				require.NoError(t, tree.entries.add(t.Context(), part, arrowsort.Options{Allocator: mem}))
				part.Release()
			}
			require.NoError(t, tree.join(mem))
			rows := values(typ, texts[1])
			data, err := tree.encoded(rows.Data(), mem)
			require.NoError(t, err)
			a := array.MakeFromData(data).(*array.Dictionary)
			require.Equal(t, []int{1, 0}, []int{a.GetValueIndex(0), a.GetValueIndex(1)})
			require.Equal(t, 2, a.Dictionary().Len())
			a.Release()
			data.Release()
			rows.Release()
			strange := values(typ, strings.ReplaceAll(strings.ReplaceAll(texts[0], "2021", "1999"), "YQ", "Yw"))
			_, err = tree.encoded(strange.Data(), mem)
			require.ErrorIs(t, err, errkind.ErrSchema)
			strange.Release()
			tree.release()
		}
	}
}

func TestFilesHaveTheRowsThatAreWanted(t *testing.T) {
	for name, c := range map[string]struct {
		wanted, written int64
		fewer           bool
		says            string
	}{
		"all":           {12, 12, false, ""},
		"distinct":      {12, 3, true, ""},
		"none":          {0, 0, true, ""},
		"none distinct": {12, 0, true, "out: the files have 0 rows, and 12 are wanted"},
		"too many":      {12, 13, true, "out: the files have 13 rows, and 12 are wanted"},
		"not written":   {12, 11, false, "out: the files have 11 rows, and 12 are wanted"},
	} {
		f := &Files{Target: Target{Path: "out"}, rows: c.written}
		if err := f.CheckRows(c.wanted, c.fewer); c.says != "" {
			require.ErrorContains(t, err, c.says, name)
		} else {
			require.NoError(t, err, name)
		}
	}
}
