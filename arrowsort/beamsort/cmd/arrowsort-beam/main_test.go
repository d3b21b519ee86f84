package main

import (
	"flag"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
)

// TestFlagsStandBetweenInputs, in any order.
func TestFlagsStandBetweenInputs(t *testing.T) {
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	j := defineFlags(flags)
	inputs := parse(flags, []string{"-k", "a:desc", "x.parquet", "--memory", "2GiB", "-k=b", "y.arrow", "-o", "out",
		"--shards=3"})
	require.Equal(t, []string{"x.parquet", "y.arrow"}, inputs)
	require.Equal(t, "out", j.output)
	require.Equal(t, 3, j.options.Shards)
	require.EqualValues(t, 2<<30, j.options.Memory)
	schema := arrow.NewSchema([]arrow.Field{{Name: "a", Type: arrow.Null}, {Name: "b", Type: arrow.Null}}, nil)
	keys, err := j.keysFor(schema)
	require.NoError(t, err)
	require.Equal(t, []arrowsort.Key{{Path: "a", Order: arrowsort.Descending}, {Path: "b"}}, keys)
}

func TestNothingToSortIsAUsageError(t *testing.T) {
	require.ErrorIs(t, (&job{inputs: []string{"x"}, output: "o"}).run(t.Context()), errUsage)
	require.ErrorIs(t, (&job{keys: texts{"k"}, output: "o"}).run(t.Context()), errUsage)
	require.ErrorIs(t, (&job{keys: texts{"k"}, inputs: []string{"x"}}).run(t.Context()), errUsage)
}
