package main

import (
	"testing"

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
		"#2":                      {Index: 1},
		"#1:desc":                 {Order: arrowsort.Descending},
		"#two":                    {Path: "#two"},
		"#":                       {Path: "#"},
		" spaced ":                {Path: " spaced "},
	} {
		key, err := parseKey(text, 2)
		require.NoError(t, err, text)
		require.Equal(t, want, key, text)
	}
	for _, text := range []string{"", ":asc", ":desc:nulls-first", "#0", "#-3"} {
		_, err := parseKey(text, 2)
		require.ErrorAs(t, err, new(usageError), text)
	}
}
