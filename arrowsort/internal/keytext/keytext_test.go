package keytext

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
)

func TestParse(t *testing.T) {
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
		"#2":                      {Index: 1},
		"#1:desc":                 {Order: arrowsort.Descending},
		"#two":                    {Path: "#two"},
		"#":                       {Path: "#"},
		" spaced ":                {Path: " spaced "},
	} {
		key, err := Parse(text, 2)
		require.NoError(t, err, text)
		require.Equal(t, want, key, text)
	}
	for _, text := range []string{"", ":asc", ":desc:nulls-first", "#0", "#-3"} {
		_, err := Parse(text, 2)
		require.Error(t, err, text)
	}
}

func TestTextReadsBack(t *testing.T) {
	for _, path := range []string{"a", "a.b", "a:b", "a:desc", "a:nulls-last", "a:asc:nulls-first", "A:DESC", " "} {
		for _, order := range []arrowsort.Order{arrowsort.Ascending, arrowsort.Descending} {
			for _, nulls := range []arrowsort.NullPlacement{arrowsort.NullsAtEnd, arrowsort.NullsAtStart} {
				want := arrowsort.Key{Path: path, Order: order, Nulls: nulls}
				got, err := Parse(Text(want), 2)
				require.NoError(t, err)
				require.Equal(t, want, got, Text(want))
			}
		}
	}
	require.Equal(t, "a, b:desc, c:nulls-first, #3",
		List([]arrowsort.Key{{Path: "a"}, {Path: "b", Order: arrowsort.Descending},
			{Path: "c", Nulls: arrowsort.NullsAtStart}, {Index: 2}}))
}
