package ipc

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	arrowipc "github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
)

// foreign is the folder of Arrow files of other writers; its README has how they were made.
const foreign = "testdata"

// readForeign reads a file of that folder.
func readForeign(t *testing.T, name string, mem memory.Allocator) (arrow.Table, error) {
	b, err := os.ReadFile(filepath.Join(foreign, name))
	require.NoError(t, err)
	return read(b, Options{File: strings.HasSuffix(name, ".arrow"), Allocator: mem})
}

// foreignText is a value as make.py in that folder writes it.
func foreignText(a arrow.Array, i int) string {
	switch a := a.(type) {
	case *array.RunEndEncoded:
		return foreignText(a.Values(), a.GetPhysicalIndex(i))
	case *array.SparseUnion:
		return foreignText(a.Field(a.ChildID(i)), i)
	case *array.DenseUnion:
		return foreignText(a.Field(a.ChildID(i)), int(a.ValueOffset(i)))
	case *array.Dictionary:
		if a.IsValid(i) {
			return foreignText(a.Dictionary(), a.GetValueIndex(i))
		}
	}
	if a.IsNull(i) {
		return "null"
	}
	switch a := a.(type) {
	case array.ListLike:
		start, end := a.ValueOffsets(i)
		values := []string{}
		for k := start; k < end; k++ {
			value := foreignText(a.ListValues(), int(k))
			if a.DataType().ID() == arrow.MAP {
				value = "[" + strings.Trim(value, "{}") + "]"
			}
			values = append(values, value)
		}
		return "[" + strings.Join(values, ",") + "]"
	case *array.Struct:
		values := make([]string, a.NumField())
		for k := range values {
			values[k] = foreignText(a.Field(k), i)
		}
		return "{" + strings.Join(values, ",") + "}"
	case interface{ Value(int) []byte }:
		return hex.EncodeToString(a.Value(i))
	}
	return a.ValueStr(i)
}

// foreignRows are the values of a table, by column.
func foreignRows(table arrow.Table) map[string][]string {
	rows := map[string][]string{}
	for c, f := range table.Schema().Fields() {
		rows[f.Name] = []string{}
		for _, chunk := range table.Column(c).Data().Chunks() {
			for i := range chunk.Len() {
				rows[f.Name] = append(rows[f.Name], foreignText(chunk, i))
			}
		}
	}
	return rows
}

// TestFilesOfOtherWritersAreRead: and what is written of them reads the same.
func TestFilesOfOtherWritersAreRead(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(foreign, "values.json"))
	require.NoError(t, err)
	var want map[string]map[string][]string
	require.NoError(t, json.Unmarshal(text, &want))
	require.Greater(t, len(want), 30)
	for name, rows := range want {
		t.Run(name, func(t *testing.T) {
			mem := arrowtest.Checked(t)
			table, err := readForeign(t, name, mem)
			require.NoError(t, err)
			defer table.Release()
			require.Equal(t, rows, foreignRows(table))
			for _, file := range []bool{true, false} {
				for _, codec := range []string{"none", "lz4", "zstd"} {
					opts := Options{File: file, Codec: codec, Allocator: mem}
					again, err := read(written(t, table, opts), opts)
					require.NoError(t, err)
					require.Equal(t, rows, foreignRows(again))
					require.Equal(t, table.Schema().String(), again.Schema().String())
					again.Release()
				}
			}
		})
	}
}

func TestTypesThatArrowLacksAreNotSupported(t *testing.T) {
	for name, want := range map[string]string{
		"unsupported_decimal32.arrow":  `column "price": type decimal32(5, 2) is not supported`,
		"unsupported_decimal32.arrows": `column "price": type decimal32(5, 2) is not supported`,
		"unsupported_decimal64.arrow":  `column "l.item": type decimal64(12, 2) is not supported`,
		"unsupported_decimal64.arrows": `column "l.item": type decimal64(12, 2) is not supported`,
		"unsupported_width0.arrow":     `column "f": type fixed_size_list[0] is not supported`,
		"unsupported_width0.arrows":    `column "f": type fixed_size_list[0] is not supported`,
		"unsupported_int128.arrow":     `column "big": type int128 is not supported`,
	} {
		_, err := readForeign(t, name, memory.DefaultAllocator)
		require.ErrorIs(t, err, errkind.ErrUnsupported, name)
		require.NotErrorIs(t, err, errkind.ErrCorrupt)
		require.EqualError(t, err, want)
	}
}

func TestTypesThatArrowDoesNotHaveAreNotSupported(t *testing.T) {
	for want, typ := range map[string]arrow.DataType{
		`column "k": type decimal256 of 77 digits instead of 1 to 76 is not supported`: &arrow.Decimal256Type{
			Precision: 77, Scale: 38},
		`column "k.item": type decimal of 0 digits instead of 1 to 38 is not supported`: arrow.ListOf(
			&arrow.Decimal128Type{}),
	} {
		var b bytes.Buffer
		w := arrowipc.NewWriter(&b, arrowipc.WithSchema(arrow.NewSchema([]arrow.Field{{Name: "k", Type: typ}}, nil)))
		require.NoError(t, w.Close())
		_, err := read(b.Bytes(), Options{})
		require.ErrorIs(t, err, errkind.ErrUnsupported)
		require.EqualError(t, err, want)
	}
}

func TestMetadataOfColumnsInsideOthersIsKept(t *testing.T) {
	meta := arrow.NewMetadata([]string{"inner"}, []string{"1"})
	inner := arrow.Field{Name: "x", Type: arrow.PrimitiveTypes.Int8, Metadata: meta}
	for _, typ := range []arrow.DataType{
		arrow.StructOf(inner), arrow.ListOfField(inner), arrow.FixedSizeListOfField(2, inner),
	} {
		table := arrowtest.RandomTable(typ, 0.3, []int{5}, 1)
		for _, file := range []bool{true, false} {
			got, err := read(written(t, table, Options{File: file}), Options{File: file})
			require.NoError(t, err)
			require.Equal(t, table.Schema().String(), got.Schema().String())
		}
	}
}
