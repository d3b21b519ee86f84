package main

import (
	"context"
	"flag"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
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
		{[]string{"sort", "-k", "delay:dsc", "-o", "o", flights}, 2,
			`-k delay:dsc: unknown modifier ":dsc"; did you mean ":desc"?`},
		{[]string{"sort", "-k", "delay", "-o", "s2.parquet", flights}, 2,
			"-o s2.parquet is named like a file, and the output is a folder of files: give a folder, or s2.parquet/"},
		{[]string{"sort", "-k", "delay", "-o", flights, flights}, 2, " is a file: give the folder"},
		{[]string{"sort", "-k", "delay", "-o", "gs://b/x.parquet", flights}, 2, "-o gs://b/x.parquet is named like"},
		{[]string{"sort", "-k", "delay", "-o", "azblob://c/out", flights}, 2, "such addresses are inputs only"},
		{[]string{"sort", "-k", "delay", "--runner=flnk", "-o", "o", flights}, 2,
			"--runner flnk: there is no such runner; did you mean flink?"},
		{[]string{"sort", "-k", "delay", "--runner=dot", "-o", "o", flights}, 2,
			"--runner dot: there is no such runner; use prism, universal, flink, spark or dataflow"},
		{[]string{"sort", "-k", "delay", "--runner=flink", "-o", "o", flights}, 2,
			"--runner flink needs the job service that it sends the pipeline to: --endpoint HOST:PORT"},
		{[]string{"sort", "-k", "delay", "--endpoint=localhost", "-o", "o", flights}, 2, "give HOST:PORT"},
		{[]string{"merge"}, 2, "usage: "}, {nil, 2, "usage: "}, {[]string{"--nosuch"}, 2, "-nosuch"},
	} {
		out, code := command(t, test.args...)
		require.Equal(t, test.code, code, out)
		require.Contains(t, out, test.text)
		require.Less(t, strings.Count(out, "\n"), 5, out)
	}
	require.NoDirExists(t, "o", "a check is before any work")
}

const flights = "../../../../examples/data/flights.parquet"

// TestHelp lists the command's flags, and Beam's apart.
func TestHelp(t *testing.T) {
	own, code := command(t, "-h")
	require.Zero(t, code)
	require.Contains(t, own, "\n  -shards int\n")
	require.Contains(t, own, "--runner NAME")
	require.NotContains(t, own, "dataflow_service_options")
	require.Less(t, strings.Count(own, "\n"), 70)
	for line := range strings.Lines(own) {
		require.LessOrEqual(t, len(strings.ReplaceAll(line, "    \t", "        ")), 81, line)
	}
	require.True(t, strings.HasPrefix(own, "usage: arrowsort-beam sort "), own)
	for _, args := range [][]string{{"--help-beam"}, {"sort", "--help-beam"}} {
		beams, code := command(t, args...)
		require.Zero(t, code)
		require.Contains(t, beams, "\n  -runner string\n")
		require.Contains(t, beams, "dataflow_service_options")
		require.NotContains(t, beams, "-shards")
	}
}

// TestHelpOnAFullDevice is an error.
func TestHelpOnAFullDevice(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		require.ErrorIs(t, err, os.ErrNotExist) // as on macOS
		return
	}
	defer full.Close()
	c := exec.CommandContext(t.Context(), os.Args[0], "-h")
	c.Env = append(os.Environ(), "BEAMSORT_TEST_COMMAND=1")
	c.Stdout = full
	require.Error(t, c.Run())
	require.Equal(t, 1, c.ProcessState.ExitCode())
}

// TestRunnersAreRegistered with Beam by the names that are checked.
func TestRunnersAreRegistered(t *testing.T) {
	for _, name := range slices.Concat(processRunners, remoteRunners, cloudRunners) {
		require.Panics(t, func() { beam.RegisterRunner(name, nil) }, name)
	}
}

// TestNobodyListensAtTheEndpoint, or somebody who does not answer: the command says what it waits for, and how long.
func TestNobodyListensAtTheEndpoint(t *testing.T) {
	before, wait := *jobopts.Endpoint, endpointWait
	defer func() { *jobopts.Endpoint, endpointWait = before, wait }()
	require.Equal(t, 10*time.Second, endpointWait, "as docs/beam.md has it")
	endpointWait = 300 * time.Millisecond
	silent, err := net.Listen("tcp", "localhost:0")
	require.NoError(t, err)
	defer silent.Close()
	closed, err := net.Listen("tcp", "localhost:0")
	require.NoError(t, err)
	require.NoError(t, closed.Close())
	for _, listener := range []net.Listener{silent, closed} {
		*jobopts.Endpoint = listener.Addr().String()
		var messages strings.Builder
		err := checkRunner(t.Context(), &messages)
		require.EqualError(t, err, "no job service answers at "+*jobopts.Endpoint+" within 300ms (--endpoint): start "+
			"it, or leave out --runner and --endpoint to sort in this process")
		require.Equal(t, "connecting to the job service at "+*jobopts.Endpoint+", for up to 300ms\n", messages.String())
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(os.ErrDeadlineExceeded)
	require.ErrorIs(t, checkRunner(ctx, io.Discard), os.ErrDeadlineExceeded)
}

// TestFoldersOfTheOutput may be named like files where they are there, or end in a slash.
func TestFoldersOfTheOutput(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "x.parquet")
	require.Error(t, checkOutput(folder))
	require.NoError(t, checkOutput(folder+"/"))
	require.NoError(t, os.Mkdir(folder, 0o700))
	require.NoError(t, checkOutput(folder))
	require.NoError(t, checkOutput("gs://bucket/sorted"))
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
