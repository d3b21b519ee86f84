package arrowsort_test

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
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
	mem := checked(t)
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
	mem := checked(t)
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
