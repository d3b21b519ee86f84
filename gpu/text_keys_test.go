//go:build cuda && linux && amd64

package gpu

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/kernels"
	"github.com/arrowsort/arrowsort/keyencode"
)

// Strings by what their rounds find: common bytes of all, of groups, strings that begin others, equal ones.
var textShapes = []struct {
	name string
	make func(r *rand.Rand) string
}{
	{"random bytes", func(r *rand.Rand) string {
		return string(binary.BigEndian.AppendUint64(nil, r.Uint64()))[r.IntN(8):]
	}},
	{"zero bytes", func(r *rand.Rand) string { return strings.Repeat("\x00", r.IntN(20)) }},
	{"addresses", func(r *rand.Rand) string {
		return fmt.Sprintf("https://www.host%03d.example/articles/%d", r.IntN(300), r.IntN(1000))
	}},
	{"strings that begin others", func(r *rand.Rand) string { return strings.Repeat("ab", r.IntN(40)) }},
	{"groups of long strings", func(r *rand.Rand) string {
		group := r.IntN(5)
		return strings.Repeat(string(rune('a'+group)), 100*group) + string(rune('a'+r.IntN(3)))
	}},
	{"few", func(r *rand.Rand) string {
		return []string{"", "delivered", "deliveries", "returned to the sender"}[r.IntN(4)]
	}},
	{"one", func(*rand.Rand) string { return "always the same, and long" }},
	{"nulls", nil},
}

// stringColumn is a column of strings of a kind, nil for null, in two chunks.
func stringColumn(kind keyencode.Kind, values [][]byte) keyencode.Column {
	c := keyencode.Column{Kind: kind}
	if kind == keyencode.FixedSizeBinary {
		c.Width = 30
	}
	half := len(values) / 2
	for _, part := range [][][]byte{values[:half], values[half:]} {
		k := keyencode.Chunk{Rows: len(part), Validity: make([]byte, len(part)/8+1)}
		data := []byte("before")
		switch kind {
		case keyencode.Binary:
			k.Values = binary.LittleEndian.AppendUint32(nil, uint32(len(data)))
		case keyencode.LargeBinary:
			k.Values = binary.LittleEndian.AppendUint64(nil, uint64(len(data)))
		}
		for i, s := range part {
			if s != nil {
				k.Validity[i/8] |= 1 << (i % 8)
			}
			at := len(data)
			data = append(data, s...)
			switch kind {
			case keyencode.Binary:
				k.Values = binary.LittleEndian.AppendUint32(k.Values, uint32(len(data)))
			case keyencode.LargeBinary:
				k.Values = binary.LittleEndian.AppendUint64(k.Values, uint64(len(data)))
			case keyencode.FixedSizeBinary:
				k.Values = append(k.Values, append(slices.Clone(s), make([]byte, c.Width-len(s))...)...)
			default:
				k.Values = append(k.Values, viewOf(s, at)...)
			}
		}
		k.Data = [][]byte{data}
		c.Chunks = append(c.Chunks, k)
	}
	return c
}

// viewOf is the view of a string, which also lies at a place of the first buffer.
func viewOf(s []byte, at int) []byte {
	view := binary.LittleEndian.AppendUint32(nil, uint32(len(s)))
	if len(s) <= buffers.InlineView {
		return append(append(view, s...), make([]byte, buffers.InlineView-len(s))...)
	}
	view = binary.LittleEndian.AppendUint32(append(view, s[:4]...), 0)
	return binary.LittleEndian.AppendUint32(view, uint32(at))
}

// TestTextKeys sorts by strings of every kind and shape, alone and between keys of numbers, all rows and the first.
func TestTextKeys(t *testing.T) {
	e := openForTest(t)
	e.tuning.SelectRows = 1
	for seed, shape := range textShapes {
		for _, kind := range []keyencode.Kind{
			keyencode.Binary, keyencode.LargeBinary, keyencode.BinaryView, keyencode.FixedSizeBinary,
		} {
			r := rand.New(rand.NewPCG(uint64(seed), uint64(kind)))
			for _, rows := range []int{1, 2, 100, 5000} {
				testTextKeys(t, e, r, shape.name, kind, rows, shape.make)
			}
		}
	}
}

func testTextKeys(t *testing.T, e *Engine, r *rand.Rand, shape string, kind keyencode.Kind, rows int,
	make func(*rand.Rand) string) {
	strings, numbers := [][]byte{}, []byte{}
	for range rows {
		var s []byte
		if make != nil {
			s = []byte(make(r))
		}
		if kind == keyencode.FixedSizeBinary {
			s = append(s, bytes.Repeat([]byte{0}, 30)...)[:30]
		}
		if make == nil || r.IntN(9) == 0 {
			s = nil
		}
		strings, numbers = append(strings, s), append(numbers, byte(r.IntN(3)))
	}
	job := &engine.Job{Rows: rows, RowNumbers: 4, Gather: []int{0}, Columns: []keyencode.Column{
		stringColumn(kind, strings),
		{Kind: keyencode.Uint8, Chunks: []keyencode.Chunk{{Rows: rows, Values: numbers}}},
	}}
	for _, keys := range [][]int{{0}, {1, 0}, {0, 1}, {1, 0, 1}, {0, 0}} {
		for mode := range 4 {
			job.Keys, job.Plan = nil, mode == 3
			for _, at := range keys {
				job.Keys = append(job.Keys, keyencode.Key{Column: at, Order: keyencode.Order(mode % 2),
					Nulls: keyencode.NullPlacement(mode / 2)})
			}
			want := slices.Collect(func(yield func(uint32) bool) {
				for i := range rows {
					if !yield(uint32(i)) {
						return
					}
				}
			})
			slices.SortStableFunc(want, func(a, b uint32) int { return compareRows(job.Keys, strings, numbers, a, b) })
			for _, job.Limit = range []int{0, max(1, rows/10)} {
				result, err := e.Sort(t.Context(), job, goMemory{})
				require.NoError(t, err)
				require.Equal(t, want[:job.Out()], buffers.View[uint32](result.RowNumbers),
					"%s, kind %d, %d rows, keys %v, mode %d, limit %d", shape, kind, rows, keys, mode, job.Limit)
			}
		}
	}
}

// TestManyGroupsOfText has pairs of strings that tie in their first bytes: codes have few bytes beside their groups.
func TestManyGroupsOfText(t *testing.T) {
	e := openForTest(t)
	const rows = 300_000
	strings := make([][]byte, rows)
	want := make([]uint32, rows)
	for i := range strings { // 149,999 pairs, the second one first
		pair := (rows - 1 - i) / 2
		strings[i] = fmt.Appendf(nil, "%07d, the same until %d", pair, i%2)
		want[2*pair+i%2] = uint32(i)
	}
	job := &engine.Job{Rows: rows, RowNumbers: 4, Keys: []keyencode.Key{{}},
		Columns: []keyencode.Column{stringColumn(keyencode.LargeBinary, strings)}}
	result, err := e.Sort(t.Context(), job, goMemory{})
	require.NoError(t, err)
	require.Equal(t, want, buffers.View[uint32](result.RowNumbers))
}

// TestRoundsOfText counts the rounds for groups of strings, each of which skips the bytes that it has in common: few to
// 10,000, and more than one launch compares.
func TestRoundsOfText(t *testing.T) {
	e := openForTest(t)
	var strings [][]byte
	for i := range 1000 {
		group := i % 100
		common := bytes.Repeat([]byte{'x'}, 101*group)
		strings = append(strings, fmt.Appendf(nil, "%02d:%s%d", group, common, mix(uint64(i))%20))
	}
	testRounds(t, e, strings, 2)
	long := bytes.Repeat([]byte{'y'}, 3*kernels.TextPiece)
	strings = append(strings, fmt.Appendf(nil, "%sb", long), fmt.Appendf(nil, "%sa", long), long)
	testRounds(t, e, strings, 4) // three pieces
}

// testRounds sorts strings in a number of rounds.
func testRounds(t *testing.T, e *Engine, strings [][]byte, rounds int) {
	job := &engine.Job{Rows: len(strings), RowNumbers: 4, Keys: []keyencode.Key{{}},
		Columns: []keyencode.Column{stringColumn(keyencode.LargeBinary, strings)}}
	want := make([]uint32, len(strings))
	for i := range want {
		want[i] = uint32(i)
	}
	slices.SortStableFunc(want, func(a, b uint32) int { return bytes.Compare(strings[a], strings[b]) })
	launched := launches(e)
	result, err := e.Sort(t.Context(), job, goMemory{})
	require.NoError(t, err)
	require.Equal(t, want, buffers.View[uint32](result.RowNumbers))
	require.Equal(t, rounds, launched["text_codes"])
}

// TestStringsOfFewRows sorts by strings and gathers few of them, which the host does: the device has as much memory in
// use as if they were not gathered, when it reads the strings and when it gathers another key.
func TestStringsOfFewRows(t *testing.T) {
	const rows, few = 20_000, 50
	var strings [][]byte
	for i := range rows {
		strings = append(strings, fmt.Appendf(nil, "a string of number %d", mix(uint64(i))%rows))
	}
	numbers := keyencode.Column{Kind: keyencode.Uint64, Chunks: []keyencode.Chunk{
		{Rows: rows, Values: make([]byte, 8*rows)}}}
	for _, kind := range []keyencode.Kind{keyencode.Binary, keyencode.BinaryView} {
		job := &engine.Job{Rows: rows, Keys: []keyencode.Key{{}, {Column: 1}},
			Columns: []keyencode.Column{stringColumn(kind, strings), numbers}}
		sort := func(limit int, gather ...int) (*engine.Result, map[string]int) {
			e, used := openForTest(t), map[string]int{}
			s := <-e.turn
			s.OnLaunch = func(kernel string) { used[kernel] = s.Pool.Used }
			e.turn <- s
			job.Limit, job.Gather = limit, gather
			result, err := e.Sort(t.Context(), job, goMemory{})
			require.NoError(t, err)
			return result, used
		}
		all, _ := sort(0, 1, 0)
		want, without := sort(few, 1)
		got, with := sort(few, 1, 0)
		require.Equal(t, want.Columns[0], got.Columns[0])
		require.Equal(t, all.Columns[1].Values[:len(got.Columns[1].Values)], got.Columns[1].Values)
		for _, kernel := range []string{"text_common", "gather_8"} {
			require.Equal(t, without[kernel], with[kernel], "kind %d, %s", kind, kernel)
		}
	}
}

// compareRows orders two rows by keys that are strings, column 0, or numbers.
func compareRows(keys []keyencode.Key, strings [][]byte, numbers []byte, a, b uint32) int {
	for _, key := range keys {
		order := 1 - 2*int(key.Order)
		if key.Column == 1 {
			if c := cmp.Compare(numbers[a], numbers[b]); c != 0 {
				return c * order
			}
			continue
		}
		x, y := strings[a], strings[b]
		switch null := 1 - 2*int(key.Nulls); {
		case x == nil && y == nil:
		case x == nil:
			return null
		case y == nil:
			return -null
		default:
			if c := bytes.Compare(x, y); c != 0 {
				return c * order
			}
		}
	}
	return 0
}
