package icebergsort

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
)

// A faultyCatalog is a catalog between which and a rewrite something happens.
type faultyCatalog struct {
	table.CatalogIO
	before func() error // before a commit, which its error replaces
	after  func() error // after a commit that the catalog took, likewise
	loads  func() error // replaces a load
}

func (c *faultyCatalog) CommitTable(ctx context.Context, name table.Identifier, reqs []table.Requirement,
	updates []table.Update) (table.Metadata, string, error) {
	if c.before != nil {
		if err := c.before(); err != nil {
			return nil, "", err
		}
	}
	meta, location, err := c.CatalogIO.CommitTable(ctx, name, reqs, updates)
	if err == nil && c.after != nil {
		if err := c.after(); err != nil {
			return nil, "", err
		}
	}
	return meta, location, err
}

func (c *faultyCatalog) LoadTable(ctx context.Context, name table.Identifier) (*table.Table, error) {
	if c.loads != nil {
		if err := c.loads(); err != nil {
			return nil, err
		}
	}
	return c.CatalogIO.LoadTable(ctx, name)
}

// once returns a function that runs another the first time.
func once(run func()) func() error {
	done := false
	return func() error {
		if !done {
			done = true
			run()
		}
		return nil
	}
}

// requireNoOrphans compares the files of a table's folder with those that its snapshots have.
func requireNoOrphans(t *testing.T, cat table.CatalogIO) {
	t.Helper()
	require.Empty(t, orphans(t, cat))
}

func orphans(t *testing.T, cat table.CatalogIO) []string {
	t.Helper()
	time.Sleep(10 * time.Millisecond)
	files, err := Orphans(t.Context(), cat, tableName, OrphanOptions{OlderThan: time.Nanosecond})
	require.NoError(t, err)
	return files
}

// Rows that others append while the files are written are in the table afterwards.
func TestConcurrentAppendsStay(t *testing.T) {
	rng := seeded(t)
	cat, _ := newCatalog(t)
	fillTable(t, newTable(t, cat, flights()), rng, 3, 500)
	var appended *table.Table
	faulty := &faultyCatalog{CatalogIO: cat, before: once(func() {
		appended = appendRows(t, reload(t, cat), random(t, flights(), rng, 9000, 200))
	})}
	result, err := Rewrite(t.Context(), faulty, tableName, Options{Sort: "id"})
	require.NoError(t, err)
	require.Equal(t, 2, result.Commits)
	want, _ := rowsOf(t, appended)
	got, byFile := rowsOf(t, reload(t, cat))
	require.Equal(t, want, got)
	require.Len(t, byFile, 2)
	require.Equal(t, "1700", reload(t, cat).CurrentSnapshot().Summary.Properties["total-records"])
	requireNoOrphans(t, cat)
}

func upgradeFormat(tx *table.Transaction) error { return tx.UpgradeFormatVersion(3) }

// Where others delete rows or replace the files that were read, nothing is committed, and no file stays.
func TestConcurrentChangesAreConflicts(t *testing.T) {
	for name, change := range map[string]func(t *testing.T, cat table.CatalogIO){
		"rewrite": func(t *testing.T, cat table.CatalogIO) {
			_, err := Rewrite(t.Context(), cat, tableName, Options{Sort: "date"})
			require.NoError(t, err)
		},
		"rows deleted by new files": func(t *testing.T, cat table.CatalogIO) {
			deleteWhere(t, reload(t, cat), "id < 100", "copy-on-write")
		},
		"position deletes": func(t *testing.T, cat table.CatalogIO) {
			deleteWhere(t, reload(t, cat), "id < 100", "merge-on-read")
		},
		"equality deletes": func(t *testing.T, cat table.CatalogIO) { deleteIDs(t, reload(t, cat), 5, 600) },
		"a new version of the format": func(t *testing.T, cat table.CatalogIO) {
			transact(t, reload(t, cat), upgradeFormat)
		},
		"a new version and rows": func(t *testing.T, cat table.CatalogIO) {
			tbl := transact(t, reload(t, cat), upgradeFormat)
			appendRows(t, tbl, random(t, flights(), seeded(t), 9000, 200))
		},
	} {
		t.Run(name, func(t *testing.T) {
			cat, _ := newCatalog(t)
			fillTable(t, newTable(t, cat, flights()), seeded(t), 3, 500)
			var want []string
			faulty := &faultyCatalog{CatalogIO: cat, before: once(func() {
				change(t, cat)
				want, _ = rowsOf(t, reload(t, cat))
			})}
			_, err := Rewrite(t.Context(), faulty, tableName, Options{Sort: "id"})
			require.ErrorIs(t, err, ErrConflict)
			got, _ := rowsOf(t, reload(t, cat))
			require.Equal(t, want, got)
			requireOnlyMetadata(t, orphans(t, cat))
		})
	}
}

// requireOnlyMetadata checks that no data file is among some files: iceberg-go leaves the manifests of a commit that
// failed.
func requireOnlyMetadata(t *testing.T, paths []string) {
	t.Helper()
	for _, path := range paths {
		require.Equal(t, "metadata", filepath.Base(filepath.Dir(path)), path)
	}
}

// A commit that the catalog took, but did not say so, is a success; one of which nothing can be found out keeps its
// files; one that the catalog refuses leaves none.
func TestCommitsThatFail(t *testing.T) {
	broken := errors.New("the line is cut")
	newFlights := func(t *testing.T) table.CatalogIO {
		cat, _ := newCatalog(t)
		fillTable(t, newTable(t, cat, flights()), seeded(t), 3, 500)
		return cat
	}
	t.Run("taken", func(t *testing.T) {
		cat := newFlights(t)
		want, _ := rowsOf(t, reload(t, cat))
		result, err := Rewrite(t.Context(), &faultyCatalog{CatalogIO: cat, after: func() error { return broken }},
			tableName, Options{Sort: "id"})
		require.NoError(t, err)
		got, _ := rowsOf(t, reload(t, cat))
		require.Equal(t, want, got)
		require.Equal(t, result.Snapshot, reload(t, cat).CurrentSnapshot().SnapshotID)
		requireNoOrphans(t, cat)
	})
	t.Run("refused", func(t *testing.T) {
		cat := newFlights(t)
		old := reload(t, cat)
		_, err := Rewrite(t.Context(), &faultyCatalog{CatalogIO: cat, before: func() error { return broken }},
			tableName, Options{Sort: "id"})
		require.ErrorIs(t, err, broken)
		require.NotErrorIs(t, err, ErrUnknown)
		require.Equal(t, old.MetadataLocation(), reload(t, cat).MetadataLocation())
		requireOnlyMetadata(t, orphans(t, cat))
	})
	t.Run("unknown", func(t *testing.T) {
		cat := newFlights(t)
		want, _ := rowsOf(t, reload(t, cat))
		faulty := &faultyCatalog{CatalogIO: cat}
		faulty.after = func() error {
			faulty.loads = func() error { return broken }
			return broken
		}
		_, err := Rewrite(t.Context(), faulty, tableName, Options{Sort: "id"})
		require.ErrorIs(t, err, ErrUnknown)
		got, _ := rowsOf(t, reload(t, cat)) // the commit was taken: its files have to be there
		require.Equal(t, want, got)
	})
}

// A context that ends at any time leaves the table as it was or rewritten, and no data file that is in no snapshot.
func TestCancelled(t *testing.T) {
	cat, _ := newCatalog(t)
	fillTable(t, newTable(t, cat, flights()), seeded(t), 3, 2000)
	want, _ := rowsOf(t, reload(t, cat))
	for step := 1; ; step++ {
		ctx, cancel := context.WithCancel(t.Context())
		calls := 0
		opts := Options{Sort: "date, id", TargetFileSize: smallFiles}
		opts.Progress = func(parquetsort.Phase, int64, int64) {
			if calls++; calls == step {
				cancel()
			}
		}
		opts.Memory.SpillDir = t.TempDir()
		_, err := Rewrite(ctx, cat, tableName, opts)
		cancel()
		got, _ := rowsOf(t, reload(t, cat))
		require.Equal(t, want, got)
		requireOnlyMetadata(t, orphans(t, cat))
		left, e := os.ReadDir(opts.Memory.SpillDir)
		require.NoError(t, e)
		require.Empty(t, left)
		if err == nil {
			require.Greater(t, step, 2)
			break
		}
		require.ErrorIs(t, err, context.Canceled)
		step += step / 4 // the number of calls depends on the rows
	}
	faulty := &faultyCatalog{CatalogIO: cat}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	faulty.before = once(cancel)
	_, err := Rewrite(ctx, faulty, tableName, Options{Sort: "id"})
	got, _ := rowsOf(t, reload(t, cat))
	require.Equal(t, want, got)
	require.ErrorIs(t, err, context.Canceled)
	requireOnlyMetadata(t, orphans(t, cat))
}

// Files that are in no snapshot are listed, those that are too young are not, and those that are removed are gone.
func TestOrphans(t *testing.T) {
	cat, folder := newCatalog(t)
	tbl := fillTable(t, newTable(t, cat, flights()), seeded(t), 2, 100)
	root, err := localPath(tbl.Location())
	require.NoError(t, err)
	strange := filepath.Join(root, "data", "arrowsort-left.parquet")
	require.NoError(t, os.WriteFile(strange, []byte("x"), 0o666))
	all := filesBelow(t, folder)
	require.Contains(t, all, strange)

	files, err := Orphans(t.Context(), cat, tableName, OrphanOptions{OlderThan: time.Hour})
	require.NoError(t, err)
	require.Empty(t, files)
	require.Equal(t, []string{strange}, orphans(t, cat))
	require.Equal(t, all, filesBelow(t, folder))
	files, err = Orphans(t.Context(), cat, tableName, OrphanOptions{OlderThan: time.Nanosecond, Remove: true})
	require.NoError(t, err)
	require.Equal(t, []string{strange}, files)
	require.Equal(t, len(all)-1, len(filesBelow(t, folder)))
	require.False(t, slices.Contains(filesBelow(t, folder), strange))
	_, err = Orphans(t.Context(), cat, tableName, OrphanOptions{OlderThan: -1})
	require.ErrorIs(t, err, ErrOption)
	for value, want := range map[string]error{"false": ErrUnsupported, "off": ErrUnsupported, "True": nil} {
		changes := reload(t, cat).NewTransaction()
		require.NoError(t, changes.SetProperties(iceberg.Properties{"gc.enabled": value}))
		_, err = changes.Commit(t.Context())
		require.NoError(t, err)
		_, err = Orphans(t.Context(), cat, tableName, OrphanOptions{OlderThan: time.Nanosecond, Remove: true})
		require.ErrorIs(t, err, want, value)
	}
}
