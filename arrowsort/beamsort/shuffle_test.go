package beamsort

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
)

// TestShuffleFolderIsRemoved after a pipeline that succeeds, and after one that fails by Cleanup: in the output, in a
// folder that is given, and of an output in an object store only there.
func TestShuffleFolderIsRemoved(t *testing.T) {
	in := t.TempDir()
	path := writeFile(t, in, "a.parquet", numbers(1, 3000, 10, 0), 0)
	keys := []arrowsort.Key{{Path: "key"}}
	for _, test := range []struct {
		output, dir string
		runner      bool
		folder      string // of the shuffle
	}{
		{t.TempDir(), "", false, "output"}, {t.TempDir(), t.TempDir(), false, "dir"}, {t.TempDir(), "", true, ""},
		{"flaky://shuffled-by-the-runner", "", false, ""}, {"flaky://shuffled-in-files", t.TempDir(), false, "dir"},
	} {
		opts := Options{Shards: 2, ShuffleDir: test.dir, RunnerShuffle: test.runner}
		p, scope := beam.NewPipelineWithRoot()
		_, err := Sort(t.Context(), scope, []string{path}, test.output, keys, opts)
		require.NoError(t, err)
		require.Len(t, shuffleFolders(t, test.output), oneIf(test.folder == "output"))
		require.Len(t, shuffleFolders(t, test.dir), oneIf(test.folder == "dir"))
		require.NoError(t, os.Rename(path, path+".gone"))
		_, err = prism.Execute(context.Background(), p)
		require.ErrorContains(t, err, path)
		require.Len(t, shuffleFolders(t, test.output, test.dir), oneIf(test.folder != ""), "of a pipeline that failed")
		require.NoError(t, Cleanup())
		require.Empty(t, shuffleFolders(t, test.output, test.dir))

		require.NoError(t, os.Rename(path+".gone", path))
		shards := sortFiles(t, []string{path}, test.output, keys, opts)
		if isRemote(test.output) {
			shards = fetch(t, shards)
		}
		requireSorted(t, []string{path}, shards, keys)
		require.Empty(t, shuffleFolders(t, test.output, test.dir))
	}
}

func oneIf(there bool) int {
	if there {
		return 1
	}
	return 0
}

func shuffleFolders(t *testing.T, dirs ...string) (all []string) {
	t.Helper()
	for _, dir := range dirs {
		if dir != "" && !isRemote(dir) {
			found, err := filepath.Glob(filepath.Join(dir, shufflePrefix+"*"))
			require.NoError(t, err)
			all = append(all, found...)
		}
	}
	return all
}

// TestLostBatches: a file of the shuffle that is missing or too short is an error that names it.
func TestLostBatches(t *testing.T) {
	file, err := newBatchFile(t.TempDir(), "part-*")
	require.NoError(t, err)
	at, err := file.add(make([]byte, 100))
	require.NoError(t, err)
	at.size++
	buffer := newShardBuffer(0, "")
	require.NoError(t, buffer.refer(at.encode(make([]byte, positionBytes))))
	require.ErrorContains(t, buffer.each(nil), at.path+": EOF")
	require.NoError(t, file.remove())
	require.ErrorIs(t, buffer.each(nil), os.ErrNotExist)
	require.ErrorContains(t, buffer.refer(make([]byte, positionBytes)), "a location of 12 bytes")
}
