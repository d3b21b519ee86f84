package parquetsort

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/arrowsort/internal/extsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort/internal/dataset"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort/internal/zonemap"
)

// mostSampled is the number of rows of a sample: four row groups, so that a quarter of it is a whole one.
const mostSampled = 4 * tablefile.DefaultRowGroupRows

// sampleSeed makes samples of the same files the same.
const sampleSeed = 1

// A sample is some rows of files, in their order, with all columns.
type sample struct {
	table arrow.Table
	all   int64 // rows of the files
	opts  *Options
	write tablefile.WriteOptions // as those of a sort
}

// readSample reads every row of files, or of each of as many stretches as the sample is to have rows one by chance. It
// has some rows at most, and fewer where they do not fit in memory.
func readSample(ctx context.Context, d *dataset.Dataset, most int64, groupRows int,
	opts *Options) (*sample, error) {
	write, err := opts.Run.writing(Output{Format: Parquet})
	if err != nil {
		return nil, err
	}
	write.Template, write.RowGroupRows = d.Template, groupRows
	s := &sample{all: d.Rows, opts: opts, write: write}
	wanted := min(d.Rows, most)
	if d.Rows > 0 { // the rows of a sample and their codes take a third of the budget
		wanted = min(wanted, opts.Memory.Budget/3/(d.Memory/d.Rows+3*8))
		if wanted == 0 {
			return nil, fmt.Errorf("%w: a row of the sample takes %d bytes", errkind.ErrBudget, d.Memory/d.Rows)
		}
	}
	rng, row, next := rand.New(rand.NewPCG(sampleSeed, uint64(d.Rows))), int64(0), int64(0)
	edge := func(i int64) int64 { return int64(float64(i) * float64(d.Rows) / float64(max(wanted, 1))) }
	pick := func() int64 { return edge(next) + rng.Int64N(max(edge(next+1)-edge(next), 1)) }
	chosen, parts := pick(), []arrow.Table(nil)
	defer func() { arraydata.Release(parts) }()
	scan := dataset.ScanOptions{Columns: d.All(), DecodeDictionaries: true, Progress: opts.progress(PhaseRead)}
	_, err = d.Scan(ctx, scan, func(_ int, batch arrow.Table) error {
		var rows []uint64
		for next < wanted && chosen < row+batch.NumRows() {
			rows = append(rows, uint64(chosen-row))
			next++
			chosen = pick()
		}
		row += batch.NumRows()
		part, err := extsort.TakeRows(ctx, batch, rows, opts.sorting())
		if err != nil {
			return err
		}
		parts = append(parts, part)
		return nil
	})
	if err != nil {
		return nil, err
	}
	schema := d.Schema
	if len(parts) > 0 {
		schema = parts[0].Schema()
	}
	s.table = arraydata.Concatenate(schema, parts)
	return s, nil
}

// ranks returns the places of the values of a column.
func (s *sample) ranks(ctx context.Context, key arrowsort.Key, column int) (*zonemap.Ranks, error) {
	n := int(s.table.NumRows())
	r := &zonemap.Ranks{Less: make([]int, n), UpTo: make([]int, n), Values: n}
	for ties, to := range map[arrowsort.TieBreaker][]int{arrowsort.TiesMin: r.Less, arrowsort.TiesMax: r.UpTo} {
		ranks, err := arrowsort.Rank(ctx, s.table, []arrowsort.Key{key}, ties, s.opts.sorting())
		if err != nil {
			return nil, err
		}
		for i, rank := range ranks.Uint64Values() {
			to[i] = int(rank)
		}
		ranks.Release()
	}
	row := 0
	for _, chunk := range s.table.Column(column).Data().Chunks() {
		for i := range chunk.Len() {
			if r.Less[row]--; arraydata.IsNull(chunk, i) { // nulls are last
				r.UpTo[row] = 0
				r.Values--
			}
			row++
		}
	}
	return r, nil
}

// A footprint is the bytes of an encoded file.
type footprint struct {
	columns []int64 // of leaf columns
	rest    int64   // page index and footer
	groups  int64   // row groups
	rows    int64
}

// encode encodes rows of the sample in an order, in memory, and returns their bytes.
func (s *sample) encode(ctx context.Context, order []uint64) (f footprint, err error) {
	var out bytes.Buffer
	write := s.write
	write.Stdout, write.Rows, write.Name = &out, order, "the sample"
	w, err := tablefile.Create(ctx, tablefile.Pipe, s.table.Schema(), write)
	if err != nil {
		return f, err
	}
	defer w.Abort()
	if err := w.Write(ctx, s.table); err != nil {
		return f, err
	}
	if err := w.Finish(); err != nil {
		return f, err
	}
	if _, err := w.Commit(); err != nil {
		return f, err
	}
	read := tablefile.ReadOptions{Format: tablefile.Parquet, Allocator: s.opts.Run.Allocator,
		Open: func(string) (tablefile.File, error) { return encodedFile{bytes.NewReader(out.Bytes())}, nil }}
	scanner, err := tablefile.Scan("the sample", 1, read)
	if err != nil {
		return f, err
	}
	defer scanner.Close()
	f.rest, f.groups, f.rows = int64(out.Len()), int64(len(scanner.Template.RowGroups())), scanner.Rows
	for _, column := range scanner.Template.LeafColumns() {
		f.columns = append(f.columns, column.Bytes)
		f.rest -= column.Bytes
	}
	return f, nil
}

// An encodedFile is a file in memory.
type encodedFile struct{ *bytes.Reader }

// Close does nothing.
func (encodedFile) Close() error { return nil }

// estimate returns the bytes of all rows in an order of the sample. Where rows are denser than in the sample, columns
// that follow the order take fewer bytes for a row: how many fewer for each doubling of the rows is seen from a quarter
// of the sample to all of it.
func (s *sample) estimate(ctx context.Context, order []uint64) (int64, error) {
	n := int64(len(order))
	whole, err := s.encode(ctx, order)
	if err != nil || n == s.all || n == 0 {
		return whole.total(), err
	}
	var quarter []uint64
	for _, row := range order {
		if row%4 == 0 {
			quarter = append(quarter, row)
		}
	}
	part, err := s.encode(ctx, quarter)
	if err != nil {
		return 0, err
	}
	perRow := func(f footprint, column int) float64 { return float64(f.columns[column]) / float64(max(f.rows, 1)) }
	share, sum := float64(n)/float64(s.all), 0.0
	for column := range whole.columns {
		now, before := perRow(whole, column), perRow(part, column)
		denser := now + (now-before)*math.Log(1/share)/math.Log(4)
		sum += float64(s.all) * min(max(denser, now*share), now)
	}
	rows := int64(s.write.RowGroupRows)
	groups := (s.all + rows - 1) / rows
	return int64(sum) + whole.rest*groups/max(whole.groups, 1), nil
}

// total returns the bytes of the file.
func (f *footprint) total() int64 {
	sum := f.rest
	for _, n := range f.columns {
		sum += n
	}
	return sum
}
