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
	groups     []*group
}

// A group is the chosen files of a partition.
type group struct {
	spec      iceberg.PartitionSpec
	partition map[int]any // by the id of the partition's field
	name      string      // for messages: origin=ORD; empty without partitions
	tasks     []table.FileScanTask
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
	var where iceberg.BooleanExpression = iceberg.AlwaysTrue{}
	if opts.Where != "" {
		if where, err = parseWhere(opts.Where, p.schema); err != nil {
			return nil, err
		}
	}
	if t.CurrentSnapshot() == nil {
		return p, nil
	}
	snapshot := table.WithSnapshotID(t.CurrentSnapshot().SnapshotID)
	tasks, err := t.Scan(table.WithRowFilter(where), snapshot).PlanFiles(ctx)
	if err != nil {
		return nil, err
	}
	for _, task := range tasks {
		if err := checkTask(task); err != nil {
			return nil, err
		}
	}
	if err := p.addGroups(tasks); err != nil {
		return nil, err
	}
	if opts.MinDepth > 0 {
		p.keepDeepest(opts.MinDepth)
	}
	return p, nil
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

// localPath returns the path of a file or a folder of this machine.
func localPath(location string) (string, error) {
	if scheme, rest, ok := strings.Cut(location, ":"); ok && len(scheme) > 1 && !strings.Contains(scheme, "/") {
		if scheme != "file" {
			return "", fmt.Errorf("%w: %s is in a store of scheme %s, and only files of this machine are supported",
				ErrUnsupported, location, scheme)
		}
		if path, ok := strings.CutPrefix(rest, "//"); ok {
			rest = path
		}
		return rest, nil
	}
	return location, nil
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

// partitionName returns the values of a partition as text, which differs where they do.
func partitionName(spec iceberg.PartitionSpec, values map[int]any) string {
	var parts []string
	for _, f := range spec.Fields() {
		switch v := values[f.FieldID].(type) {
		case nil:
			parts = append(parts, f.Name+" is null")
		case string:
			parts = append(parts, fmt.Sprintf("%s=%q", f.Name, v))
		case []byte:
			parts = append(parts, fmt.Sprintf("%s=%x", f.Name, v))
		default:
			parts = append(parts, fmt.Sprintf("%s=%v", f.Name, v))
		}
	}
	return strings.Join(parts, "/")
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
