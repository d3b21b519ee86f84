package main

import (
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
)

// TestFlagsStandBetweenInputs, in any order.
func TestFlagsStandBetweenInputs(t *testing.T) {
	flags := flag.NewFlagSet("", flag.ContinueOnError)
	j := defineFlags(flags)
	inputs, err := parse(flags, []string{"-k", "a:desc", "x.parquet", "--memory", "2GiB", "-k=b", "y.arrow", "-o",
		"out", "--shards=3"})
	require.NoError(t, err)
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

// TestMistakesAreNotFollowedByAllFlags, of which there are a hundred with those of Beam.
func TestMistakesAreNotFollowedByAllFlags(t *testing.T) {
	for _, test := range []struct {
		args []string
		code int
		text string
	}{
		{[]string{"sort", "--nosuch"}, 2, "arrowsort-beam: flag provided but not defined: -nosuch\nusage: "},
		{[]string{"sort", "--shards", "x"}, 2, `arrowsort-beam: invalid value "x" for flag -shards`},
		{[]string{"sort", "--memory", "x", "a.parquet"}, 2, "flag -memory"},
		{[]string{"sort", "-k", "x", "-o", "o", "--shards=-1", "a.parquet"}, 2, "Shards is -1"},
		{[]string{"sort", "-k", "x", "-o", "o", "absent.parquet"}, 1, "absent.parquet: no such file"},
		{[]string{"merge"}, 2, "usage: "}, {nil, 2, "usage: "}, {[]string{"--nosuch"}, 2, "-nosuch"},
	} {
		out, code := command(t, test.args...)
		require.Equal(t, test.code, code, out)
		require.Contains(t, out, test.text)
		require.Less(t, strings.Count(out, "\n"), 5, out)
	}
	out, code := command(t, "-h")
	require.Zero(t, code)
	require.Contains(t, out, "-shards")
	require.Contains(t, out, "-runner")
}

// command runs the command in a separate process.
func command(t *testing.T, args ...string) (out string, code int) {
	t.Helper()
	c := exec.CommandContext(t.Context(), os.Args[0], args...)
	c.Env = append(os.Environ(), "BEAMSORT_TEST_COMMAND=1")
	text, err := c.CombinedOutput()
	var exit *exec.ExitError
	if err != nil {
		require.ErrorAs(t, err, &exit)
	}
	return string(text), c.ProcessState.ExitCode()
}

// TestSIGTERMWhileItSorts ends it with the code of the signal, and without files that travel.
func TestSIGTERMWhileItSorts(t *testing.T) {
	in, folder := "../../../../examples/data/flights.parquet", t.TempDir()
	c := exec.CommandContext(t.Context(), os.Args[0], "sort", "-k", "delay", "-o", folder, in, in, in)
	c.Env = append(os.Environ(), "BEAMSORT_TEST_COMMAND=1")
	var text strings.Builder
	c.Stderr = &text
	require.NoError(t, c.Start())
	left := func() []string {
		paths, _ := filepath.Glob(filepath.Join(folder, ".arrowsort-*"))
		return paths
	}
	require.Eventually(t, func() bool { return len(left()) > 0 }, time.Minute, time.Millisecond)
	require.NoError(t, c.Process.Signal(syscall.SIGTERM))
	require.Error(t, c.Wait())
	require.Equal(t, 143, c.ProcessState.ExitCode(), text.String())
	require.True(t, strings.HasSuffix(text.String(), "arrowsort-beam: interrupted\n"), text.String())
	require.Empty(t, left())
}

func TestMain(m *testing.M) {
	if os.Getenv("BEAMSORT_TEST_COMMAND") != "" {
		main()
	}
	os.Exit(m.Run())
}

// TestCauseOfAFailedStep is what the step says, without the plan of the runner.
func TestCauseOfAFailedStep(t *testing.T) {
	require.Equal(t, "open x: no such file", cause("job 1 failed:\nbundle 2 failed:plan:\n\tcaused by:\n"+
		"DoFn[UID:4, Name: shardFn] failed:\nopen x: no such file"))
	require.Equal(t, "no endpoint", cause("no endpoint"))
}
