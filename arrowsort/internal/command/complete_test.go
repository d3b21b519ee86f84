package command

import (
	"bytes"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"
)

func TestKeysAreCompleted(t *testing.T) {
	text, table := file(t, "people.csv", people), convert(t, "x.parquet")
	columns := "name\nage\nscore\nborn\n"
	functions := "lower(\nlength(\nabs(\nyear(\nhash(\n"
	keys := columns + functions + "random(\n"
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"Parquet":    {[]string{"sort", table, "-k", ""}, keys},
		"CSV":        {[]string{"check", text, "-k", ""}, columns + functions},
		"second key": {[]string{"merge", "-k", "age", table, "-k", ""}, columns + functions},
		"end of a key": {[]string{"sort", table, "-k", "age:"},
			"age:asc\nage:desc\nage:nulls-first\nage:nulls-last\n"},
		"end after an order": {[]string{"sort", table, "-k", "age:desc:"},
			"age:desc:nulls-first\nage:desc:nulls-last\n"},
		"end after a place of nulls": {[]string{"sort", table, "-k", "age:nulls-first:"},
			"age:nulls-first:asc\nage:nulls-first:desc\n"},
		"after other flags": {[]string{"sort", "--limit", "5", "--format", "csv", "-o", "x.csv", text, "--key", ""},
			keys},
		"order of text": {[]string{"sort", table, "-k", "name:desc:nulls-last:"},
			"name:desc:nulls-last:bytes\nname:desc:nulls-last:nocase\nname:desc:nulls-last:natural\n" +
				"name:desc:nulls-last:numeric\nname:desc:nulls-last:collate=\n"},
		"function": {[]string{"sort", table, "-k", "abs("},
			columns + "lower(\nlength(\nabs(age)\nabs(score)\nyear(\nhash(\nrandom(\n"},
		"function of dates": {[]string{"check", table, "-k", "year(b"},
			columns + "lower(\nlength(\nabs(\nyear(born)\nhash(\n"},
		"order of the text of a function": {[]string{"sort", table, "-k", "lower(name):desc:nulls-last:"},
			"lower(name):desc:nulls-last:bytes\nlower(name):desc:nulls-last:nocase\n" +
				"lower(name):desc:nulls-last:natural\nlower(name):desc:nulls-last:numeric\n" +
				"lower(name):desc:nulls-last:collate=\n"},
		"function that makes no text": {[]string{"sort", table, "-k", "length(name):nulls-last:"},
			"length(name):nulls-last:asc\nlength(name):nulls-last:desc\n"},
		"shuffle": {[]string{"sort", table, "-k", "random(7):nulls-last:"},
			"random(7):nulls-last:asc\nrandom(7):nulls-last:desc\n"},
		"several files":  {[]string{"merge", table, text, "-k", ""}, columns + functions},
		"selection":      {[]string{"sort", table, "-k", "age", "--select", ""}, columns},
		"Bloom filter":   {[]string{"sort", table, "-k", "age", "--bloom-filter", ""}, columns},
		"next to select": {[]string{"sort", table, "--select", "age,"}, "age,name\nage,score\nage,born\n"},
		"functions of CSV": {[]string{"sort", text, "-k", "abs(s"},
			columns + "lower(\nlength(\nabs(name)\nabs(age)\nabs(score)\nabs(born)\nyear(\nhash(\nrandom(\n"},
		"order of text in CSV": {[]string{"sort", text, "-k", "age:desc:nulls-last:"}, "age:desc:nulls-last:bytes\n" +
			"age:desc:nulls-last:nocase\nage:desc:nulls-last:natural\nage:desc:nulls-last:numeric\n" +
			"age:desc:nulls-last:collate=\n"},
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

// TestFunctionsAreCompleted for nested fields, dictionaries and columns whose names have a colon or parentheses, but
// not for types that have no order.
func TestFunctionsAreCompleted(t *testing.T) {
	text := arrow.BinaryTypes.String
	schema := arrow.NewSchema([]arrow.Field{
		{Name: "s", Type: arrow.StructOf(arrow.Field{Name: "word", Type: &arrow.DictionaryType{
			IndexType: arrow.PrimitiveTypes.Int8, ValueType: text}})},
		{Name: "a:b", Type: arrow.ListOf(text)},
		{Name: "interval", Type: arrow.FixedWidthTypes.DayTimeInterval},
		{Name: "lower(s.word)", Type: arrow.PrimitiveTypes.Int8},
	}, nil)
	for typed, want := range map[string]string{
		"":          "s.word a:b interval lower(s.word) lower( length( abs( hash( random(",
		"lower(":    "s.word a:b interval lower(s.word) lower(s.word) length( abs( hash( random(",
		"length(a:": "length(a:b)",
		"hash(":     "s.word a:b interval lower(s.word) lower( length( abs( hash(s.word) hash(lower(s.word)) random(",
		"s.word:asc:nulls-last:": "s.word:asc:nulls-last:bytes s.word:asc:nulls-last:nocase " +
			"s.word:asc:nulls-last:natural s.word:asc:nulls-last:numeric s.word:asc:nulls-last:collate=",
		"s:asc:nulls-last:": "", // a struct is no text
	} {
		require.Equal(t, want, strings.Join(keysFor(schema, typed), " "), typed)
	}
	require.Subset(t, keysFor(schema, "s.word:desc:collate=d"), []string{"s.word:desc:collate=da",
		"s.word:desc:collate=de", "s.word:desc:collate=de-u-co-phonebk"})
	require.NotContains(t, keysFor(schema, "a:b:collate="), "a:b:collate=de") // a list is no text
	parenthesis := arrow.NewSchema([]arrow.Field{{Name: "f(x", Type: arrow.PrimitiveTypes.Int8}}, nil)
	require.Equal(t, []string{"f(x:nulls-first:asc", "f(x:nulls-first:desc"}, keysFor(parenthesis, "f(x:nulls-first:"))
	require.Empty(t, keysFor(nil, "lower("))
}

// TestValuesOfFlagsAreCompleted: those of a list, the codecs that the output has, and no files where none is meant.
func TestValuesOfFlagsAreCompleted(t *testing.T) {
	for line, want := range map[string]string{
		"sort --compression":                          "none\nsnappy\ngzip\nbrotli\nzstd\nlz4\n:6\n",
		"sort -o x.parquet --compression":             "none\nsnappy\ngzip\nbrotli\nzstd\nlz4\n:6\n",
		"sort -o x.arrow --compression":               "none\nzstd\nlz4\n:6\n",
		"sort --output-format csv -o - --compression": "none\n:6\n",
		"sort --engine":                               "auto\ncpu\ngpu\n:4\n",
		"sort --gpus":                                 "all\n:4\n",
		"sort --encoding":                             "auto\ncompatible\n:4\n",
		"sort --page-version":                         "1\n2\n:4\n",
		"merge --format":                              "parquet\narrow\narrows\ncsv\n:4\n",
		"info --format":                               "parquet\narrow\narrows\ncsv\n:4\n",
		"argsort --output-format":                     "parquet\narrow\narrows\ncsv\n:4\n",
		"sort --spill-compression":                    "lz4\nzstd\n:4\n",
		"sort --limit":                                ":4\n",
		"sort --memory":                               ":4\n",
		"sort --spill-dir":                            ":16\n", // folders
		"sort -o":                                     ":0\n",  // files
		"sort":                                        ":0\n",
	} {
		r := cli(t, nil, append(append([]string{"__complete"}, strings.Fields(line)...), "")...)
		require.Equal(t, 0, r.code, line)
		require.Equal(t, want, r.out, line)
	}
}

// TestFilesOfWords are those that are there, and patterns, but not the output.
func TestFilesOfWords(t *testing.T) {
	in := file(t, "people.csv", people)
	require.Equal(t, []string{in, "*.parquet"}, filesOf([]string{"-o", in, "--limit", "5", "'" + in + "'", "age",
		"*.parquet", "--format", "csv"}))
}

// TestScriptsAreAmended: what is replaced in cobra's scripts is there once.
func TestScriptsAreAmended(t *testing.T) {
	for shell, script := range shellScripts {
		var plain bytes.Buffer
		require.NoError(t, script.generate(&cobra.Command{Use: "arrowsort"}, &plain, false))
		r := cli(t, nil, "completion", shell)
		require.Zero(t, r.code, r.err)
		for i := 0; i < len(script.replacements); i += 2 {
			require.Equal(t, 1, strings.Count(plain.String(), script.replacements[i]), script.replacements[i])
			require.Contains(t, r.out, script.replacements[i+1], shell)
		}
		require.NotEqual(t, r.out, cli(t, nil, "completion", shell, "--no-descriptions").out)
	}
}
