package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestKeysAreCompleted(t *testing.T) {
	text, table := file(t, "people.csv", people), convert(t, "x.parquet")
	columns := "name\nage\nscore\nborn\n"
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"Parquet":    {[]string{"sort", table, "-k", ""}, columns},
		"CSV":        {[]string{"check", text, "-k", ""}, columns},
		"second key": {[]string{"merge", "-k", "age", table, "-k", ""}, columns},
		"end of a key": {[]string{"sort", table, "-k", "age:"},
			"age:asc\nage:desc\nage:nulls-first\nage:nulls-last\n"},
		"no input":        {[]string{"sort", "-k", ""}, ""},
		"unreadable file": {[]string{"sort", "missing.parquet", "-k", ""}, ""},
	} {
		r := cli(t, nil, append([]string{"__complete"}, c.args...)...)
		require.Equal(t, 0, r.code, name)
		offered, directive, found := strings.Cut(r.out, ":6\n") // no space behind it, no names of files
		require.True(t, found, "%s: %s", name, r.out)
		require.Empty(t, directive)
		require.Equal(t, c.want, offered, name)
	}
}
