package arrowsort_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arrowtest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/model"
)

// german is a list of names in the order of German, with nulls at the end.
const german = `["Ärger", "arm", "Arm", null, "Öl", "Ölfarbe", "Oma", "Straße", "Strasse", "Z", null]`

// inGerman are the rows of german in that order: ß differs from ss in the third level.
var inGerman = []uint64{0, 1, 2, 4, 5, 6, 8, 7, 9, 3, 10}

// textTypes are the types that a collation orders; package difftest has them in dictionaries and runs, too.
var textTypes = []arrow.DataType{arrow.BinaryTypes.String, arrow.BinaryTypes.LargeString, arrow.BinaryTypes.StringView}

// TestCollation sorts a column of every type of text, as an array, in chunks and sliced.
func TestCollation(t *testing.T) {
	key := arrowsort.Key{Collation: arrowsort.Locale("de", arrowsort.LocaleOptions{})}
	for _, typ := range textTypes {
		mem := arrowtest.Checked(t)
		a := fromJSON(t, mem, typ, german)
		require.Equal(t, inGerman, indices(t, mem, a, []arrowsort.Key{key}), "%s", typ)
		first, last := array.NewSlice(a, 0, 4), array.NewSlice(a, 4, 11)
		require.Equal(t, inGerman, indices(t, mem, chunked(t, typ, first, last), []arrowsort.Key{key}), "%s", typ)
		require.Equal(t, []uint64{0, 1, 2, 4, 3, 5, 6}, indices(t, mem, last, []arrowsort.Key{key}), "%s", typ)
		first.Release()
		last.Release()
		down := key
		down.Order, down.Nulls = arrowsort.Descending, arrowsort.NullsAtStart
		reversed := []uint64{3, 10, 9, 7, 8, 6, 5, 4, 2, 1, 0}
		require.Equal(t, reversed, indices(t, mem, a, []arrowsort.Key{down}), "%s", typ)
	}
}

// TestCollationOfEveryFunction calls each function with a key that has one.
func TestCollationOfEveryFunction(t *testing.T) {
	mem, ctx := arrowtest.Checked(t), t.Context()
	opts := arrowsort.Options{Allocator: mem}
	names := fromJSON(t, mem, arrow.BinaryTypes.String, `["b", "A", "a", "B", "c"]`)
	rec := record(t, []string{"name"}, names)
	keys := []arrowsort.Key{{Path: "name", Collation: arrowsort.FoldCase}}
	sorted, err := arrowsort.Sort(ctx, rec, keys, opts)
	require.NoError(t, err)
	defer sorted.Release()
	require.Equal(t, `["A" "a" "b" "B" "c"]`, sorted.Column(0).String())
	inOrder, row, err := arrowsort.IsSorted(ctx, rec, keys, opts)
	require.NoError(t, err)
	require.False(t, inOrder)
	require.Equal(t, 1, row)
	inOrder, _, err = arrowsort.IsSorted(ctx, sorted, keys, opts)
	require.NoError(t, err)
	require.True(t, inOrder)

	numbers := func(a arrow.Array, err error) string {
		require.NoError(t, err)
		defer a.Release()
		return fmt.Sprint(a)
	}
	require.Equal(t, "[3 1 1 3 5]", numbers(arrowsort.Rank(ctx, rec, keys, arrowsort.TiesMin, opts)))
	require.Equal(t, "[3.5 1.5 1.5 3.5 5]", numbers(arrowsort.RankAverage(ctx, rec, keys, opts)))
	require.Equal(t, "[0 2 4 5]", numbers(arrowsort.Groups(ctx, sorted, keys, opts)))
	require.Equal(t, "[1 2 0]", numbers(arrowsort.SortIndices(ctx, rec, keys, arrowsort.Options{Allocator: mem,
		Limit: 3})))
	require.Equal(t, "[1 3 4]", numbers(arrowsort.SelectKPerGroup(ctx, rec, keys, []arrowsort.Key{{Path: "name"}}, 1,
		opts)))
	nth, err := arrowsort.PartitionNth(ctx, rec, keys, 2, opts)
	require.NoError(t, err)
	require.Equal(t, uint64(0), nth.Value(2))
	nth.Release()
	for _, typ := range textTypes { // values may be stored in another way
		values := fromJSON(t, mem, typ, `["B", "a", "aa", null]`)
		require.Equal(t, "[2 0 2 5]", numbers(arrowsort.SearchSorted(ctx, sorted.Column(0), values,
			[]arrowsort.Key{{Collation: arrowsort.FoldCase}}, arrowsort.Left, opts)))
		require.Equal(t, "[4 2 2 5]", numbers(arrowsort.SearchSorted(ctx, sorted.Column(0), values,
			[]arrowsort.Key{{Collation: arrowsort.FoldCase}}, arrowsort.Right, opts)))
	}
	merged, err := arrowsort.Merge(ctx, []arrow.Record{sorted, sorted}, keys, opts)
	require.NoError(t, err)
	defer merged.Release()
	require.Equal(t, `["A" "a" "A" "a" "b" "B" "b" "B" "c" "c"]`, merged.Column(0).String())
	_, err = arrowsort.Merge(ctx, []arrow.Record{sorted, sorted}, []arrowsort.Key{{Path: "name"}}, opts)
	require.ErrorIs(t, err, arrowsort.ErrUnsorted, "the order of bytes is another one")
	plan, err := arrowsort.Explain(ctx, rec, keys, opts)
	require.NoError(t, err)
	require.Contains(t, plan.String(), "name")
}

// TestKeysOfOneColumn has a column as a key in two orders: they are two keys. Equal ones are one.
func TestKeysOfOneColumn(t *testing.T) {
	mem := arrowtest.Checked(t)
	a := fromJSON(t, mem, arrow.BinaryTypes.String, `["b", "a", "B", "A", "a"]`)
	rec := record(t, []string{"x"}, a)
	by := func(keys ...arrowsort.Key) []uint64 { return indices(t, mem, rec, keys) }
	fold := arrowsort.Key{Path: "x", Collation: arrowsort.FoldCase}
	bytes := arrowsort.Key{Path: "x"}
	down := arrowsort.Key{Path: "x", Collation: arrowsort.FoldCase, Order: arrowsort.Descending}
	require.Equal(t, []uint64{1, 3, 4, 0, 2}, by(fold))
	require.Equal(t, []uint64{3, 1, 4, 2, 0}, by(fold, bytes))
	require.Equal(t, []uint64{3, 2, 1, 4, 0}, by(bytes, fold))
	require.Equal(t, []uint64{1, 3, 4, 0, 2}, by(fold, down), "the first counts")
	require.Equal(t, []uint64{0, 2, 1, 3, 4}, by(down, fold))
	one, again := fold, fold
	one.Collation, again.Collation = "de-u-kn", "DE-u-kn-true"
	plan, err := arrowsort.Explain(t.Context(), rec, []arrowsort.Key{one, again}, arrowsort.Options{Allocator: mem})
	require.NoError(t, err)
	text, err := json.Marshal(plan)
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(text), `"column"`), "one locale, written in two ways: %s", text)
}

// TestCollationThatCannotBe is found before any work: a column that is not text, an unknown locale.
func TestCollationThatCannotBe(t *testing.T) {
	mem := arrowtest.Checked(t)
	pair := arrow.StructOf(arrow.Field{Name: "a", Type: arrow.BinaryTypes.String, Nullable: true}, i32Field("b"))
	words := arrow.StructOf(arrow.Field{Name: "a", Type: arrow.BinaryTypes.String, Nullable: true},
		arrow.Field{Name: "b", Type: arrow.BinaryTypes.LargeString, Nullable: true})
	for _, c := range []struct {
		typ  arrow.DataType
		by   arrowsort.Collation
		want string
	}{
		{arrow.PrimitiveTypes.Int64, "de",
			"key x has type int64, and the collation de orders text"},
		{arrow.BinaryTypes.Binary, "natural",
			"key x has type binary, and the collation natural orders text"},
		{arrow.ListOf(arrow.BinaryTypes.String), "nocase",
			"key x has type list<item: utf8, nullable>, and the collation nocase orders text"},
		{arrow.Null, "nocase", "key x has type null, and the collation nocase orders text"},
		{&arrow.DictionaryType{IndexType: arrow.PrimitiveTypes.Int8, ValueType: arrow.PrimitiveTypes.Int8}, "numeric",
			"and the collation numeric orders text"},
		{pair, "sv", "key x.b has type int32, and the collation sv orders text"},
		{words, "sv", ""},
		{arrow.BinaryTypes.String, "xx", `key x: unknown locale "xx": give the tag`},
		{arrow.BinaryTypes.String, "de-u-co-stroke",
			`key x: unknown locale "de-u-co-stroke": de has co-phonebk`},
		{arrow.BinaryTypes.String, arrowsort.Locale("klingonisch", arrowsort.LocaleOptions{}),
			`key x: unknown locale "klingonisch"`},
	} {
		b := array.NewBuilder(mem, c.typ)
		b.AppendNull()
		a := b.NewArray()
		b.Release()
		rec := record(t, []string{"x"}, a)
		a.Release()
		rows, err := arrowsort.SortIndices(t.Context(), rec, []arrowsort.Key{{Path: "x", Collation: c.by}},
			arrowsort.Options{Allocator: mem})
		if c.want == "" {
			require.NoError(t, err)
			rows.Release()
			continue
		}
		require.ErrorIs(t, err, arrowsort.ErrOption)
		require.ErrorContains(t, err, c.want)
	}
	a := fromJSON(t, mem, arrow.BinaryTypes.String, `["a"]`)
	rec := record(t, []string{"x", "y"}, a, a)
	_, err := arrowsort.CurveIndex(t.Context(), rec, []arrowsort.Key{{Path: "x"}, {Path: "y", Collation: "de"}},
		arrowsort.Hilbert, arrowsort.Options{Allocator: mem})
	require.ErrorIs(t, err, arrowsort.ErrOption)
	require.ErrorContains(t, err, "key y of a curve has the collation de")
}

// TestCollationOfExtremes has no rows, nulls only, what is not UTF-8, and long texts.
func TestCollationOfExtremes(t *testing.T) {
	for _, by := range []arrowsort.Collation{"nocase", "natural", "numeric", "de", "und-u-ks-level1-kn"} {
		mem, order := arrowtest.Checked(t), model.TextOrder(strings.Replace(string(by), "-kn", "-kn-true", 1))
		keys := []arrowsort.Key{{Collation: by}}
		for text, want := range map[string][]uint64{`[]`: {}, `[null, null]`: {0, 1}, `[null, ""]`: {1, 0}} {
			require.Equal(t, want, indices(t, mem, fromJSON(t, mem, arrow.BinaryTypes.String, text), keys))
		}
		b := array.NewStringBuilder(mem)
		values := []string{"\xff", "a\xc3", "", strings.Repeat("aÄ9", 40_000), strings.Repeat("aÄ9", 39_999), "ä", "A",
			"\x00", "\xed\xa0\x80", strings.Repeat("0", 70_000), strings.Repeat("9", 70_000), "a\x00b"}
		b.AppendValues(values, nil)
		a := b.NewArray()
		b.Release()
		got := indices(t, mem, a, keys)
		a.Release()
		for i := 1; i < len(got); i++ {
			x, y := strings.ToValidUTF8(values[got[i-1]], "\ufffd"), strings.ToValidUTF8(values[got[i]], "\ufffd")
			if by == "nocase" || by == "natural" || by == "numeric" {
				x, y = values[got[i-1]], values[got[i]]
			}
			c := order([]byte(x), []byte(y))
			require.True(t, c < 0 || c == 0 && got[i-1] < got[i], "%s: rows %d, %d", by, got[i-1], got[i])
		}
	}
}

// TestCollationInManyGoroutines sorts by one locale from several goroutines at once, in which its encoders are shared.
func TestCollationInManyGoroutines(t *testing.T) {
	b := array.NewStringBuilder(memory.NewGoAllocator())
	for i := range 20_000 {
		b.Append(fmt.Sprintf("Straße %d", i*7919%1000))
	}
	a := b.NewArray()
	keys := []arrowsort.Key{{Collation: arrowsort.Locale("de-CH", arrowsort.LocaleOptions{Numeric: true})}}
	results := make([][]uint64, 8)
	var all sync.WaitGroup
	for i := range results {
		all.Go(func() {
			rows, err := arrowsort.SortIndices(t.Context(), a, keys, arrowsort.Options{Threads: 1 + i%3})
			if err == nil {
				results[i] = rows.Uint64Values()
			}
		})
	}
	all.Wait()
	for i, rows := range results {
		require.Equal(t, results[0], rows, i)
	}
	require.Equal(t, "Straße 0", a.(*array.String).Value(int(results[0][0])))
	require.Equal(t, "Straße 999", a.(*array.String).Value(int(results[0][len(results[0])-1])))
}

// TestCollationThatIsCancelled ends with the error of the context.
func TestCollationThatIsCancelled(t *testing.T) {
	mem := arrowtest.Checked(t)
	a := fromJSON(t, mem, arrow.BinaryTypes.String, german)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := arrowsort.SortIndices(ctx, a, []arrowsort.Key{{Collation: "de"}}, arrowsort.Options{Allocator: mem})
	require.ErrorIs(t, err, context.Canceled)
}

// TestCollationWithoutMemory fails at every allocation, and leaves nothing allocated.
func TestCollationWithoutMemory(t *testing.T) {
	mem := arrowtest.Checked(t)
	a := fromJSON(t, mem, arrow.BinaryTypes.String, german)
	rec := record(t, []string{"x"}, a)
	for _, how := range []string{failNil, failPanic, failShort} {
		for left := 0; ; left++ {
			scarce := &exhausted{Allocator: mem, left: left, how: how}
			rows, err := arrowsort.SortIndices(t.Context(), rec, []arrowsort.Key{{Path: "x", Collation: "de"}},
				arrowsort.Options{Allocator: scarce})
			if err == nil {
				require.Equal(t, inGerman, rows.Uint64Values())
				rows.Release()
				require.Greater(t, left, 2)
				break
			}
			require.ErrorIs(t, err, arrowsort.ErrMemory)
		}
	}
}
