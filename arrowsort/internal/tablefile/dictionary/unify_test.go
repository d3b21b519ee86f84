package dictionary

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/fileerror"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/validate"
)

// TestUnifiedDictionariesAreTheSame: of every type, with other values nowhere.
func TestUnifiedDictionariesAreTheSame(t *testing.T) {
	for _, typ := range arrowtest.Types() {
		if !refers(typ) {
			continue
		}
		t.Run(typ.String(), func(t *testing.T) {
			mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
			defer mem.AssertSize(t, 0)
			rng := rand.New(rand.NewPCG(1, 2))
			schema := arrow.NewSchema([]arrow.Field{{Name: "d", Type: typ, Nullable: true}}, nil)
			var records []arrow.Record
			for i := range 4 {
				a := arrowtest.RandomSlice(rng, typ, 10*i, i, 0.3, mem)
				defer a.Release()
				records = append(records, array.NewRecord(schema, []arrow.Array{a}, int64(a.Len())))
				defer records[i].Release()
			}
			table := array.NewTableFromRecords(schema, records)
			defer table.Release()
			unified, err := Unify(mem, table)
			require.NoError(t, err)
			defer unified.Release()
			require.Equal(t, arrowtest.Values(table.Column(0).Data()), arrowtest.Values(unified.Column(0).Data()))
			if typ.ID() != arrow.DICTIONARY {
				return
			}
			chunks := unified.Column(0).Data().Chunks()
			for _, c := range chunks {
				require.Equal(t, chunks[0].Data().Dictionary(), c.Data().Dictionary())
				require.NoError(t, validate.Array(c))
			}
		})
	}
}

func TestDictionariesThatIndicesCannotReferToAreNotSupported(t *testing.T) {
	typ := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.BinaryTypes.LargeString}
	schema := arrow.NewSchema([]arrow.Field{{Name: "d", Type: typ}}, nil)
	for most, fine := range map[int]bool{128: true, 129: false} {
		var records []arrow.Record
		for from := 0; from < most; from += 100 {
			values := array.NewLargeStringBuilder(memory.DefaultAllocator)
			indices := array.NewInt8Builder(memory.DefaultAllocator)
			for i := from; i < min(from+100, most); i++ {
				values.Append(strings.Repeat("x", i))
				indices.Append(int8(i - from))
			}
			a := array.NewDictionaryArray(typ, indices.NewArray(), values.NewArray())
			records = append(records, array.NewRecord(schema, []arrow.Array{a}, int64(a.Len())))
		}
		table := array.NewTableFromRecords(schema, records)
		unified, err := Unify(memory.DefaultAllocator, table)
		if !fine {
			require.ErrorIs(t, err, fileerror.ErrUnsupported)
			require.ErrorContains(t, err, `column "d"`)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, arrowtest.Values(table.Column(0).Data()), arrowtest.Values(unified.Column(0).Data()))
	}
}

func TestEqualTextsBecomeOneEntry(t *testing.T) {
	for _, typ := range []arrow.DataType{
		arrow.BinaryTypes.LargeString, arrow.BinaryTypes.StringView, arrow.BinaryTypes.LargeBinary,
		arrow.BinaryTypes.BinaryView, arrow.BinaryTypes.String,
	} {
		var values []arrow.ArrayData
		for _, text := range []string{`["YQ==", null, "YWI="]`, `["YWI=", "YWJj", null]`} {
			a, _, err := array.FromJSON(memory.DefaultAllocator, typ, strings.NewReader(text))
			require.NoError(t, err)
			values = append(values, a.Data())
		}
		j, err := joinDictionaries(memory.DefaultAllocator, typ, values)
		require.NoError(t, err)
		require.Equal(t, 4, j.entries.Len(), typ)
		require.Equal(t, [][]int{{0, 1, 2}, {2, 3, 1}}, j.places, typ)
	}
}
