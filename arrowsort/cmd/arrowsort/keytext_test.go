package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
)

func TestKeyTextReadsBack(t *testing.T) {
	for _, path := range []string{"a", "a.b", "a:b", "a:desc", "a:nulls-last", "a:asc:nulls-first", "A:DESC", " "} {
		for _, order := range []arrowsort.Order{arrowsort.Ascending, arrowsort.Descending} {
			for _, nulls := range []arrowsort.NullPlacement{arrowsort.NullsAtEnd, arrowsort.NullsAtStart} {
				want := arrowsort.Key{Path: path, Order: order, Nulls: nulls}
				got, err := parseKey(keyText(want), 2)
				require.NoError(t, err)
				require.Equal(t, want, got, keyText(want))
			}
		}
	}
	require.Equal(t, "a, b:desc, c:nulls-first, #3", keyList([]arrowsort.Key{{Path: "a"}, {Path: "b", Order: arrowsort.Descending}, {Path: "c", Nulls: arrowsort.NullsAtStart}, {Index: 2}}))
}
