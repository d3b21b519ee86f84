package icebergsort

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/apache/iceberg-go/table"
)

// OrphanOptions say which files Orphans lists.
type OrphanOptions struct {
	// OlderThan is the age of the files at least; 0 is three days. The files of a rewrite that runs are in no snapshot
	// yet: the age has to be longer than any rewrite and any other write of the table takes.
	OlderThan time.Duration
	// Remove removes the files.
	Remove bool
}

// Orphans lists the files in the folder of a table that no snapshot of it has, nor its history of metadata: what
// processes that were killed have left, of this program and of others.
func Orphans(ctx context.Context, cat table.CatalogIO, name table.Identifier, opts OrphanOptions) ([]string, error) {
	if opts.OlderThan < 0 {
		return nil, fmt.Errorf("%w: an age of %v", ErrOption, opts.OlderThan)
	}
	if opts.OlderThan == 0 {
		opts.OlderThan = 72 * time.Hour
	}
	t, err := cat.LoadTable(ctx, name)
	if err != nil {
		return nil, err
	}
	if _, err := localPath(t.Location()); err != nil {
		return nil, err
	}
	result, err := t.DeleteOrphanFiles(ctx, table.WithFilesOlderThan(opts.OlderThan), table.WithDryRun(!opts.Remove))
	if err != nil {
		return nil, err
	}
	files := result.OrphanFileLocations
	slices.Sort(files)
	return files, nil
}
