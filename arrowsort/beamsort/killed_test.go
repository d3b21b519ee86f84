package beamsort

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
)

var killedOptions, killedKeys = Options{Shards: 8}, []arrowsort.Key{{Path: "key"}}

// TestKilledWorker: a worker that is killed while it writes shards leaves nothing that a second run does not replace.
func TestKilledWorker(t *testing.T) {
	in, out := t.TempDir(), t.TempDir()
	path := writeFile(t, in, "x.parquet", numbers(1, 400_000, 1000, 0), 20_000)
	job := exec.Command(os.Args[0])
	job.Env = append(os.Environ(), "BEAMSORT_TEST_INPUT="+path, "BEAMSORT_TEST_OUTPUT="+out)
	require.NoError(t, job.Start())
	require.Eventually(t, func() bool {
		unfinished, err := filepath.Glob(filepath.Join(out, ".arrowsort-output-*"))
		return err == nil && len(unfinished) > 0
	}, time.Minute, time.Millisecond)
	require.NoError(t, job.Process.Kill())
	require.ErrorContains(t, job.Wait(), "killed")

	shards := sortFiles(t, []string{path}, out, killedKeys, killedOptions)
	require.Len(t, shards, killedOptions.Shards)
	requireSorted(t, []string{path}, shards, killedKeys)
	left, err := os.ReadDir(out)
	require.NoError(t, err)
	require.Len(t, left, len(shards), "unfinished files of the killed worker")
}

// sortAndExit is the worker that is killed.
func sortAndExit(input, output string) {
	p, scope := beam.NewPipelineWithRoot()
	if _, err := Sort(context.Background(), scope, []string{input}, output, killedKeys, killedOptions); err != nil {
		panic(err)
	}
	if _, err := prism.Execute(context.Background(), p); err != nil {
		panic(err)
	}
	os.Exit(0)
}
