package icebergsort

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
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

// The properties of a table that say how often a commit is tried again, and how long is waited before.
const (
	commitRetries, defaultCommitRetries = "commit.retry.num-retries", 4
	commitWait, defaultCommitWait       = "commit.retry.min-wait-ms", 100
)

// commit replaces files of a table. Where others have committed meanwhile it is tried again on the table that they have
// left, which guard checks. It returns the table, and the number of commits that were tried.
func (r *replacement) commit(ctx context.Context, t *table.Table, cat table.CatalogIO) (*table.Table, int, error) {
	g := &guard{CatalogIO: cat, base: t, replaced: map[string]bool{}, id: r.summary[rewriteID]}
	for _, f := range slices.Concat(r.old, r.deletes) {
		g.replaced[f.FilePath()] = true
	}
	retries := t.Properties().GetInt(commitRetries, defaultCommitRetries)
	wait := time.Duration(t.Properties().GetInt(commitWait, defaultCommitWait)) * time.Millisecond
	for {
		committed, err := r.try(ctx, t, g)
		if err == nil || !errors.Is(err, table.ErrCommitFailed) || g.commits > retries {
			return committed, g.commits, err
		}
		select {
		case <-ctx.Done():
			return nil, g.commits, ctx.Err()
		case <-time.After(wait):
			wait *= 2
		}
		if t, err = g.LoadTable(ctx, t.Identifier()); err != nil {
			return nil, g.commits, err
		}
	}
}

// try commits once. If nothing was committed, what was written for it is removed.
func (r *replacement) try(ctx context.Context, t *table.Table, g *guard) (*table.Table, error) {
	fs, err := t.FS(ctx)
	if err != nil {
		return nil, err
	}
	to, ok := fs.(io.WriteFileIO)
	if !ok {
		return nil, fmt.Errorf("%w: files cannot be written at %s", ErrUnsupported, t.Location())
	}
	written := &recorder{WriteFileIO: to}
	guarded := table.New(t.Identifier(), t.Metadata(), t.MetadataLocation(),
		func(context.Context) (io.IO, error) { return written, nil }, g)
	tx := guarded.NewTransaction()
	rewrite := tx.NewRewrite(r.summary)
	for _, f := range slices.Concat(r.old, r.deletes) {
		rewrite.DeleteFile(f)
	}
	for _, f := range r.new {
		rewrite.AddDataFile(f)
	}
	err = rewrite.Commit(ctx)
	if err == nil {
		var committed *table.Table
		if committed, err = tx.Commit(ctx); err == nil {
			return committed, nil
		}
	}
	if !errors.Is(err, ErrUnknown) {
		written.remove()
	}
	return nil, err
}

// A recorder knows the files that were created: manifests and lists of them.
type recorder struct {
	io.WriteFileIO
	lock  sync.Mutex
	paths []string
}

func (r *recorder) add(path string) {
	r.lock.Lock()
	defer r.lock.Unlock()
	r.paths = append(r.paths, path)
}

// Create creates a file.
func (r *recorder) Create(path string) (io.FileWriter, error) {
	r.add(path)
	return r.WriteFileIO.Create(path)
}

// WriteFile writes a file.
func (r *recorder) WriteFile(path string, content []byte) error {
	r.add(path)
	return r.WriteFileIO.WriteFile(path, content)
}

// remove removes the files. Those that cannot be removed are orphans, which are no error of the commit.
func (r *recorder) remove() {
	for _, path := range r.paths {
		_ = r.WriteFileIO.Remove(path)
	}
}

// A guard is a catalog between iceberg-go and the catalog of a table. A commit that fails with table.ErrCommitFailed is
// tried again on the table that LoadTable then returns, by iceberg-go or by replacement.commit. The guard checks this
// table: what iceberg-go itself checks misses position deletes of version 2 that do not name their data file.
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
func (g *guard) moved(now *table.Table) bool {
	return now.MetadataLocation() != g.base.MetadataLocation()
}

// check returns ErrConflict unless all that others have committed since is new rows, in a table whose files still have
// the rows that were read.
func (g *guard) check(ctx context.Context, now *table.Table) error {
	if err := checkTable(now); err != nil {
		return fmt.Errorf("%w: %w", ErrConflict, err)
	}
	for _, spec := range now.Metadata().PartitionSpecs() {
		if name := droppedSource(spec, now.Schema()); name != "" && droppedSource(spec, g.base.Schema()) == "" {
			return fmt.Errorf("%w: the column of partition field %s has been dropped", ErrConflict, name)
		}
	}
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

// OrphanOptions say which files Orphans lists.
type OrphanOptions struct {
	// OlderThan is the age of the files at least; 0 is three days. The files of a rewrite that runs are in no snapshot
	// yet: the age has to be longer than any rewrite and any other write of the table takes.
	OlderThan time.Duration
	// Remove removes the files.
	Remove bool
}

// liveNames returns the names, without folders, of the files that a table's metadata name: manifests, data files, their
// deletes, statistics, and metadata.
func liveNames(ctx context.Context, t *table.Table) (map[string]bool, error) {
	fs, err := t.FS(ctx)
	if err != nil {
		return nil, err
	}
	names := map[string]bool{path.Base(t.MetadataLocation()): true}
	for entry := range t.Metadata().PreviousFiles() {
		names[path.Base(entry.MetadataFile)] = true
	}
	for s := range t.Metadata().Statistics() {
		names[path.Base(s.StatisticsPath)] = true
	}
	for s := range t.Metadata().PartitionStatistics() {
		names[path.Base(s.StatisticsPath)] = true
	}
	for _, s := range t.Metadata().Snapshots() {
		names[path.Base(s.ManifestList)] = true
		manifests, err := s.Manifests(fs)
		if err != nil {
			return nil, err
		}
		for _, m := range manifests {
			names[path.Base(m.FilePath())] = true
			for e, err := range m.Entries(fs, false) {
				if err != nil {
					return nil, err
				}
				names[path.Base(e.DataFile().FilePath())] = true
			}
		}
	}
	return names, nil
}

// Orphans lists the files in the folder of a table that no snapshot of it has, nor its history of metadata: what
// processes that were killed have left, of this program and of others. Files with a % below the folder are not listed.
func Orphans(ctx context.Context, cat table.CatalogIO, name table.Identifier, opts OrphanOptions) ([]string, error) {
	if opts.OlderThan < 0 {
		return nil, fmt.Errorf("%w: an age of %v", ErrOption, opts.OlderThan)
	}
	if opts.OlderThan == 0 {
		opts.OlderThan = 72 * time.Hour
	}
	t, err := loadTable(ctx, cat, name)
	if err != nil {
		return nil, err
	}
	if opts.Remove && !strings.EqualFold(t.Properties().Get("gc.enabled", "true"), "true") {
		return nil, fmt.Errorf("%w: the table's property gc.enabled is false, as other tables may have its files; "+
			"leave out Remove", ErrUnsupported)
	}
	root, err := localPath(t.Location())
	if err != nil {
		return nil, err
	}
	found, err := t.PlanOrphanFiles(ctx, table.WithFilesOlderThan(opts.OlderThan))
	if err != nil {
		return nil, err
	}
	live, err := liveNames(ctx, t)
	if err != nil {
		return nil, err
	}
	// iceberg-go compares paths: the same folder may have another one, by a symbolic link. And it decodes what
	// snapshots have, see localPath: files with a % may be among them.
	orphans := slices.DeleteFunc(found.Files(), func(path string) bool {
		info, err := os.Lstat(path)
		return err != nil || !info.Mode().IsRegular() || live[filepath.Base(path)] ||
			strings.Contains(strings.TrimPrefix(path, root), "%")
	})
	slices.Sort(orphans)
	for _, path := range orphans {
		if opts.Remove {
			err = errors.Join(err, os.Remove(path))
		}
	}
	return orphans, err
}
