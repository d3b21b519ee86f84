package rows_test

import (
	"encoding/hex"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/rows"
	"github.com/arrowsort/arrowsort/internal/testrun"
)

// oneRow returns a row of the given bytes, with a byte before and after it in memory that it does not have.
func oneRow(t testing.TB, row []byte) *rows.Rows {
	data := append(append([]byte{0}, row...), 0)
	r, err := rows.NewRows(data, []int64{1, 1 + int64(len(row))})
	require.NoError(t, err)
	return r
}

// TestMalformedRows: each of these is an ErrRow that names key and row.
func TestMalformedRows(t *testing.T) {
	text, i8, boolean := arrow.BinaryTypes.String, arrow.PrimitiveTypes.Int8, arrow.FixedWidthTypes.Boolean
	for _, c := range []struct {
		types []arrow.DataType
		row   string // nulls at the end, ascending
	}{
		{[]arrow.DataType{i8}, ""}, {[]arrow.DataType{i8}, "01"}, {[]arrow.DataType{i8}, "018000"},
		{[]arrow.DataType{i8}, "0080"}, {[]arrow.DataType{i8}, "0280"}, {[]arrow.DataType{i8}, "ff01"},
		{[]arrow.DataType{arrow.Null}, "00"},
		{[]arrow.DataType{boolean}, "03"}, {[]arrow.DataType{boolean}, "00"},
		{[]arrow.DataType{arrow.FixedWidthTypes.Float16}, "0000"},
		{[]arrow.DataType{arrow.FixedWidthTypes.Float16}, "0001"},
		{[]arrow.DataType{arrow.PrimitiveTypes.Float64}, "fffffffffffffffd"},
		{[]arrow.DataType{arrow.PrimitiveTypes.Float64}, "000fffffffffffff"},
		{[]arrow.DataType{&arrow.FixedSizeBinaryType{ByteWidth: 1}}, "0001"},
		{[]arrow.DataType{&arrow.FixedSizeBinaryType{ByteWidth: 1}}, "ff01"},
		{[]arrow.DataType{&arrow.Decimal128Type{Precision: 9}}, "ff" + strings.Repeat("00", 15) + "01"},
		{[]arrow.DataType{text}, ""}, {[]arrow.DataType{text}, "01"}, {[]arrow.DataType{text}, "0161"},
		{[]arrow.DataType{text}, "016101"}, {[]arrow.DataType{text}, "01610100"},
		{[]arrow.DataType{text}, "0161010300"},
		{[]arrow.DataType{text}, "01610000"}, {[]arrow.DataType{text}, "00"}, {[]arrow.DataType{text}, "ff00"},
		{[]arrow.DataType{text}, "0161616161616161616161616161616161"}, // 16 letters, no terminator
		{[]arrow.DataType{text, i8}, "0161000180ff"}, {[]arrow.DataType{text, i8}, "01610001"},
		{[]arrow.DataType{i8, text}, "01"}, {[]arrow.DataType{i8, text}, "0180"},
		{[]arrow.DataType{i8, text}, "02800100"}, {[]arrow.DataType{arrow.Null, text}, "010000"},
	} {
		fields := make([]rows.Field, len(c.types))
		for i, typ := range c.types {
			fields[i] = rows.Field{Name: "k", Type: typ}
		}
		converter := newConverter(t, fields...)
		row, err := hex.DecodeString(c.row)
		require.NoError(t, err)
		_, err = converter.Decode(t.Context(), oneRow(t, row), rows.Options{Allocator: arrowtest.Checked(t)})
		require.ErrorIs(t, err, rows.ErrRow, "%v %s", c.types, c.row)
		require.ErrorIs(t, err, arrow.ErrInvalid)
		require.ErrorContains(t, err, "row 0 ", "%v %s", c.types, c.row)
	}
}

// TestMalformedRowIsNamed has one bad row among many.
func TestMalformedRowIsNamed(t *testing.T) {
	const n, bad = 20_000, 12_345
	converter := newConverter(t, rows.Field{Type: arrow.PrimitiveTypes.Int8},
		rows.Field{Name: "key", Type: arrow.BinaryTypes.String})
	var data []byte
	offsets := []int64{0}
	for i := range n {
		row := "\x01\x80\x01abc\x00"
		if i == bad {
			row = "\x01\x80\x01ab\x01\x00"
		}
		data = append(data, row...)
		offsets = append(offsets, int64(len(data)))
	}
	encoded, err := rows.NewRows(data, offsets)
	require.NoError(t, err)
	_, err = converter.Decode(t.Context(), encoded, rows.Options{Allocator: arrowtest.Checked(t), Threads: 3})
	require.EqualError(t, err, "arrowsort/rows: malformed row: invalid: row 12345 does not have the bytes of key key "+
		"of type utf8 in its place")
}

// TestMalformedRowNamesItsKey damages one key of several, also where a later one is read earlier.
func TestMalformedRowNamesItsKey(t *testing.T) {
	i8, text := arrow.PrimitiveTypes.Int8, arrow.BinaryTypes.String
	for _, c := range []struct {
		types []arrow.DataType
		row   string // without damage: 0180 of an int8, 016100 of a string
		text  string
	}{
		{[]arrow.DataType{i8, text}, "01", "key a"}, {[]arrow.DataType{i8, text}, "0280016100", "key a"},
		{[]arrow.DataType{i8, text}, "0280026100", "key a"}, {[]arrow.DataType{i8, text}, "0180026100", "key b"},
		{[]arrow.DataType{i8, text}, "0180", "key b"},
		{[]arrow.DataType{text, i8, text}, "01610002800161", "key b"},
		{[]arrow.DataType{text, i8, text}, "0161000280026100", "key b"},
		{[]arrow.DataType{text, i8, text}, "01610001", "key b"},
		{[]arrow.DataType{text, i8, text}, "016100", "key b"},
		{[]arrow.DataType{i8, i8}, "0180", "key b"}, {[]arrow.DataType{i8, i8}, "01800580", "key b"},
		{[]arrow.DataType{i8, i8}, "0180018001", "1 bytes after the 4 of its keys"},
		{[]arrow.DataType{text, i8}, "0161000180ffff", "2 bytes after the 5 of its keys"},
		{[]arrow.DataType{arrow.PrimitiveTypes.Float32, &arrow.FixedSizeBinaryType{ByteWidth: 1}, text},
			"bf800000" + "0261" + "02", "key b"},
	} {
		fields := make([]rows.Field, len(c.types))
		for i, typ := range c.types {
			fields[i] = rows.Field{Name: string(rune('a' + i)), Type: typ}
		}
		converter := newConverter(t, fields...)
		row, err := hex.DecodeString(c.row)
		require.NoError(t, err)
		_, err = converter.Decode(t.Context(), oneRow(t, row), rows.Options{Allocator: arrowtest.Checked(t)})
		require.ErrorIs(t, err, rows.ErrRow)
		require.ErrorContains(t, err, c.text, "%v %s", c.types, c.row)
	}
}

// TestChangedRows changes, cuts and extends encoded rows of every type: whatever decodes has just these bytes.
func TestChangedRows(t *testing.T) {
	mem := arrowtest.Checked(t)
	changes := 300
	if !testrun.Long() {
		changes = 30
	}
	for i, typ := range keyTypes() {
		rng := rand.New(rand.NewPCG(uint64(i), 7))
		a := random(rng, typ, 40, 0.2, mem)
		mode := modes[i%4]
		converter := newConverter(t, rows.Field{Type: typ, Order: mode.Order, Nulls: mode.Nulls})
		encoded, err := converter.Encode(t.Context(), a, rows.Options{Allocator: mem})
		require.NoError(t, err)
		for range changes {
			row := append([]byte{}, encoded.Row(rng.IntN(40))...)
			switch at := rng.IntN(len(row) + 1); rng.IntN(3) {
			case 0:
				row = row[:at]
			case 1:
				row = append(row[:at:at], append([]byte{byte(rng.IntN(3))}, row[at:]...)...)
			default:
				if at < len(row) {
					row[at] = []byte{0, 1, 2, 0xfe, 0xff, byte(rng.Uint32())}[rng.IntN(6)]
				}
			}
			requireCanonical(t, converter, row, mode)
		}
		encoded.Release()
		a.Release()
	}
}
