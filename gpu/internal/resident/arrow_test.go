package resident

import (
	"math"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/keyencode"
)

// c is a text as C has it.
func c(s string) *byte { return unsafe.SliceData(append([]byte(s), 0)) }

// A field is a column of a test: its format and name, and its array.
type field struct {
	format, name string
	array        ArrowArray
}

// column has ten rows from row 3 on, of which some may be null.
func column(format, name string) field {
	buffers := []uint64{0x100, 0x2000}
	return field{format, name, ArrowArray{Length: 10, Offset: 3, NullCount: -1, NBuffers: 2, Buffers: &buffers[0],
		Release: 1}}
}

// one makes a field a device array.
func one(f field) (*ArrowDeviceArray, *ArrowSchema) {
	return &ArrowDeviceArray{Array: f.array, DeviceType: arrowDeviceCUDA},
		&ArrowSchema{Format: c(f.format), Name: c(f.name), Release: 1}
}

// table makes fields a device array of a struct, of rows 2 to 5 of these.
func table(fields ...field) (*ArrowDeviceArray, *ArrowSchema) {
	array, schema := one(field{"+s", "",
		ArrowArray{Length: 4, Offset: 2, NBuffers: 1, Buffers: new(uint64), Release: 1}})
	var arrays []*ArrowArray
	var schemas []*ArrowSchema
	for _, f := range fields {
		child, childSchema := one(f)
		arrays, schemas = append(arrays, &child.Array), append(schemas, childSchema)
	}
	array.Array.NChildren, schema.NChildren = int64(len(fields)), int64(len(fields))
	array.Array.Children, schema.Children = unsafe.SliceData(arrays), unsafe.SliceData(schemas)
	return array, schema
}

// TestJobOfEveryFormat: each format is the kind that stores its values, or an error that names it.
func TestJobOfEveryFormat(t *testing.T) {
	wide := func(kind keyencode.Kind, width int) Column { return Column{Kind: kind, Width: width} }
	for format, want := range map[string]Column{
		"b": wide(keyencode.Bool, 0), "c": wide(keyencode.Int8, 0), "C": wide(keyencode.Uint8, 0),
		"s": wide(keyencode.Int16, 0), "S": wide(keyencode.Uint16, 0), "i": wide(keyencode.Int32, 0),
		"I": wide(keyencode.Uint32, 0), "l": wide(keyencode.Int64, 0), "L": wide(keyencode.Uint64, 0),
		"e": wide(keyencode.Float16, 0), "f": wide(keyencode.Float32, 0), "g": wide(keyencode.Float64, 0),
		"tdD": wide(keyencode.Int32, 0), "tdm": wide(keyencode.Int64, 0), "tts": wide(keyencode.Int32, 0),
		"ttm": wide(keyencode.Int32, 0), "ttu": wide(keyencode.Int64, 0), "ttn": wide(keyencode.Int64, 0),
		"tss:": wide(keyencode.Int64, 0), "tsm:UTC": wide(keyencode.Int64, 0), "tsu:": wide(keyencode.Int64, 0),
		"tsn:Europe/Oslo": wide(keyencode.Int64, 0), "tDs": wide(keyencode.Int64, 0), "tDm": wide(keyencode.Int64, 0),
		"tDu": wide(keyencode.Int64, 0), "tDn": wide(keyencode.Int64, 0), "tiM": wide(keyencode.Int32, 0),
		"d:38,2": wide(keyencode.Decimal128, 0), "d:38,2,128": wide(keyencode.Decimal128, 0),
		"d:9,2,32": wide(keyencode.Int32, 0), "d:18,2,64": wide(keyencode.Int64, 0),
		"d:76,-3,256": wide(keyencode.Decimal256, 0), "w:1": wide(keyencode.FixedSizeBinary, 1),
		"w:8": wide(keyencode.FixedSizeBinary, 8), "w:20": wide(keyencode.FixedSizeBinary, 20),
	} {
		array, schema := one(column(format, "x"))
		job, err := JobOf(array, schema, nil)
		require.NoError(t, err, format)
		want.Values, want.Validity, want.Offset = 0x2000, 0x100, 3
		require.Equal(t, []Column{want}, job.Columns, format)
		require.Equal(t, []keyencode.Key{{}}, job.Keys)
		require.Equal(t, 10, job.Rows)
	}
	for _, format := range []string{"", "u", "z", "U", "Z", "vu", "vz", "tiD", "tin", "w:0", "w:x", "w:", "+l",
		"+r", "d:1", "d:1,2,8", "d:1,2,3,4", "ts", "tsx:", "q"} {
		array, schema := one(column(format, "x"))
		_, err := JobOf(array, schema, nil)
		require.ErrorIs(t, err, engine.ErrKind, format)
		require.ErrorContains(t, err, `key 0: `)
		require.ErrorContains(t, err, `format "`+format+`"`)
	}
	array, schema := one(field{"n", "", ArrowArray{Length: 10, Release: 1}})
	job, err := JobOf(array, schema, nil)
	require.NoError(t, err)
	require.Equal(t, []Column{{Kind: keyencode.Null}}, job.Columns)
}

// TestJobOfStruct finds keys by name and by position, and adds the offsets of the struct and of its fields.
func TestJobOfStruct(t *testing.T) {
	number := column("g", "delay")
	number.array.NullCount = 0
	array, schema := table(column("l", "id"), number, column("u", "city"))
	event := uintptr(77)
	array.SyncEvent = &event
	job, err := JobOf(array, schema, []keyencode.Key{{Name: "delay", Order: keyencode.Descending}, {Column: 0}})
	require.NoError(t, err)
	require.Equal(t, &Job{Rows: 4, Event: 77,
		Columns: []Column{{Kind: keyencode.Float64, Values: 0x2000, Offset: 5},
			{Kind: keyencode.Int64, Values: 0x2000, Validity: 0x100, Offset: 5}},
		Keys: []keyencode.Key{{Name: "delay", Order: keyencode.Descending}, {Column: 1}}}, job)
}

// TestTableJobOf gathers every field once, keys or not.
func TestTableJobOf(t *testing.T) {
	array, schema := table(column("l", "id"), column("w:20", "code"), column("g", "delay"))
	job, err := TableJobOf(array, schema, []keyencode.Key{{Name: "delay"}, {Column: 0}})
	require.NoError(t, err)
	require.Equal(t, &Job{Rows: 4, Gather: []int{0, 1, 2},
		Columns: []Column{{Kind: keyencode.Int64, Values: 0x2000, Validity: 0x100, Offset: 5},
			{Kind: keyencode.FixedSizeBinary, Width: 20, Values: 0x2000, Validity: 0x100, Offset: 5},
			{Kind: keyencode.Float64, Values: 0x2000, Validity: 0x100, Offset: 5}},
		Keys: []keyencode.Key{{Name: "delay", Column: 2}, {Column: 0}}}, job)
	array, schema = one(column("l", ""))
	job, err = TableJobOf(array, schema, nil)
	require.NoError(t, err)
	require.Equal(t, &Job{Rows: 10, Gather: []int{0}, Keys: []keyencode.Key{{}},
		Columns: []Column{{Kind: keyencode.Int64, Values: 0x2000, Validity: 0x100, Offset: 3}}}, job)
	require.NoError(t, job.Check(), "without row numbers")

	array, schema = table(column("l", "id"), column("u", "city"))
	_, err = TableJobOf(array, schema, []keyencode.Key{{Column: 0}})
	require.ErrorIs(t, err, engine.ErrKind)
	require.ErrorContains(t, err, `column 1, "city": `)
}

// TestJobOfErrors refuses structures that do not fit together, each by an error that names what.
func TestJobOfErrors(t *testing.T) {
	byName := func(name string) []keyencode.Key { return []keyencode.Key{{Name: name}} }
	for text, c := range map[string]struct {
		spoil func(a *ArrowDeviceArray, s *ArrowSchema)
		keys  []keyencode.Key
		is    error
	}{
		"the array or the schema has been released": {func(a *ArrowDeviceArray, _ *ArrowSchema) { a.Array.Release = 0 },
			byName("a"), ErrDeviceArray},
		"or the schema has been": {func(_ *ArrowDeviceArray, s *ArrowSchema) { s.Release = 0 }, byName("a"),
			ErrDeviceArray},
		"the device type is 1: ": {
			func(a *ArrowDeviceArray, _ *ArrowSchema) { a.DeviceType = 1 },
			byName("a"), ErrDeviceArray},
		"the length is -1, the offset 2": {
			func(a *ArrowDeviceArray, _ *ArrowSchema) { a.Array.Length = -1 },
			byName("a"), ErrDeviceArray},
		"the array has 1 fields, the sch": {
			func(a *ArrowDeviceArray, _ *ArrowSchema) { a.Array.NChildren = 1 },
			byName("a"), ErrDeviceArray},
		"rows of the struct may be null": {
			func(a *ArrowDeviceArray, _ *ArrowSchema) { a.Array.NullCount, *a.Array.Buffers = -1, 8 },
			byName("a"), ErrDeviceArray},
		`key "x": keyencode: invalid`:   {nil, byName("x"), keyencode.ErrColumn},
		`the struct has 3 fields, none`: {nil, []keyencode.Key{{Column: 3}}, keyencode.ErrColumn},
		`none of this name or position`: {nil, []keyencode.Key{{Column: -1}}, keyencode.ErrColumn},
		"fields 1 and 2 have this name": {nil, byName("b"), keyencode.ErrColumn},
		`format "l" with 3 buffers`: {
			func(a *ArrowDeviceArray, _ *ArrowSchema) { (*a.Array.Children).NBuffers = 3 },
			byName("a"), ErrDeviceArray},
		"length 5 and offset 3, of which ": {
			func(a *ArrowDeviceArray, _ *ArrowSchema) { (*a.Array.Children).Length = 5 },
			byName("a"), ErrDeviceArray},
		`key "a": engine: unsupported ki`: {
			func(_ *ArrowDeviceArray, s *ArrowSchema) { (*s.Children).Dictionary = s },
			byName("a"), engine.ErrKind},
	} {
		array, schema := table(column("l", "a"), column("l", "b"), column("l", "b"))
		if c.spoil != nil {
			c.spoil(array, schema)
		}
		_, err := JobOf(array, schema, c.keys)
		require.ErrorIs(t, err, c.is, text)
		require.ErrorContains(t, err, text)
	}
	_, err := JobOf(nil, nil, nil)
	require.ErrorContains(t, err, "the array or the schema is NULL")
	array, schema := one(column("l", "a"))
	_, err = JobOf(array, schema, byName("a"))
	require.ErrorContains(t, err, "the array is a column, not a struct")
	array, schema = table(column("l", "a"))
	job, err := JobOf(array, schema, nil)
	require.NoError(t, err)
	require.Empty(t, job.Keys, "rows in their order")
}

// TestLengthOfAField refuses a field that has fewer rows than the struct, or a length that is none.
func TestLengthOfAField(t *testing.T) {
	for _, length := range []int64{math.MinInt64, -1, 0, 5} {
		f := column("l", "x")
		f.array.Length = length
		array, schema := table(f) // rows 2 to 5
		_, err := TableJobOf(array, schema, nil)
		require.ErrorIs(t, err, ErrDeviceArray, "length %d", length)
	}
}

// TestOffsetBeyondTheField refuses rows that a field does not have, and values that no memory has, where sums and
// products of the offset have more than 63 bits.
func TestOffsetBeyondTheField(t *testing.T) {
	for _, offset := range []int64{7, math.MaxInt64 / 8, math.MaxInt64 - 2, math.MaxInt64} {
		array, schema := table(column("l", "x"))
		array.Array.Offset = offset
		_, err := TableJobOf(array, schema, nil)
		require.ErrorIs(t, err, ErrDeviceArray, "offset %d of the struct", offset)
		if offset > 7 {
			job := Job{Rows: 3, Keys: []keyencode.Key{{}}, RowNumbers: 8,
				Columns: []Column{{Kind: keyencode.Int64, Values: 0x2000, Offset: int(offset)}}}
			require.ErrorIs(t, job.Check(), ErrDeviceArray, "offset %d of a column", offset)
		}
	}
}
