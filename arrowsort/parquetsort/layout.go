package parquetsort

import (
	"cmp"
	"context"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/arrowsort/arrowsort/arrowsort/internal/nearest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort/internal/dataset"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort/internal/roworder"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort/internal/zonemap"
)

// LayoutOptions are the options of Layout.
type LayoutOptions struct {
	// Against are files, folders and patterns of Parquet that are described, too, to compare the others with them.
	Against []string
	// Filters are comparisons of a column with a value, as in date >= 2001-03-01, origin = 'ORD' and delay is null. The
	// operators are = != < <= > >=. Rows that are read pass all of them.
	Filters []string
	// Advise are columns of which the orders of up to three, and the curves over all, are tried on a sample of the
	// rows: LayoutReport.Advice says what filters on these columns would read of files in that order, and their size.
	Advise []string
	// RowGroupRows is the number of rows of the row groups of files in these orders; 0: as many as Sort writes. The
	// rows as they are have the row groups and pages of the files.
	RowGroupRows int
	// Pages has the zones of pages listed, too.
	Pages bool

	Input  Input // the format is Parquet
	Memory Memory
	Run    Run
}

// Layout describes how Parquet files are laid out, by their footers and page indexes: what each column takes, and which
// row groups a reader has to read for a value. It reads no rows, but for Advise. A filter on a column that is not
// there, or with a value that is not of its type, is ErrOption before anything else is read than footers.
func Layout(ctx context.Context, paths []string, options LayoutOptions) (*LayoutReport, error) {
	all := Options{Input: options.Input, Memory: options.Memory, Run: options.Run}
	if all.Output.RowGroupRows = options.RowGroupRows; options.RowGroupRows > 0 && len(options.Advise) == 0 {
		return nil, fmt.Errorf("%w: RowGroupRows goes with Advise, which names no column: add some, or leave it out",
			errOption)
	}
	opts, read, err := all.resolveAll(ctx)
	if err != nil {
		return nil, err
	}
	var filters []zonemap.Filter
	for _, text := range options.Filters {
		f, err := zonemap.ParseFilter(text)
		if err != nil {
			return nil, fmt.Errorf("%w: Filter %q: %w", errOption, text, err)
		}
		filters = append(filters, f)
	}
	l := layouter{opts: opts, read: read, filters: filters, pages: options.Pages, sampled: mostSampled}
	report := &LayoutReport{}
	before := &zonemap.Map{}
	if len(options.Against) > 0 {
		report.Against = &FilesLayout{}
		if before, err = l.describe(ctx, options.Against, report.Against, nil); err != nil {
			return nil, err
		}
	}
	now, err := l.describe(ctx, paths, &report.FilesLayout, func(d *dataset.Dataset, m *zonemap.Map) (err error) {
		if len(options.Advise) > 0 {
			report.AdviceGroupRows = l.groupRows()
			report.Advice, err = l.advise(ctx, d, m, options.Advise)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	report.addZones(now, before, l.pages)
	if report.Against != nil {
		report.Against.addZones(before, now, l.pages)
	}
	return report, nil
}

// A layouter describes files.
type layouter struct {
	opts    Options
	read    dataset.Options
	filters []zonemap.Filter
	pages   bool
	sampled int64 // rows of a sample at most
}

// groupRows is the number of rows of a row group of files in the orders that are tried.
func (l *layouter) groupRows() int {
	return cmp.Or(l.opts.Output.RowGroupRows, tablefile.DefaultRowGroupRows)
}

// describe reads the zones of files, and describes all but these.
// then gets the files and their zones, unless it is nil.
func (l *layouter) describe(ctx context.Context, paths []string, out *FilesLayout,
	then func(d *dataset.Dataset, m *zonemap.Map) error) (*zonemap.Map, error) {
	files, err := listFiles(ctx, paths, &l.opts)
	if err != nil {
		return nil, err
	}
	noParquet := func(file string) error {
		return fmt.Errorf("%w: %s is no Parquet file: only Parquet has row groups with bounds; sort or convert it to "+
			"Parquet first", errOption, file)
	}
	if i := slices.IndexFunc(files, tablefile.IsPipe); i >= 0 {
		return nil, noParquet(files[i])
	}
	d, err := dataset.Open(ctx, files, l.read, false) // which finds files that are not there
	if err != nil {
		return nil, err
	}
	defer d.Close()
	for _, file := range files {
		if d.FormatOf(file) != tablefile.Parquet {
			return nil, noParquet(file)
		}
	}
	if err := l.bind(d); err != nil {
		return nil, err
	}
	var m zonemap.Map
	err = d.EachFile(ctx, func(number int, s *tablefile.Scanner) error {
		l.opts.Run.Progress(PhaseFooters, int64(number), int64(len(files)))
		out.addOrder(number, roworder.Declared(files[number], s))
		l.addCurve(out, number, s)
		zones := zonemap.Options{PageTexts: l.pages, Allocator: l.opts.Run.Allocator}
		return m.Add(ctx, number, s, zones)
	})
	if err != nil {
		return nil, err
	}
	out.Files, out.Bytes, out.Rows = files, d.Bytes, d.Rows
	out.checkOrder(&m)
	if len(l.filters) > 0 {
		out.Filter = costOf(&m, l.filters)
	}
	if then != nil {
		err = then(d, &m)
	}
	return &m, err
}

// bind finds the columns of the filters, and reads their values as those of the types of the columns, which the first
// file has.
func (l *layouter) bind(d *dataset.Dataset) error {
	if len(l.filters) == 0 {
		return nil
	}
	s, err := d.OpenFile(d.Files[0], dataset.ScanOptions{})
	if err != nil {
		return err
	}
	defer s.Close()
	var names []string
	for _, leaf := range s.Template.LeafColumns() {
		names = append(names, leaf.Path)
	}
	for i := range l.filters {
		f := &l.filters[i]
		if f.Leaf, err = leafOf(names, f.Column); err != nil {
			if folders, _ := d.FolderColumns(); slices.Contains(folders, f.Column) {
				err = fmt.Errorf("column %q is in the names of folders only: name the folders that pass instead of "+
					"the Filter", f.Column)
			}
			return fmt.Errorf("%w: Filter %q: %w", errOption, f.Text, err)
		}
		typ, repeated := s.LeafType(f.Leaf)
		if err := f.Bind(typ, repeated); err != nil {
			return fmt.Errorf("%w: Filter %q: %w", errOption, f.Text, err)
		}
	}
	return nil
}

// leafOf returns the number of the leaf column with a path, or with a number after # that counts from 1.
func leafOf(paths []string, column string) (int, error) {
	at := slices.Index(paths, column)
	number, byNumber := strings.CutPrefix(column, "#")
	n, err := strconv.Atoi(number)
	switch {
	case at >= 0 && slices.Contains(paths[at+1:], column):
		return 0, fmt.Errorf("several columns are named %q: name the one that you mean by its number among the "+
			"columns of the layout, as in #%d", column, at+1)
	case at >= 0:
		return at, nil
	case byNumber && err == nil && 1 <= n && n <= len(paths):
		return n - 1, nil
	}
	return 0, fmt.Errorf("there is no column %q%s", column, nearest.Hint(paths, column))
}

// addCurve adds the curve that the file with a number names. Metadata that do not read are a warning.
func (l *layouter) addCurve(out *FilesLayout, file int, s *tablefile.Scanner) {
	order, err := curveOf(s)
	if err != nil {
		l.opts.Run.Warn(err.Error())
	}
	var c *LayoutCurve
	if order != nil {
		c = &LayoutCurve{Curve: order.Curve, Keys: order.Keys}
	}
	switch {
	case file == 0:
		out.Curve = c
	case s.Rows > 0 && !reflect.DeepEqual(c, out.Curve):
		out.Curve, out.Varies = nil, true
	}
}
