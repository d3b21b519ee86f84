package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "plain \\ \"é漢\ufffd": "plain \\ \"é漢\ufffd", "a\x1b[31mred\n\t\r": `a\x1b[31mred\n\t\r`,
		"\x00\x7f\xff": `\x00\x7f\xff`, "\u202eabc": `\u202eabc`, "\u0085": `\u0085`,
	} {
		require.Equal(t, want, printable(text))
	}
}

func TestEscapeSequencesAreNotPrinted(t *testing.T) {
	in := file(t, "evil.csv", "\"a\x1b[2J\",\"b\nc\"\n\"\x1b[31m\",1\n")
	r := cli(t, nil, "sort", "-k", "#1", "--preview", "3", in)
	require.Equal(t, 0, r.code, r.err)
	require.Contains(t, r.out, `│ a\x1b[2J │  b\nc │`)
	require.Contains(t, r.out, `│ \x1b[31m │     1 │`)
	for _, args := range [][]string{{"sort", "-k", "x\x1b[0m", "--preview", "1", in}, {"explain", "-k", "a\x1b[2J", in},
		{"check", "-k", "\x1b", "no\x1b.csv"}} {
		r := cli(t, nil, args...)
		require.NotContains(t, r.out+r.err, "\x1b", args)
	}
}
