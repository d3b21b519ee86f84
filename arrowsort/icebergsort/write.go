package icebergsort

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/iceberg-go"
	"github.com/google/uuid"

	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
)

// A writer writes the new files of a rewrite.
type writer struct {
	plan    *plan
	opts    Options
	id      uuid.UUID // in the names of all files
	written []string  // paths of files that no snapshot has yet
	spilled int64
	deleted int64 // rows that delete files had deleted
}

// write sorts the files of a group into new ones.
func (w *writer) write(ctx context.Context, number int, g *group) ([]iceberg.DataFile, error) {
	in, err := w.inputs(ctx, g)
	if err != nil {
		return nil, err
	}
	defer in.remove()
	base, err := localPath(g.folder)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(base, 0o777); err != nil {
		return nil, err
	}
	base = filepath.Join(base, fmt.Sprintf("arrowsort-%s-%05d.parquet", w.id, number))
	out, err := output(w.plan.properties)
	if err != nil {
		return nil, err
	}
	out.BytesPerFile, out.RowGroupRows = w.plan.target, rowGroupRows(g, w.plan.target)
	result, err := w.sort(ctx, in.paths, base, out)
	if errors.Is(err, parquetsort.ErrMemory) && out.RowGroupRows > 0 {
		out.RowGroupRows = 0 // by default as many as the memory holds, which are fewer
		result, err = w.sort(ctx, in.paths, base, out)
	}
	if err != nil {
		return nil, errors.Join(err, removeSeries(base))
	}
	w.written = append(w.written, result.Outputs...)
	w.spilled += result.BytesSpilled
	w.deleted += g.rows() - result.Rows
	if result.Rows != in.rows {
		return nil, fmt.Errorf("%d rows were read of the data files and %d were written", in.rows, result.Rows)
	}
	if result.Rows == 0 { // all have been deleted: no file is needed
		w.written = w.written[:len(w.written)-len(result.Outputs)]
		return nil, removeSeries(base)
	}
	var files []iceberg.DataFile
	for _, out := range result.Outputs {
		f, err := w.dataFile(ctx, g, out, g.folder+"/"+filepath.Base(out))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", out, err)
		}
		files = append(files, f)
	}
	return files, nil
}

func (w *writer) sort(ctx context.Context, paths []string, to string, out parquetsort.Output) (*parquetsort.Result,
	error) {
	return parquetsort.Sort(ctx, paths, to, parquetsort.Options{
		Keys: w.plan.order.keys(), Curve: w.plan.order.curve, Output: out, Memory: w.opts.Memory,
		Run: parquetsort.Run{Threads: w.opts.Threads, Progress: w.opts.Progress},
	})
}

// rowGroupRows returns the number of rows of row groups, or 0 for the default. A file has a row group at least: files
// that are smaller than a row group of the default have smaller ones, four in a file.
func rowGroupRows(g *group, target int64) int {
	const most = 262_144
	rows := float64(target) / 4 * float64(g.rows()) / float64(g.bytes())
	if rows >= most {
		return 0
	}
	return max(1, int(rows))
}

// dataFile describes a new file for a manifest. A file whose columns are not those of the table is an error.
func (w *writer) dataFile(ctx context.Context, g *group, path, location string) (iceberg.DataFile, error) {
	info, err := w.stat(ctx, location)
	if err != nil {
		return nil, err
	}
	r, err := file.OpenParquetFile(path, false)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	if err := checkColumns(r, w.plan.schema); err != nil {
		return nil, err
	}
	m, err := readMetrics(r, w.plan.schema, w.plan.modes)
	if err != nil {
		return nil, err
	}
	b, err := iceberg.NewDataFileBuilder(g.spec, iceberg.EntryContentData, location, iceberg.ParquetFile, g.partition,
		nil, nil, m.rows, info.Size())
	if err != nil {
		return nil, err
	}
	b.ColumnSizes(m.sizes).ValueCounts(m.values).NullValueCounts(m.nulls).NaNValueCounts(m.nans)
	b.LowerBoundValues(m.lower).UpperBoundValues(m.upper).SplitOffsets(m.splitOffsets)
	b.SortOrderID(w.plan.order.idFor(m))
	return b.Build(), nil
}

// stat opens a file by its location, as readers of the table will.
func (w *writer) stat(ctx context.Context, location string) (fs.FileInfo, error) {
	from, err := w.plan.table.FS(ctx)
	if err != nil {
		return nil, err
	}
	f, err := from.Open(location)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.Stat()
}

// discard removes the files that were written.
func (w *writer) discard() error {
	var failed []error
	for _, path := range w.written {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			failed = append(failed, err)
		}
	}
	w.written = nil
	return errors.Join(failed...)
}

// removeSeries removes what stands of several outputs after an error.
func removeSeries(path string) error {
	folder, name := filepath.Split(strings.TrimSuffix(path, ".parquet"))
	entries, err := os.ReadDir(filepath.Clean(folder))
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), name) {
			err = errors.Join(err, os.Remove(filepath.Join(folder, e.Name())))
		}
	}
	return err
}
