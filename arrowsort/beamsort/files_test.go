package beamsort

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/memfs"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
)

func init() {
	filesystem.Register("flaky", func(ctx context.Context) filesystem.Interface { return flaky{memfs.New(ctx)} })
}

// flaky is the file system of memory, whose next files to be written fail in their middle.
type flaky struct{ filesystem.Interface }

var failures atomic.Int64

var errFlaky = errors.New("the connection is lost")

func inner(path string) string { return strings.Replace(path, "flaky://", "memfs://", 1) }

func (f flaky) OpenWrite(ctx context.Context, path string) (io.WriteCloser, error) {
	w, err := f.Interface.OpenWrite(ctx, inner(path))
	if err == nil && failures.Add(-1) >= 0 {
		return broken{w}, nil
	}
	return w, err
}

func (f flaky) OpenRead(ctx context.Context, path string) (io.ReadCloser, error) {
	return f.Interface.OpenRead(ctx, inner(path))
}

func (f flaky) List(ctx context.Context, glob string) ([]string, error) {
	paths, err := f.Interface.List(ctx, inner(glob))
	for i := range paths {
		paths[i] = strings.Replace(paths[i], "memfs://", "flaky://", 1)
	}
	return paths, err
}

func (f flaky) Rename(ctx context.Context, from, to string) error {
	return filesystem.Rename(ctx, f.Interface, inner(from), inner(to))
}

// broken writes half of what it is given first, and closes the file as it is.
type broken struct{ io.WriteCloser }

func (b broken) Write(p []byte) (int, error) {
	n, _ := b.WriteCloser.Write(p[:len(p)/2])
	return n, errFlaky
}

// upload puts a local file to a path of memory.
func put(t *testing.T, local, path string) {
	t.Helper()
	b, err := os.ReadFile(local)
	require.NoError(t, err)
	memfs.Write(path, b)
}

// TestFileSystemOfMemory: inputs by a pattern, in the order of their names, and output.
func TestFileSystemOfMemory(t *testing.T) {
	in, stage := t.TempDir(), t.TempDir()
	var paths []string
	for i, name := range []string{"a.parquet", "b.arrow"} {
		paths = append(paths, writeFile(t, in, name, numbers(uint64(i), 3000, 10, 3000*i), 0))
		put(t, paths[i], "memfs://in/"+name)
	}
	keys, opts := []arrowsort.Key{{Path: "key"}}, Options{Shards: 3, SpillDir: stage}
	shards := sortFiles(t, []string{"memfs://in/*"}, "memfs://out", keys, opts)
	require.Equal(t, []string{"memfs://out/part-00001-of-00003.parquet", "memfs://out/part-00002-of-00003.parquet",
		"memfs://out/part-00003-of-00003.parquet"}, shards)
	requireSorted(t, paths, fetch(t, shards), keys)
	left, err := os.ReadDir(stage)
	require.NoError(t, err)
	require.Empty(t, left)
	_, err = Sort(t.Context(), scopeOf(), []string{"memfs://in/*.csv"}, "memfs://out", keys, opts)
	require.ErrorContains(t, err, "memfs://in/*.csv: no file matches")
	_, err = Sort(t.Context(), scopeOf(), []string{"memfs://in/c.parquet"}, "memfs://out", keys, opts)
	require.ErrorContains(t, err, "memfs://in/c.parquet")
}

// fetch copies files of memory to a local folder.
func fetch(t *testing.T, paths []string) (local []string) {
	t.Helper()
	for _, path := range paths {
		b, err := filesystem.Read(t.Context(), memfs.New(t.Context()), inner(path))
		require.NoError(t, err)
		at := filepath.Join(t.TempDir(), filepath.Base(path))
		require.NoError(t, os.WriteFile(at, b, 0o600))
		local = append(local, at)
	}
	return local
}

// TestStepThatFailsOnce: nothing has the name of a shard that is not complete, and when it is run again, the output is
// as if it had not failed.
func TestStepThatFailsOnce(t *testing.T) {
	in := t.TempDir()
	path := writeFile(t, in, "a.parquet", numbers(1, 3000, 10, 0), 0)
	keys, opts := []arrowsort.Key{{Path: "key"}}, Options{Shards: 2}
	failures.Store(1)
	p, scope := beam.NewPipelineWithRoot()
	_, err := Sort(t.Context(), scope, []string{path}, "flaky://failing", keys, opts)
	require.NoError(t, err)
	_, err = prism.Execute(context.Background(), p)
	require.ErrorContains(t, err, errFlaky.Error())
	shards, err := shardsIn(t.Context(), "flaky://failing")
	require.NoError(t, err)
	require.Less(t, len(shards), 2)
	shards = sortFiles(t, []string{path}, "flaky://failing", keys, opts)
	require.Len(t, shards, 2)
	requireSorted(t, []string{path}, fetch(t, shards), keys)
}

// TestCopiesOfAKilledWorker are removed from the spill folder by the next copy of a file of Beam's file systems.
func TestCopiesOfAKilledWorker(t *testing.T) {
	folder := t.TempDir()
	dead := filepath.Join(folder, "arrowsort-stage-dead")
	memfs.Write("memfs://copied/a", []byte("some bytes"))
	for i := range 2 {
		f, err := stage(t.Context(), "memfs://copied/a", folder)
		require.NoError(t, err)
		require.NoDirExists(t, dead)
		if i == 0 { // the copy and its lock, which nobody holds
			live, err := filepath.Glob(filepath.Join(folder, "arrowsort-stage-*"))
			require.NoError(t, err)
			require.NoError(t, os.CopyFS(dead, os.DirFS(live[0])))
		}
		require.EqualValues(t, len("some bytes"), f.Size())
		require.NoError(t, f.Close())
	}
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Empty(t, entries)
}

// TestShardsOfAKilledWorker are removed from the spill folder by the next shard for a file system of Beam.
func TestShardsOfAKilledWorker(t *testing.T) {
	folder := t.TempDir()
	var dead string
	require.NoError(t, publish(t.Context(), "memfs://killed/a", folder, func(local string) error {
		dead = filepath.Dir(local)
		require.NoError(t, os.CopyFS(dead+"-dead", os.DirFS(dead))) // the lock, which nobody holds
		return os.WriteFile(local, nil, 0o600)
	}))
	require.NoDirExists(t, dead)
	require.DirExists(t, dead+"-dead")
	require.NoError(t, publish(t.Context(), "memfs://killed/b", folder, func(local string) error {
		require.NoDirExists(t, dead+"-dead")
		return os.WriteFile(local, nil, 0o600)
	}))
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Empty(t, entries)
}
