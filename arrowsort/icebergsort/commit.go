package icebergsort

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/io"
	"github.com/apache/iceberg-go/table"
)

// rewriteID is the key of a snapshot's summary that names the rewrite that made it.
const rewriteID = "arrowsort.rewrite-id"

// A replacement is files that one commit replaces by others.
type replacement struct {
	old, new, deletes []iceberg.DataFile // deletes: delete files that apply to old files only
	summary           iceberg.Properties // with rewriteID
}

// commit replaces files of a table. Concurrent commits of others are checked and built upon: see guard.
func (r *replacement) commit(ctx context.Context, t *table.Table, cat table.CatalogIO) (*table.Table, int, error) {
	g := &guard{CatalogIO: cat, base: t, replaced: map[string]bool{}, id: r.summary[rewriteID]}
	for _, f := range r.old {
		g.replaced[f.FilePath()] = true
	}
	guarded := table.New(t.Identifier(), t.Metadata(), t.MetadataLocation(), func(ctx context.Context) (io.IO, error) {
		return t.FS(ctx)
	}, g)
	tx := guarded.NewTransaction()
	if err := tx.NewRewrite(r.summary).Apply(r.old, r.new, r.deletes).Commit(ctx); err != nil {
		return nil, 0, err
	}
	committed, err := tx.Commit(ctx)
	return committed, g.commits, err
}

// A guard is a catalog between iceberg-go and the catalog of a table. iceberg-go repeats a commit that fails with
// table.ErrCommitFailed on the table that LoadTable then returns, as often as the table's properties say. The guard has
// it do so for all catalogs, and checks each of these tables: what iceberg-go itself checks misses position deletes of
// version 2, which do not name their data file.
type guard struct {
	table.CatalogIO
	base     *table.Table
	replaced map[string]bool // paths
	id       string          // of the rewrite
	commits  int             // that were tried
}

// LoadTable loads the table for another try.
func (g *guard) LoadTable(ctx context.Context, name table.Identifier) (*table.Table, error) {
	t, err := g.CatalogIO.LoadTable(ctx, name)
	if err != nil {
		return nil, err
	}
	return t, g.check(ctx, t)
}

// CommitTable commits. After an error it finds out whether the catalog took the commit.
func (g *guard) CommitTable(ctx context.Context, name table.Identifier, reqs []table.Requirement,
	updates []table.Update) (table.Metadata, string, error) {
	g.commits++
	meta, location, failed := g.CatalogIO.CommitTable(ctx, name, reqs, updates)
	if failed == nil {
		return meta, location, nil
	}
	// The context may be what has ended the commit.
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 30*time.Second)
	defer cancel()
	now, err := g.CatalogIO.LoadTable(ctx, name)
	if err != nil {
		return nil, "", fmt.Errorf("%w: %w; %w", ErrUnknown, failed, err)
	}
	for _, s := range now.Metadata().Snapshots() {
		if s.Summary != nil && s.Summary.Properties[rewriteID] == g.id {
			return now.Metadata(), now.MetadataLocation(), nil
		}
	}
	if g.moved(now) && !errors.Is(failed, table.ErrCommitFailed) {
		failed = fmt.Errorf("%w: %w", table.ErrCommitFailed, failed)
	}
	return nil, "", failed
}

// moved reports whether others have committed since the table was read.
func (g *guard) moved(now *table.Table) bool { return now.MetadataLocation() != g.base.MetadataLocation() }

// check returns ErrConflict unless all that others have committed since is new rows, in a table whose files still have
// the rows that were read.
func (g *guard) check(ctx context.Context, now *table.Table) error {
	fs, err := now.FS(ctx)
	if err != nil {
		return err
	}
	head := now.CurrentSnapshot()
	for s := head; s == nil || s.SnapshotID != g.base.CurrentSnapshot().SnapshotID; {
		if s == nil {
			return fmt.Errorf("%w: it no longer has the snapshot that was read", ErrConflict)
		}
		manifests, err := s.Manifests(fs)
		if err != nil {
			return err
		}
		for _, m := range manifests {
			if m.ManifestContent() == iceberg.ManifestContentDeletes && m.SnapshotID() == s.SnapshotID &&
				(m.AddedDataFiles() != 0 || m.AddedRows() != 0) {
				return fmt.Errorf("%w: snapshot %d deletes rows", ErrConflict, s.SnapshotID)
			}
		}
		if s.ParentSnapshotID == nil {
			s = nil
			continue
		}
		s = now.Metadata().SnapshotByID(*s.ParentSnapshotID)
	}
	return g.checkFiles(fs, head)
}

// checkFiles returns ErrConflict unless a snapshot has all files that are to be replaced.
func (g *guard) checkFiles(fs io.IO, s *table.Snapshot) error {
	manifests, err := s.Manifests(fs)
	if err != nil {
		return err
	}
	left := len(g.replaced)
	for _, m := range manifests {
		if m.ManifestContent() != iceberg.ManifestContentData {
			continue
		}
		for e, err := range m.Entries(fs, true) {
			if err != nil {
				return err
			}
			if g.replaced[e.DataFile().FilePath()] {
				left--
			}
		}
	}
	if left > 0 {
		return fmt.Errorf("%w: %d of the files that were read are no longer in it", ErrConflict, left)
	}
	return nil
}
