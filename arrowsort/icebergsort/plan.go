package icebergsort

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/catalog"
	"github.com/apache/iceberg-go/io"
	"github.com/apache/iceberg-go/table"
)

// A plan is what a rewrite reads: files of one snapshot, by partition.
type plan struct {
	table      *table.Table
	schema     *iceberg.Schema
	order      *order
	properties iceberg.Properties
	target     int64 // bytes of new files
	modes      map[int]metricsMode
	tasks      []table.FileScanTask // of all data files of the snapshot
	groups     []*group
	settled    int // files that were chosen and are left as they are
}

// A group is the chosen files of a partition.
type group struct {
	spec      iceberg.PartitionSpec
	partition map[int]any // by the id of the partition's field
	name      string      // for messages: origin=ORD; empty without partitions
	tasks     []table.FileScanTask
	folder    string // the location of the folder of new files
}

// files returns the data files of a group.
func (g *group) files() []iceberg.DataFile {
	files := make([]iceberg.DataFile, len(g.tasks))
	for i, t := range g.tasks {
		files[i] = t.File
	}
	return files
}

func (g *group) bytes() (n int64) {
	for _, t := range g.tasks {
		n += t.File.FileSizeBytes()
	}
	return n
}

func (g *group) rows() (n int64) {
	for _, t := range g.tasks {
		n += t.File.Count()
	}
	return n
}

// deletes reports whether rows of the files have been deleted by delete files.
func (g *group) deletes() bool { return slices.ContainsFunc(g.tasks, hasDeletes) }

func hasDeletes(t table.FileScanTask) bool { return len(deleteFiles(t)) > 0 }

// deleteFiles returns the files that delete rows of a data file.
func deleteFiles(t table.FileScanTask) []iceberg.DataFile {
	return slices.Concat(t.DeleteFiles, t.EqualityDeleteFiles, t.DeletionVectorFiles)
}

// loadTable loads a table. One whose metadata are in a store that iceberg-go has not been built with is ErrUnsupported.
func loadTable(ctx context.Context, cat table.CatalogIO, name table.Identifier) (*table.Table, error) {
	t, err := cat.LoadTable(ctx, name)
	if errors.Is(err, catalog.ErrNoSuchTable) {
		return nil, fmt.Errorf("%w: %w", ErrOption, err)
	}
	if errors.Is(err, io.ErrIOSchemeNotFound) {
		text, _, _ := strings.Cut(err.Error(), "\n") // the other lines are for programmers
		return nil, fmt.Errorf("%w: only files of this machine are supported: %s", ErrUnsupported, text)
	}
	return t, err
}

// makePlan chooses files of the current snapshot of a table. All that can be known to go wrong is an error here.
func makePlan(ctx context.Context, t *table.Table, opts Options) (p *plan, err error) {
	if err := opts.check(); err != nil {
		return nil, err
	}
	if err := checkTable(t); err != nil {
		return nil, err
	}
	p = &plan{table: t, schema: t.Schema(), properties: t.Properties()}
	if p.order, err = resolveOrder(t.Metadata(), opts); err != nil {
		return nil, err
	}
	if p.target, err = opts.target(p.properties); err != nil {
		return nil, err
	}
	if p.modes, err = metricsModes(p.schema, p.properties); err != nil {
		return nil, err
	}
	if _, err := output(p.properties); err != nil {
		return nil, err
	}
	var where iceberg.BooleanExpression
	if opts.Where != "" {
		if where, err = parseWhere(opts.Where, p.schema); err != nil {
			return nil, err
		}
	}
	if t.CurrentSnapshot() == nil {
		return p, nil
	}
	if p.tasks, err = wholeFiles(ctx, t.Scan()); err != nil {
		return nil, err
	}
	chosen := p.tasks
	if where != nil {
		if chosen, err = p.choose(ctx, where); err != nil {
			return nil, err
		}
	}
	if err := p.addGroups(chosen); err != nil {
		return nil, err
	}
	if err := p.checkPartitions(); err != nil {
		return nil, err
	}
	if opts.MinDepth > 0 {
		p.keepDeepest(opts.MinDepth)
	}
	p.leaveSettled()
	return p, p.check()
}

// choose returns the tasks of the files that may have rows that pass a filter. Only the paths are those of a filtered
// scan: it leaves out delete files that delete no rows that pass, and they may delete others of the same data file.
func (p *plan) choose(ctx context.Context, where iceberg.BooleanExpression) ([]table.FileScanTask, error) {
	tasks, err := p.table.Scan(table.WithRowFilter(where)).PlanFiles(ctx)
	if errors.Is(err, iceberg.ErrInvalidBinSerialization) {
		return nil, fmt.Errorf("%w: a column of the filter had another type when some files were written, and "+
			"iceberg-go does not read their bounds: rewrite them once without a filter: %w", ErrUnsupported, err)
	}
	if err != nil {
		return nil, err
	}
	chosen := map[string]bool{}
	for _, t := range tasks {
		chosen[t.File.FilePath()] = true
	}
	return slices.DeleteFunc(slices.Clone(p.tasks), func(t table.FileScanTask) bool {
		return !chosen[t.File.FilePath()]
	}), nil
}

// wholeFiles returns one task for each data file: a scan divides large files into several.
func wholeFiles(ctx context.Context, scan *table.Scan) (tasks []table.FileScanTask, err error) {
	parts, err := scan.PlanFiles(ctx)
	if err != nil {
		return nil, err
	}
	places := map[string]int{}
	for _, part := range parts {
		location := part.File.FilePath()
		if i, ok := places[location]; ok {
			tasks[i].Length += part.Length
			if tasks[i].Length > part.File.FileSizeBytes() {
				return nil, fmt.Errorf("%w: the table has %s twice", ErrUnsupported, location)
			}
			continue
		}
		places[location] = len(tasks)
		part.Start = 0 // where the first part begins
		tasks = append(tasks, part)
	}
	return tasks, nil
}

// checkTable finds tables that cannot be rewritten.
func checkTable(t *table.Table) error {
	if v := t.Metadata().Version(); v > 2 {
		return fmt.Errorf("%w: the table has format version %d, whose rows have ids that a rewrite has to keep: "+
			"versions 1 and 2 are supported", ErrUnsupported, v)
	}
	_, err := localPath(t.Location())
	return err
}

// check finds files that cannot be read or replaced, and the folders of new files.
func (p *plan) check() (err error) {
	for _, g := range p.groups {
		for _, task := range g.tasks {
			if err := checkTask(task); err != nil {
				return err
			}
			if err := p.checkStored(g, task); err != nil {
				return err
			}
		}
		if g.folder, err = p.folder(g); err != nil {
			return err
		}
	}
	return nil
}

// folder returns the location of the folder of new files: that of the first of the old files, which has the values of
// the partition in its name with most writers, unless that is not a folder of the table, or has a % in it, by which
// readers do not agree where it is.
func (p *plan) folder(g *group) (string, error) {
	folder := folderOf(g.tasks[0].File.FilePath())
	name, inTable := strings.CutPrefix(folder+"/", strings.TrimSuffix(p.table.Location(), "/")+"/")
	if !inTable || strings.Contains(name, "%") {
		provider, err := p.table.LocationProvider()
		if err != nil {
			return "", err
		}
		folder = folderOf(provider.NewDataLocation("x"))
	}
	return folder, checkFolder(folder)
}

// checkTask finds files that cannot be read or replaced.
func checkTask(t table.FileScanTask) error {
	for _, f := range append(deleteFiles(t), t.File) {
		switch {
		case f.FileFormat() != iceberg.ParquetFile:
			return fmt.Errorf("%w: %s is %s, and only Parquet is supported", ErrUnsupported, f.FilePath(),
				f.FileFormat())
		case len(f.KeyMetadata()) > 0:
			return fmt.Errorf("%w: %s is encrypted", ErrUnsupported, f.FilePath())
		}
		if _, err := localPath(f.FilePath()); err != nil {
			return err
		}
	}
	return nil
}

// addGroups divides files by partition spec and partition, in the order of both; those of a partition are in the order
// of their names, so that a rewrite of the same files has the same result.
func (p *plan) addGroups(tasks []table.FileScanTask) error {
	groups := map[string]*group{}
	for _, task := range tasks {
		spec := p.table.Metadata().PartitionSpecByID(int(task.File.SpecID()))
		if spec == nil {
			return fmt.Errorf("%w: %s has partition spec %d, which the table lacks", ErrUnsupported,
				task.File.FilePath(), task.File.SpecID())
		}
		name := partitionName(*spec, task.File.Partition())
		key := fmt.Sprintf("%08d %s", spec.ID(), name)
		if groups[key] == nil {
			groups[key] = &group{spec: *spec, partition: task.File.Partition(), name: name}
		}
		groups[key].tasks = append(groups[key].tasks, task)
	}
	for _, key := range slices.Sorted(maps.Keys(groups)) {
		g := groups[key]
		slices.SortFunc(g.tasks, func(a, b table.FileScanTask) int {
			return cmp.Compare(a.File.FilePath(), b.File.FilePath())
		})
		p.groups = append(p.groups, g)
	}
	return nil
}

// keepDeepest drops the files that share no value with enough others, see Options.MinDepth.
func (p *plan) keepDeepest(depth int) {
	for _, g := range p.groups {
		var kept []table.FileScanTask
		for _, i := range deepest(g.files(), p.order.fields[0], depth) {
			kept = append(kept, g.tasks[i])
		}
		g.tasks = kept
	}
	p.groups = slices.DeleteFunc(p.groups, func(g *group) bool { return len(g.tasks) == 0 })
}

// leaveSettled drops the files of partitions that a rewrite would write again as they are: all of them say that they
// have the sort order of the table that is asked for, they share no values of its first column but at their borders,
// and they have about the target size.
func (p *plan) leaveSettled() {
	p.groups = slices.DeleteFunc(p.groups, func(g *group) bool {
		if !p.order.exact || g.deletes() || !p.settledFiles(g.files()) {
			return false
		}
		p.settled += len(g.tasks)
		return true
	})
}

func (p *plan) settledFiles(files []iceberg.DataFile) bool {
	column := p.order.fields[0]
	var bytes int64
	withNulls, withNaN := 0, 0
	for _, f := range files {
		nulls, counted := f.NullValueCounts()[column.ID]
		if id := f.SortOrderID(); id == nil || *id != p.order.id || !counted || f.FileSizeBytes() > 2*p.target {
			return false
		}
		bytes += f.FileSizeBytes()
		withNulls += min(1, int(nulls))
		withNaN += min(1, int(f.NaNValueCounts()[column.ID]))
	}
	spans, unbounded := spansOf(files, column)
	return bytes*2 >= p.target*int64(len(files)-1) && withNulls <= 1 && withNaN <= 1 && unbounded == 0 &&
		!overlapping(spans)
}
