package keyfunction

import (
	"encoding/binary"
	"math"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/keyencode"
)

// TestTextOfFunctions reads each function as it is typed, and writes it in the same way.
func TestTextOfFunctions(t *testing.T) {
	for text, want := range map[string]struct {
		function Function
		column   string
		written  string // empty: text
	}{
		"lower(name)":              {Lower, "name", ""},
		"LOWER(first name)":        {Lower, "first name", "lower(first name)"},
		"length(a.b)":              {Length, "a.b", ""},
		"abs(#2)":                  {Abs, "#2", ""},
		"year(f(x))":               {Year, "f(x)", ""},
		"x % 16":                   {Modulo(16), "x", ""},
		"x%16":                     {Modulo(16), "x", "x % 16"},
		"a % 2 % 16":               {Modulo(16), "a % 2", ""},
		"hash(id)":                 {Hash(0), "id", ""},
		"hash(id, 7)":              {Hash(7), "id", ""},
		"hash(a, 7, 0)":            {Hash(0), "a, 7", ""},
		"hash(a, -7, 0)":           {Hash(0), "a, -7", ""},
		"Random( 42 )":             {Random(42), "", "random(42)"},
		"random(0)":                {Random(0), "", ""},
		"lower()":                  {None, "lower()", ""},
		"lower":                    {None, "lower", ""},
		"upper(name)":              {None, "upper(name)", ""},
		"x % y":                    {None, "x % y", ""},
		"% 16":                     {None, "% 16", ""},
		"a.lower(name)":            {None, "a.lower(name)", ""},
		"random(a)":                {"random a", "", ""},
		"x % 99999999999999999999": {"% 99999999999999999999", "x", ""},
	} {
		f, column, found := Parse(text)
		require.Equal(t, want.function != None, found, text)
		if resolved, err := f.Resolve(); err == nil {
			f = resolved
		}
		require.Equal(t, want.function, f, text)
		require.Equal(t, want.column, column, text)
		if want.written == "" {
			want.written = text
		}
		require.Equal(t, want.written, f.Of(column))
	}
}

// TestResolve accepts functions in their text, and names what is wrong with others.
func TestResolve(t *testing.T) {
	for text, want := range map[Function]Function{"": None, "lower": Lower, "length": Length, "abs": Abs, "year": Year,
		"% 016": Modulo(16), "hash": Hash(0), "hash 0": Hash(0), "hash 18446744073709551615": Hash(math.MaxUint64),
		"random 007": Random(7)} {
		f, err := text.Resolve()
		require.NoError(t, err)
		require.Equal(t, want, f)
		require.Equal(t, want == Random(7), f.IsRandom())
	}
	for text, want := range map[Function]string{
		"% 0":                       "the function % 0: give a number from 1 to 9223372036854775807",
		"% -1":                      "the function % -1: give a number from 1",
		"% 9223372036854775808":     "give a number from 1",
		"hash x":                    `the function hash: the seed "x" is no number from 0 to 18446744073709551615`,
		"hash 18446744073709551616": "the function hash",
		"random ":                   `the function random: the seed "" is no number`,
		"random":                    `unknown function "random"; there are lower, length, abs, year, hash, "% N"`,
		"lower 1":                   `unknown function "lower 1"`,
		"upper":                     `unknown function "upper"`,
		"%":                         `unknown function "%"`,
	} {
		_, err := text.Resolve()
		require.ErrorContains(t, err, want, text)
	}
}

// TestXXH64 compares hashes with the values that the author of XXH64 publishes in its test program.
func TestXXH64(t *testing.T) {
	const prime32 = 2654435761
	require.Equal(t, uint64(0xEF46DB3751D8E999), xxhash64(0, nil))
	require.Equal(t, uint64(0xAC75FDA2929B17EF), xxhash64(prime32, nil))
	require.Equal(t, uint64(0x44BC2CF5AD770999), xxhash64(0, []byte("abc")))
	words := make([]uint64, 3)
	RandomWords(Random(42), words, 5)
	for i, word := range words {
		require.Equal(t, xxhash64(42, binary.LittleEndian.AppendUint64(nil, uint64(5+i))), word)
	}
}

// TestYears compares years at borders, in zones and at the extremes of every type.
func TestYears(t *testing.T) {
	zoned := func(unit arrow.TimeUnit, zone string) arrow.DataType {
		return &arrow.TimestampType{Unit: unit, TimeZone: zone}
	}
	at := func(year int, month time.Month, day, hour int) int64 {
		return time.Date(year, month, day, hour, 0, 0, 0, time.UTC).Unix()
	}
	for _, c := range []struct {
		typ   arrow.DataType
		value int64
		year  int64
	}{
		{arrow.FixedWidthTypes.Date32, 0, 1970},
		{arrow.FixedWidthTypes.Date32, -1, 1969},
		{arrow.FixedWidthTypes.Date32, at(2000, 2, 29, 0) / 86400, 2000},
		{arrow.FixedWidthTypes.Date32, at(2000, 12, 31, 0) / 86400, 2000},
		{arrow.FixedWidthTypes.Date32, at(1900, 3, 1, 0) / 86400, 1900},
		{arrow.FixedWidthTypes.Date32, at(1, 1, 1, 0) / 86400, 1},
		{arrow.FixedWidthTypes.Date32, at(1, 1, 1, 0)/86400 - 1, 0},
		{arrow.FixedWidthTypes.Date32, math.MinInt32, -5_877_641},
		{arrow.FixedWidthTypes.Date32, math.MaxInt32, 5_881_580},
		{arrow.FixedWidthTypes.Date64, -1, 1969},
		{zoned(arrow.Second, ""), math.MaxInt64, 292_277_026_596},
		{zoned(arrow.Second, ""), math.MinInt64, -292_277_022_657},
		{zoned(arrow.Second, "+23:59"), math.MaxInt64, 292_277_026_596},
		{zoned(arrow.Second, "Asia/Tokyo"), math.MinInt64, -292_277_022_657},
		{zoned(arrow.Nanosecond, ""), math.MinInt64, 1677},
		{zoned(arrow.Nanosecond, "UTC"), math.MaxInt64, 2262},
		{zoned(arrow.Millisecond, "Asia/Tokyo"), 1000 * at(2020, 12, 31, 15), 2021},
		{zoned(arrow.Millisecond, "Asia/Tokyo"), 1000*at(2020, 12, 31, 15) - 1, 2020},
		{zoned(arrow.Microsecond, "-05:00"), 1_000_000 * at(2021, 1, 1, 4), 2020},
		{zoned(arrow.Microsecond, "America/New_York"), 1_000_000 * at(2021, 1, 1, 5), 2021},
	} {
		require.Equal(t, uint64(c.year), yearsOf(c.typ)(c.value), "%s %d", c.typ, c.value)
	}
	for day := at(-401, 1, 1, 0) / 86400; day < at(401, 1, 1, 0)/86400; day++ {
		require.Equal(t, int64(time.Unix(day*86400, 0).UTC().Year()), yearOfDay(day))
	}
	_, err := Result(Year, zoned(arrow.Second, "Mars/Olympus"))
	require.EqualError(t, err,
		"year of type timestamp[s, tz=Mars/Olympus]: could not find timezone location for 'Mars/Olympus'")
}

// TestCanonicalFloats: float16 and float32 have the bits of a float64 of their value; zeros and NaNs have one each.
func TestCanonicalFloats(t *testing.T) {
	for bits, want := range map[uint16]float64{0x3c00: 1, 0xc000: -2, 0x0001: math.Ldexp(1, -24), 0x8000: 0,
		0x83ff: -math.Ldexp(1023, -24), 0x7bff: 65504, 0x7c00: math.Inf(1), 0xfc00: math.Inf(-1)} {
		require.Equal(t, math.Float64bits(want), canonical(uint64(bits), keyencode.Float16), "%x", bits)
	}
	for _, nan := range []uint64{0x7e00, 0xfe01, 0x7c01} {
		require.Equal(t, uint64(0x7ff8_0000_0000_0000), canonical(nan, keyencode.Float16))
	}
	require.Equal(t, math.Float64bits(0.5), canonical(uint64(math.Float32bits(0.5)), keyencode.Float32))
	require.Zero(t, canonical(1<<31, keyencode.Float32))
	require.Zero(t, canonical(1<<63, keyencode.Float64))
}
