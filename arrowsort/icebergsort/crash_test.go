//go:build unix

package icebergsort

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/apache/iceberg-go/table"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
	"github.com/arrowsort/arrowsort/internal/testrun"
)

// The process of a crash: the folder of the catalog, and the step at which it kills itself.
const (
	crashFolder = "ICEBERGSORT_CRASH_FOLDER"
	crashStep   = "ICEBERGSORT_CRASH_STEP"
)

// TestMain is a rewrite that is killed, where a test has started this program for it.
func TestMain(m *testing.M) {
	if folder := os.Getenv(crashFolder); folder != "" {
		crash(folder, os.Getenv(crashStep))
	}
	os.Exit(m.Run())
}

// crash rewrites a table and kills the process at a call of the progress, before the commit, or after it.
func crash(folder, step string) {
	kill := func() error { return syscall.Kill(os.Getpid(), syscall.SIGKILL) }
	ctx := context.Background()
	cat, err := OpenCatalog(ctx, "sqlite:"+filepath.Join(folder, "catalog.db"), CatalogOptions{})
	if err != nil {
		panic(err)
	}
	faulty := &faultyCatalog{CatalogIO: cat}
	opts := Options{Sort: "date, id", TargetFileSize: smallFiles}
	opts.Memory.SpillDir, opts.Memory.Budget = folder, parquetsort.MinMemory
	switch step {
	case "before":
		faulty.before = kill
	case "after":
		faulty.after = kill
	default:
		at, calls := atoi(step), 0
		opts.Progress = func(parquetsort.Phase, int64, int64) {
			if calls++; calls == at {
				kill() //nolint:errcheck // it does not return
			}
		}
	}
	if _, err := Rewrite(ctx, faulty, tableName, opts); err != nil {
		panic(err)
	}
	os.Exit(0)
}

func atoi(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		panic(err)
	}
	return n
}

// A process that is killed at any step leaves the rows of the table, in its old files or its new ones; all files that
// are in no snapshot are orphans, which are listed, and the next rewrite works.
func TestKilled(t *testing.T) {
	cat, folder := newCatalog(t)
	fillTable(t, newTable(t, cat, flights()), seeded(t), 3, 1000)
	want, _ := rowsOf(t, reload(t, cat))
	steps := []string{"before", "after"}
	for step := 1; step < testrun.Count(200, 40); step += 1 + step/2 {
		steps = append(steps, strconv.Itoa(step))
	}
	killed := 0
	for _, step := range steps {
		old := reload(t, cat)
		command := exec.Command(os.Args[0], "-test.run=^$")
		command.Env = append(os.Environ(), crashFolder+"="+folder, crashStep+"="+step)
		output, err := command.CombinedOutput()
		if status, ok := command.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
			killed++
		} else {
			require.NoError(t, err, string(output))
		}
		tbl := reload(t, cat)
		got, _ := rowsOf(t, tbl)
		require.Equal(t, want, got, "step %s", step)
		if step != "after" && command.ProcessState.ExitCode() != 0 {
			require.Equal(t, old.MetadataLocation(), tbl.MetadataLocation(), "step %s", step)
		}
		requireAllListed(t, cat, tbl, folder)
	}
	require.Greater(t, killed, 3)
	rewrite(t.Context(), t, cat, Options{Sort: "date, id"})
	_, err := Orphans(t.Context(), cat, tableName, OrphanOptions{OlderThan: 1, Remove: true})
	require.NoError(t, err)
	got, _ := rowsOf(t, reload(t, cat))
	require.Equal(t, want, got)
}

// requireAllListed checks that each file in the folder of a table is in its metadata or is listed as an orphan.
func requireAllListed(t *testing.T, cat table.CatalogIO, tbl *table.Table, folder string) {
	t.Helper()
	known := map[string]bool{}
	for _, path := range orphans(t, cat) {
		local, err := localPath(path)
		require.NoError(t, err)
		known[local] = true
	}
	for _, f := range metadataFiles(t, tbl) {
		local, err := localPath(f)
		require.NoError(t, err)
		known[local] = true
	}
	for _, path := range filesBelow(t, filepath.Join(folder, "warehouse")) {
		require.True(t, known[path], "%s is not listed", path)
	}
}

// metadataFiles returns the files that a table's metadata name: manifests, data files, and metadata.
func metadataFiles(t *testing.T, tbl *table.Table) (paths []string) {
	t.Helper()
	paths = append(paths, tbl.MetadataLocation())
	for entry := range tbl.Metadata().PreviousFiles() {
		paths = append(paths, entry.MetadataFile)
	}
	fs, err := tbl.FS(t.Context())
	require.NoError(t, err)
	for _, s := range tbl.Metadata().Snapshots() {
		paths = append(paths, s.ManifestList)
		manifests, err := s.Manifests(fs)
		require.NoError(t, err)
		for _, m := range manifests {
			paths = append(paths, m.FilePath())
			for e, err := range m.Entries(fs, false) {
				require.NoError(t, err)
				paths = append(paths, e.DataFile().FilePath())
			}
		}
	}
	for i, p := range paths {
		paths[i] = strings.TrimPrefix(p, "file://")
	}
	return paths
}
