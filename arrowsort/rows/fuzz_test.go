package rows_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/model"
	"github.com/arrowsort/arrowsort/arrowsort/rows"
)

// requireCanonical decodes a row: either it is malformed, or its values have just these bytes.
func requireCanonical(t *testing.T, converter *rows.Converter, row []byte, mode arrowsort.Key) {
	mem := arrowtest.Checked(t)
	decoded, err := converter.Decode(t.Context(), oneRow(t, row), rows.Options{Allocator: mem, Threads: 1})
	if err != nil {
		require.ErrorIs(t, err, rows.ErrRow)
		return
	}
	defer decoded.Release()
	var fields []rows.Field
	for _, f := range converter.Schema().Fields() {
		fields = append(fields, rows.Field{Type: f.Type, Order: mode.Order, Nulls: mode.Nulls})
	}
	again := newConverter(t, fields...)
	encoded, err := again.AppendRow(nil, decoded, 0)
	require.NoError(t, err)
	require.True(t, bytes.Equal(row, encoded), "% x became % x", row, encoded)
}

// FuzzDecode decodes arbitrary bytes as rows of three keys. Each is malformed, or the bytes of what it decodes to.
func FuzzDecode(f *testing.F) {
	types := keyTypes()
	f.Add(byte(0), byte(0), byte(0), []byte{})
	for i, typ := range types {
		rng := rand.New(rand.NewPCG(uint64(i), 3))
		a := random(rng, typ, 1, 0.2, arrowtest.Checked(f))
		rec := recordOf(a, a, a)
		mode := modes[i%4]
		field := rows.Field{Type: typ, Order: mode.Order, Nulls: mode.Nulls}
		converter, err := rows.NewConverter(field, field, field)
		require.NoError(f, err)
		row, err := converter.AppendRow(nil, rec, 0)
		require.NoError(f, err)
		f.Add(byte(i), byte(i), byte(i%4), row)
		rec.Release()
		a.Release()
	}
	f.Fuzz(func(t *testing.T, first, second, order byte, row []byte) {
		mode := modes[order%4]
		var fields []rows.Field
		for _, i := range []byte{first, second, first} {
			typ := types[int(i)%len(types)]
			fields = append(fields, rows.Field{Type: typ, Order: mode.Order, Nulls: mode.Nulls})
		}
		converter := newConverter(t, fields...)
		requireCanonical(t, converter, row, mode)
	})
}

// FuzzOrder compares the bytes of two keys of random rows with the model.
func FuzzOrder(f *testing.F) {
	f.Add(uint64(1), byte(0), byte(0), byte(40))
	f.Add(uint64(2), byte(20), byte(3), byte(1))
	types := keyTypes()
	f.Fuzz(func(t *testing.T, seed uint64, typ, order, n byte) {
		mem := arrowtest.Checked(t)
		rng := rand.New(rand.NewPCG(seed, 8))
		c := dataCase{rows: int(n % 50)}
		for range 2 {
			c.add(random(rng, types[int(typ)%len(types)], c.rows, 0.2, mem))
			typ += 7
		}
		defer c.release()
		c.by(modes[order%4], 1)
		c.by(modes[order/4%4], 0)
		c.check(t, mem, 1)
	})
}

// FuzzText compares the bytes of two strings with the strings, whatever follows them.
func FuzzText(f *testing.F) {
	f.Add([]byte("a"), []byte("a\x00"), []byte("\xff"), false)
	f.Add([]byte("\x01\x01"), []byte("\x01"), []byte{0}, true)
	f.Fuzz(func(t *testing.T, x, y, after []byte, descending bool) {
		mode := modes[0]
		if descending {
			mode = modes[2]
		}
		converter := newConverter(t, rows.Field{Type: arrow.BinaryTypes.Binary, Order: mode.Order})
		a := binaryOf(x, y)
		defer a.Release()
		first, err := converter.AppendRow(nil, a, 0)
		require.NoError(t, err)
		second, err := converter.AppendRow(nil, a, 1)
		require.NoError(t, err)
		columns := []model.Column{{Type: a.DataType(), Chunks: []arrow.Array{a}}}
		want := model.NewOrder(columns, []model.Key{{Descending: descending}}).Compare(0, 1)
		requireOrder(t, want, 0, 1, first, second, "text")
		if want != 0 { // prefix-free: what follows has no influence
			requireOrder(t, want, 0, 1, append(first, after...), second, "followed by other bytes")
		}
		requireCanonical(t, converter, second, mode)
	})
}
