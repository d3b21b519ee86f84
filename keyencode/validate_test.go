package keyencode

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestValidateAcceptsColumns(t *testing.T) {
	for _, kind := range allKinds {
		for seed := range uint64(30) {
			rng := rand.New(rand.NewPCG(seed, uint64(kind)))
			fixed := fixedWidths[rng.IntN(len(fixedWidths))]
			c := build(
				rng, kind, fixed, rng.IntN(70), []int{rng.IntN(30), 0}, randomCells(rng, kind, fixed, rng.IntN(90)),
			)
			require.NoError(t, ValidateKey(&c), "kind %d, width %d, seed %d", kind, fixed, seed)
		}
	}
}

func TestValidateRejects(t *testing.T) {
	offsets := func(o ...uint32) (b []byte) {
		for _, x := range o {
			b = binary.LittleEndian.AppendUint32(b, x)
		}
		return b
	}
	view := func(n, buffer, offset uint32) []byte { return offsets(n, 0, buffer, offset) }
	data := [][]byte{make([]byte, 20)}
	for name, c := range map[string]struct {
		column Column
		want   string
	}{
		"negative rows":   {Column{Int8, 0, []Chunk{{Rows: -1}}}, "chunk 0: -1 rows"},
		"negative offset": {Column{Int8, 0, []Chunk{{Rows: 1, Offset: -1, Values: make([]byte, 9)}}}, "offset -1"},
		"overflowing offset": {Column{Int8, 0, []Chunk{{Rows: 2, Offset: math.MaxInt - 1, Values: make([]byte, 9)}}},
			"2 rows"},
		"short values": {Column{Int64, 0, []Chunk{{}, {Rows: 2, Offset: 1, Values: make([]byte, 23)}}},
			"chunk 1: values of 23 bytes"},
		"huge offset": {Column{Int64, 0, []Chunk{{Rows: 1, Offset: math.MaxInt/8 + 1, Values: make([]byte,
			16)}}}, "values of 16 bytes"},
		"too many rows": {Column{Null, 0, []Chunk{{Rows: math.MaxInt - 1}, {Rows: 2}}}, "chunk 1: more than"},
		"short bits":    {Column{Bool, 0, []Chunk{{Rows: 9, Values: make([]byte, 1)}}}, "values of 1 bytes"},
		"short validity": {Column{Int8, 0, []Chunk{{Rows: 2, Offset: 7, Validity: make([]byte, 1),
			Values: make([]byte, 9)}}}, "validity of 1 bytes"},
		"negative width": {Column{FixedSizeBinary, -3, nil}, "-3 bytes"},
		"missing last offset": {Column{Binary, 0, []Chunk{{Rows: 1, Values: offsets(0), Data: data}}},
			"values of 4 bytes"},
		"no offsets": {Column{Binary, 0, []Chunk{{Rows: 1, Data: data}}}, "values of 0 bytes"},
		"falling offsets": {Column{Binary, 0, []Chunk{{Rows: 3, Values: offsets(0, 5, 4, 6), Data: data}}},
			"row 1: offsets fall from 5 to 4"},
		"offset after data": {Column{Binary, 0, []Chunk{{Rows: 1, Values: offsets(0, 21), Data: data}}},
			"row 0: offset 21 in 20 bytes"},
		"no bytes after data": {Column{Binary, 0, []Chunk{{Rows: 2, Values: offsets(29, 29, 30), Data: data}}},
			"row 1: offset 30 in 20 bytes"},
		"no data": {Column{Binary, 0, []Chunk{{Rows: 1, Values: offsets(0, 1)}}}, "offset 1 in 0 bytes"},
		"negative offsets": {Column{Binary, 0, []Chunk{{Rows: 1, Values: offsets(1<<31, 1<<31), Data: data}}},
			"offset 2147483648"},
		"no such buffer": {Column{BinaryView, 0, []Chunk{{Rows: 1, Values: view(13, 1, 0), Data: data}}},
			"row 0: view of 13 bytes"},
		"view after data": {Column{BinaryView, 0, []Chunk{{Rows: 1, Values: view(13, 0, 8), Data: data}}},
			"at 8 of buffer 0"},
		"negative view": {Column{BinaryView, 0, []Chunk{{Rows: 1, Values: view(1<<31, 0, 0), Data: data}}},
			"view of 2147483648"},
		"index out of range": {Column{Dictionary8, 0, []Chunk{{Rows: 2, Values: []byte{1, 2}, Ranks: []uint32{5, 6}}}},
			"row 1: index 2 in a dictionary of 2"},
		"negative index": {Column{Dictionary64, 0, []Chunk{{Rows: 1, Values: offsets(1<<32-1, 1<<32-1),
			Ranks: []uint32{5}}}}, "index 18446744073709551615"},
	} {
		err := Validate(&c.column)
		require.ErrorIs(t, err, ErrColumn, name)
		require.ErrorContains(t, err, c.want, name)
	}
	require.ErrorIs(t, Validate(&Column{Kind: Dictionary64 + 1}), ErrKind)

	unranked := Column{Dictionary8, 0, []Chunk{{Rows: 1, Values: []byte{0}}}}
	require.NoError(t, Validate(&unranked), "a payload has no ranks")
	require.ErrorIs(t, ValidateKey(&unranked), ErrColumn)
	unranked.Chunks[0].Validity = []byte{0}
	require.NoError(t, ValidateKey(&unranked), "an index under a null is not read")
}
