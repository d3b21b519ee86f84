package icebergsort

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/table"
	"github.com/google/uuid"
)

// A Result is what Rewrite did, or would do.
type Result struct {
	Table       string   `json:"table"`
	Snapshot    int64    `json:"snapshot"`           // the new one; the one that was read where nothing was committed
	Committed   bool     `json:"committed"`          // false: there was nothing to do, or Options.DryRun
	Partitions  int      `json:"partitions"`         // of the files
	FilesIn     int      `json:"files_in"`           // that were replaced
	FilesOut    int      `json:"files_out"`          // new ones; about how many with Options.DryRun
	FilesKept   int      `json:"files_kept"`         // that were chosen, and are in this order already
	DeleteFiles int      `json:"delete_files"`       // that apply to the old files
	Rows        int64    `json:"rows"`               // of the old files
	RowsDeleted int64    `json:"rows_deleted"`       // of them, by delete files; 0 with Options.DryRun
	BytesIn     int64    `json:"bytes_in"`           // of the old files
	BytesOut    int64    `json:"bytes_out"`          // of the new files; 0 with Options.DryRun
	Spilled     int64    `json:"bytes_spilled"`      // of sorted runs
	SortOrderID int      `json:"sort_order_id"`      // of the new files; 0: the table has no order that they have
	Commits     int      `json:"commits"`            // that were tried
	Files       []string `json:"files,omitempty"`    // the old ones, with Options.DryRun
	Column      string   `json:"column,omitempty"`   // the first of the order
	Before      *Depth   `json:"before,omitempty"`   // of the old files, by this column
	After       *Depth   `json:"after,omitempty"`    // of the new files
	Expected    *Depth   `json:"expected,omitempty"` // of the new files with Options.DryRun; absent for a curve
}

// Rewrite sorts the rows of data files of a table into new files, partition by partition, and replaces the old files by
// them in one commit. New files are in the folders of the old ones, of about the target size, and do not overlap within
// a partition but for rows that tie at their borders, unless a curve orders them. Row groups, codecs and pages are
// those of package parquetsort, and of the table's properties write.parquet.compression-codec, compression-level and
// page-row-limit.
//
// It reads the current snapshot of the table. Rows that others append meanwhile stay; other changes are ErrConflict.
// After an error the table is as it was, and the new files are removed, except after ErrUnknown.
func Rewrite(ctx context.Context, cat table.CatalogIO, name table.Identifier, opts Options) (*Result, error) {
	t, err := loadTable(ctx, cat, name)
	if err != nil {
		return nil, err
	}
	p, err := makePlan(ctx, t, opts)
	if err != nil {
		return nil, err
	}
	result := p.result()
	if len(p.groups) == 0 {
		return result, nil
	}
	if opts.DryRun {
		p.expect(result)
		return result, nil
	}
	w := &writer{plan: p, opts: opts, id: uuid.New()}
	r := &replacement{summary: iceberg.Properties{rewriteID: w.id.String(), "engine-name": "arrowsort",
		"arrowsort.rows-deleted": "0"}}
	after := depthSum{}
	for i, g := range p.groups {
		files, err := w.write(ctx, i, g)
		if err != nil {
			return nil, errors.Join(inPartition(g, err), w.discard())
		}
		r.old, r.new = append(r.old, g.files()...), append(r.new, files...)
		after.add(files, p.order.fields[0])
	}
	r.deletes = p.unneeded()
	r.summary["arrowsort.rows-deleted"] = strconv.FormatInt(w.deleted, 10)
	committed, commits, err := r.commit(ctx, t, cat)
	if err != nil {
		if errors.Is(err, ErrUnknown) {
			return nil, err
		}
		return nil, errors.Join(err, w.discard())
	}
	result.Committed, result.Commits, result.Snapshot = true, commits, committed.CurrentSnapshot().SnapshotID
	result.FilesOut, result.RowsDeleted, result.Spilled = len(r.new), w.deleted, w.spilled
	result.After, result.Expected = after.result(), nil
	for _, f := range r.new {
		result.BytesOut += f.FileSizeBytes()
	}
	return result, nil
}

func inPartition(g *group, err error) error {
	if g.name == "" {
		return err
	}
	return fmt.Errorf("partition %s: %w", g.name, err)
}

// result describes the files of a plan.
func (p *plan) result() *Result {
	r := &Result{Table: strings.Join(p.table.Identifier(), "."), Partitions: len(p.groups), SortOrderID: p.order.id,
		Column: p.order.terms[0].path, FilesKept: p.settled}
	if s := p.table.CurrentSnapshot(); s != nil {
		r.Snapshot = s.SnapshotID
	}
	before := depthSum{}
	deletes := map[string]bool{}
	for _, g := range p.groups {
		r.FilesIn += len(g.tasks)
		r.Rows += g.rows()
		r.BytesIn += g.bytes()
		before.add(g.files(), p.order.fields[0])
		for _, t := range g.tasks {
			for _, f := range deleteFiles(t) {
				deletes[f.FilePath()] = true
			}
		}
	}
	r.DeleteFiles, r.Before = len(deletes), before.result()
	return r
}

// expect adds what the new files will be, if they compress as the old ones do.
func (p *plan) expect(r *Result) {
	for _, g := range p.groups {
		r.FilesOut += int((g.bytes() + p.target - 1) / p.target)
		for _, f := range g.files() {
			r.Files = append(r.Files, f.FilePath())
		}
	}
	if p.order.curve == 0 {
		r.Expected = &Depth{Mean: 1, Worst: 1, Files: r.FilesOut}
	}
}

// unneeded returns the delete files that apply to no other files than those that are rewritten.
func (p *plan) unneeded() []iceberg.DataFile {
	rewritten, files := map[string]bool{}, map[string]iceberg.DataFile{}
	for _, g := range p.groups {
		for _, t := range g.tasks {
			rewritten[t.File.FilePath()] = true
			for _, f := range deleteFiles(t) {
				files[f.FilePath()] = f
			}
		}
	}
	for _, t := range p.tasks {
		if rewritten[t.File.FilePath()] {
			continue
		}
		for _, f := range deleteFiles(t) {
			delete(files, f.FilePath())
		}
	}
	return slices.Collect(maps.Values(files))
}
