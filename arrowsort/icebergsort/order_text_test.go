package icebergsort

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSortOrdersAsTheyAreWritten(t *testing.T) {
	for text, want := range map[string][]term{
		"origin":                       {{path: "origin", nullsFirst: true}},
		"origin desc":                  {{path: "origin", descending: true}},
		"origin asc nulls last":        {{path: "origin"}},
		"origin nulls last":            {{path: "origin"}},
		"origin DESC NULLS FIRST":      {{path: "origin", descending: true, nullsFirst: true}},
		"origin, date desc nulls last": {{path: "origin", nullsFirst: true}, {path: "date", descending: true}},
		`"a c" desc,` + "`a``b`":       {{path: "a c", descending: true}, {path: "a`b", nullsFirst: true}},
		`"desc" desc, "nulls"`:         {{path: "desc", descending: true}, {path: "nulls", nullsFirst: true}},
		"a.b , größe": {{path: "a.b", nullsFirst: true},
			{path: "größe", nullsFirst: true}},
		"\n origin\n,\tdate nulls\n first desc": nil,
		"":                                      nil,
		" ":                                     nil,
		",":                                     nil,
		"origin,":                               nil,
		"origin,,date":                          nil,
		"origin date":                           nil,
		"origin desc asc":                       nil,
		"origin nulls":                          nil,
		"origin nulls middle":                   nil,
		"origin desc nulls last date":           nil,
		`"origin`:                               nil,
		"'origin'":                              nil,
		"day(date)":                             nil,
	} {
		terms, err := parseOrder(text)
		if want == nil {
			require.ErrorIs(t, err, ErrOption, text)
			continue
		}
		require.NoError(t, err, text)
		require.Equal(t, want, terms, text)
	}
}
