package arrowsort_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
)

func TestErrorsMatchThoseOfArrow(t *testing.T) {
	for _, c := range []struct{ err, arrow error }{
		{arrowsort.ErrNoKeys, arrow.ErrInvalid}, {arrowsort.ErrColumn, arrow.ErrKey},
		{arrowsort.ErrColumn, arrow.ErrInvalid}, {arrowsort.ErrKeyType, arrow.ErrNotImplemented},
		{arrowsort.ErrOption, arrow.ErrInvalid}, {arrowsort.ErrRows, arrow.ErrInvalid},
		{arrowsort.ErrDictionary, arrow.ErrInvalid}, {arrowsort.ErrOffsets, arrow.ErrInvalid},
		{arrowsort.ErrIndex, arrow.ErrIndex}, {arrowsort.ErrUnsorted, arrow.ErrInvalid},
		{arrowsort.ErrSchema, arrow.ErrType}, {arrowsort.ErrSchema, arrow.ErrInvalid},
	} {
		wrapped := fmt.Errorf("%w: column x", c.err)
		require.ErrorIs(t, wrapped, c.err)
		require.ErrorIs(t, wrapped, c.arrow)
		require.NotErrorIs(t, wrapped, arrow.ErrNotFound)
	}
	require.NotErrorIs(t, arrowsort.ErrNoKeys, arrowsort.ErrColumn)
}

// TestDamagedRunsAreAnError sorts run-end encoded strings whose offsets lead out of their bytes.
func TestDamagedRunsAreAnError(t *testing.T) {
	mem := arrowtest.Checked(t)
	b := array.NewRunEndEncodedBuilder(mem, arrow.PrimitiveTypes.Int16, arrow.BinaryTypes.String)
	defer b.Release()
	for _, text := range []string{"b", "a"} {
		b.Append(3)
		b.ValueBuilder().(*array.StringBuilder).Append(text)
	}
	a := b.NewArray()
	defer a.Release()
	offsets := a.Data().Children()[1].Buffers()[1].Bytes()
	binary.LittleEndian.PutUint32(offsets[8:], 1000)
	_, err := arrowsort.Sort(t.Context(), a, nil, arrowsort.Options{Allocator: mem})
	require.ErrorIs(t, err, arrow.ErrInvalid)
}

// TestTooManyDictionaryEntries sorts chunks of dictionaries that int8 indices cannot number together.
func TestTooManyDictionaryEntries(t *testing.T) {
	mem := arrowtest.Checked(t)
	typ := &arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.PrimitiveTypes.Int32}
	var chunks []arrow.Array
	for c := range 2 {
		b := array.NewDictionaryBuilder(mem, typ).(*array.Int32DictionaryBuilder)
		for i := range 100 {
			require.NoError(t, b.Append(int32(1000*c+i)))
		}
		chunks = append(chunks, b.NewArray())
		b.Release()
	}
	defer releaseAll(chunks)
	_, err := arrowsort.Sort(t.Context(), table(t, []string{"d"}, chunks), []arrowsort.Key{{Path: "d"}},
		arrowsort.Options{Allocator: mem})
	require.ErrorIs(t, err, arrowsort.ErrDictionary)
	require.ErrorIs(t, err, arrow.ErrInvalid)
	require.ErrorContains(
		t, err, "200 different entries, int8 indices number 128; cast the column to a wider index type",
	)
}

// TestNilArguments calls every function with a nil in place of each argument that can be one: ErrOption, or no keys.
func TestNilArguments(t *testing.T) {
	var noContext context.Context
	mem := arrowtest.Checked(t)
	numbers := fromJSON(t, mem, arrow.PrimitiveTypes.Int64, `[1, 2]`)
	rec := record(t, []string{"a", "b"}, numbers, numbers)
	rows := fromJSON(t, mem, arrow.PrimitiveTypes.Int64, `[1]`)
	keys, opts := []arrowsort.Key{{Path: "a"}, {Path: "b"}}, arrowsort.Options{Allocator: mem}
	noKeys := callsOn(rec, rec, rec, rows, nil)
	for name, call := range callsOn(rec, rec, rec, rows, keys) {
		require.NoError(t, released(call(t.Context(), opts)), name)
		require.ErrorIs(t, released(call(noContext, opts)), arrowsort.ErrOption, name)
		if name != "Take" { // it has none
			require.ErrorIs(t, released(noKeys[name](t.Context(), opts)), arrowsort.ErrNoKeys, name)
		}
	}
	for _, none := range []arrowsort.Data{nil, (*arrow.Chunked)(nil), (*array.Int64)(nil), (*array.String)(nil),
		(*array.Data)(nil), (*array.Struct)(nil), (*array.Dictionary)(nil), (*array.RunEndEncoded)(nil)} {
		calls := callsOn(none, none, rec, rows, keys)
		calls["SearchSorted, values"] = callsOn(rec, rec, none, rows, keys)["SearchSorted"]
		for name, call := range calls {
			err := released(call(t.Context(), opts))
			require.ErrorIs(t, err, arrowsort.ErrOption, "%s of %T", name, none)
			require.NotContains(t, err.Error(), "runtime error")
		}
		err := released(arrowsort.Merge(t.Context(), []arrowsort.Data{rec, none}, keys, opts))
		require.ErrorContains(t, err, "input 1")
	}
	for _, none := range []arrow.Array{nil, (*array.Int64)(nil)} {
		require.ErrorIs(t, released(data(arrowsort.Take(t.Context(), rec, none, opts))), arrowsort.ErrOption)
	}
	require.ErrorIs(t, released(data(arrowsort.Merge[arrow.Record](t.Context(), nil, keys, opts))), arrowsort.ErrOption)
	_, err := arrowsort.MergeReaders(noContext, []array.RecordReader{&stream{schema: rec.Schema()}}, keys, opts)
	require.ErrorIs(t, err, arrowsort.ErrOption)
	_, err = arrowsort.MergeReaders(t.Context(), nil, keys, opts)
	require.ErrorIs(t, err, arrowsort.ErrOption)
}
