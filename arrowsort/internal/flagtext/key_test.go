package flagtext

import (
	"fmt"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
)

func TestParseKey(t *testing.T) {
	for text, want := range map[string]arrowsort.Key{
		"delay":                   {Path: "delay"},
		"delay:asc":               {Path: "delay"},
		"delay:desc":              {Path: "delay", Order: arrowsort.Descending},
		"a.b:nulls-first":         {Path: "a.b", Nulls: arrowsort.NullsAtStart},
		"a:desc:nulls-first":      {Path: "a", Order: arrowsort.Descending, Nulls: arrowsort.NullsAtStart},
		"a:nulls-first:desc":      {Path: "a", Order: arrowsort.Descending, Nulls: arrowsort.NullsAtStart},
		"a:desc:nulls-last":       {Path: "a", Order: arrowsort.Descending},
		"x:y":                     {Path: "x:y"},
		"x:desc:asc":              {Path: "x:desc"},
		"x:desc:desc":             {Path: "x:desc", Order: arrowsort.Descending},
		"x:nulls-last:nulls-last": {Path: "x:nulls-last"},
		"#2":                      {At: arrowsort.Column(1)},
		"#1:desc":                 {At: arrowsort.Column(0), Order: arrowsort.Descending},
		"#two":                    {Path: "#two"},
		"#":                       {Path: "#"},
		" spaced ":                {Path: " spaced "},
		"x:nocase":                {Path: "x", Collation: arrowsort.FoldCase},
		"x:Natural:desc":          {Path: "x", Collation: arrowsort.Natural, Order: arrowsort.Descending},
		"x:nulls-first:numeric":   {Path: "x", Collation: arrowsort.Numeric, Nulls: arrowsort.NullsAtStart},
		"x:nocase:bytes":          {Path: "x:nocase"},
		"x:collate=de-at-u-kn":    {Path: "x", Collation: "de-AT-u-kn"},
		"x:collate=xx":            {Path: "x", Collation: "locale xx"},
		"x:collate=nocase":        {Path: "x", Collation: "locale nocase"},
		"x:collate=":              {Path: "x", Collation: "locale "},
		"x:desc:collate=sv:nulls-first": {Path: "x", Collation: "sv", Order: arrowsort.Descending,
			Nulls: arrowsort.NullsAtStart},
	} {
		key, err := ParseKey(text, Modifiers)
		require.NoError(t, err, text)
		require.Equal(t, want, key, text)
	}
	for _, text := range []string{"", ":asc", ":desc:nulls-first", "#0", "#-3"} {
		_, err := ParseKey(text, Modifiers)
		require.Error(t, err, text)
	}
}

func TestKeyTextReadsBack(t *testing.T) {
	for _, path := range []string{"a", "a.b", "a:b", "a:desc", "a:nulls-last", "a:asc:nulls-first", "A:DESC", " ",
		"a:nocase", "a:collate=de"} {
		for _, order := range []arrowsort.Order{arrowsort.Ascending, arrowsort.Descending} {
			for _, nulls := range []arrowsort.NullPlacement{arrowsort.NullsAtEnd, arrowsort.NullsAtStart} {
				want := arrowsort.Key{Path: path, Order: order, Nulls: nulls}
				for _, by := range []arrowsort.Collation{"", "nocase", "natural", "numeric", "de-u-kn", "locale xx"} {
					want.Collation = by
					requireReadBack(t, want)
				}
				for _, of := range []arrowsort.Function{arrowsort.Lower, arrowsort.Abs, arrowsort.Hash(0),
					arrowsort.Hash(7), arrowsort.Modulo(16)} {
					if want.Function = of; path != " " || of != arrowsort.Modulo(16) { // blanks before % do not count
						requireReadBack(t, want)
					}
				}
				requireReadBack(t, arrowsort.Key{Function: arrowsort.Random(3), Order: order, Nulls: nulls})
			}
		}
	}
	require.Equal(t, "a, b:desc, c:nulls-first, #3",
		KeyList([]arrowsort.Key{{Path: "a"}, {Path: "b", Order: arrowsort.Descending},
			{Path: "c", Nulls: arrowsort.NullsAtStart}, arrowsort.KeyAt(2)}))
}

func requireReadBack(t *testing.T, want arrowsort.Key) {
	got, err := ParseKey(KeyText(want), Modifiers)
	require.NoError(t, err)
	require.Equal(t, want, got, KeyText(want))
}

// TestModifiersThatAreWrong get the one that may be meant.
func TestModifiersThatAreWrong(t *testing.T) {
	nested := arrow.StructOf(arrow.Field{Name: "b", Type: arrow.PrimitiveTypes.Int8})
	schema := arrow.NewSchema([]arrow.Field{{Name: "a", Type: nested}, {Name: "c:x", Type: nested}}, nil)
	for word, meant := range map[string]string{"dsc": "desc", "descending": "desc", "DES": "desc", "down": "desc",
		"reverse": "desc", "acs": "asc", "ascending": "asc", "up": "asc", "null-first": "nulls-first",
		"nullslast": "nulls-last", "nulls_first": "nulls-first", "first": "nulls-first", "NULLS LAST": "nulls-last"} {
		for _, column := range []string{"a", "a.b", "c:x", "c:x.b"} {
			err := CheckModifiers(column+":"+word, schema)
			require.EqualError(t, err, fmt.Sprintf("unknown modifier %q; did you mean %q?", ":"+word, ":"+meant))
		}
	}
	require.EqualError(t, CheckModifiers("a:sideways", schema),
		`unknown modifier ":sideways"; use :asc, :desc, :nulls-first, :nulls-last, :nocase, :natural, :numeric or `+
			`:collate=LOCALE`)
	require.EqualError(t, CheckModifiers("a:nocas", schema), `unknown modifier ":nocas"; did you mean ":nocase"?`)
	require.EqualError(t, CheckModifiers("a:natural:collate=de", schema),
		`":natural" and ":collate=de" both give the order of text; write -k a:collate=de`)
	require.EqualError(t, CheckModifiers("a:desc:asc", schema),
		`":desc" and ":asc" both give the order; write -k a:asc`)
	for _, text := range []string{"a", "a:desc", "a.b:desc:nulls-first", "c:x", "c:x:desc", "#1", "#1:desc", "d:dsc"} {
		require.NoError(t, CheckModifiers(text, schema), text)
	}
}
