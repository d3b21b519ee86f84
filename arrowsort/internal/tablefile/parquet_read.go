package tablefile

import (
	"context"
	"math"
	"sync"
	"sync/atomic"

	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/file"
	"github.com/apache/arrow-go/v18/parquet/pqarrow"
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// A parquetFile is an open Parquet file. Its columns are read one row group at a time, in parallel; the row groups
// become the chunks of the table, except of a directColumn.
//
// Nested columns are put together here (parquet_nested.go) instead of by pqarrow, which decodes the children of a
// struct on goroutines of its own: a panic there could not be contained.
type parquetFile struct {
	src    source
	file   *file.Reader
	fields []fileField
	leaves *pqarrow.FileReader // reads leaf columns by column number
	schema *arrow.Schema
	opts   ReadOptions
	spare  *spares[*pageScratch] // what pieces were read with; nil: it is not kept

	encodings sync.Map // of encodingsRead: leaf column to bool
}

func readParquet(ctx context.Context, src source, in *Input, opts ReadOptions) error {
	f, err := openParquet(src, in.Bytes, opts)
	if err != nil {
		return err
	}
	in.Layout, in.Schema = newLayout(f.file), f.schema
	if opts.Dictionaries {
		f.readDictionaries()
	}
	if in.Table, err = f.readTable(ctx); err != nil {
		return err
	}
	if in.Table, err = finish(ctx, in.Table, opts.Allocator); err != nil {
		return err
	}
	if opts.Dictionaries {
		in.Table, err = expandLarge(in.Table, in.Schema, opts.Allocator)
	}
	return err
}

func openParquet(src source, size int64, opts ReadOptions) (*parquetFile, error) {
	if err := checkMagic(src, size); err != nil {
		return nil, err
	}
	if err := checkSchemaTree(src, size); err != nil {
		return nil, err
	}
	props := parquet.NewReaderProperties(opts.Allocator)
	props.BufferedStreamEnabled = opts.batches
	// the allocator has the limit
	props.MaxCompressedPageSize, props.MaxUncompressedPageSize = math.MaxInt32, math.MaxInt32
	r, err := file.NewParquetReader(src, file.WithReadProps(props))
	if err != nil {
		return nil, corrupt("%v", err)
	}
	if err := checkFooter(r.MetaData(), size); err != nil {
		return nil, err
	}
	if err := checkEncodings(r.MetaData()); err != nil {
		return nil, err
	}
	if err := checkDeclared(r.MetaData(), opts); err != nil {
		return nil, err
	}
	if err := checkArrowSchema(r.MetaData().KeyValueMetadata(), opts.Allocator); err != nil {
		return nil, err
	}
	whole, err := pqarrow.NewFileReader(r, pqarrow.ArrowReadProperties{}, opts.Allocator)
	if err != nil {
		return nil, err
	}
	leaves, err := pqarrow.NewFileReader(r, pqarrow.ArrowReadProperties{}, opts.Allocator)
	if err != nil {
		return nil, err
	}
	if leaves.Manifest.Fields, err = leafFields(whole.Manifest, r.MetaData().Schema.NumColumns()); err != nil {
		return nil, err
	}
	origin, err := originSchema(whole.Manifest)
	if err != nil {
		return nil, err
	}
	f := &parquetFile{src: src, file: r, leaves: leaves, opts: opts}
	if f.fields, err = newFileFields(whole.Manifest, origin, r.MetaData().Schema); err != nil {
		return nil, err
	}
	f.schema = arrowSchema(f.fields, origin, r.MetaData().KeyValueMetadata())
	return f, nil
}

func (f *parquetFile) readTable(ctx context.Context) (arrow.Table, error) {
	groups := f.file.NumRowGroups()
	report := progress(f.opts.Progress, len(f.fields)*groups)
	direct, err := f.readDirect(ctx, report)
	if err != nil {
		return nil, err
	}
	chunks := make([][][]arrow.Array, len(f.fields)) // by field and row group; all row groups in one of a direct column
	var others []int
	for i, a := range direct {
		if a != nil {
			chunks[i] = [][]arrow.Array{a}
		} else {
			chunks[i] = make([][]arrow.Array, groups)
			others = append(others, i)
		}
	}
	defer func() {
		for _, groups := range chunks {
			for _, arrays := range groups {
				releaseAll(arrays)
			}
		}
	}()
	err = Each(ctx, len(others)*groups, f.opts.Threads, func(i int) (err error) {
		group, field := i/len(others), others[i%len(others)]
		chunks[field][group], err = f.readField(ctx, field, group)
		report()
		return err
	})
	if err != nil {
		return nil, err
	}
	columns := make([]arrow.Column, len(f.fields))
	for i := range columns {
		columns[i] = joinChunks(f.schema.Field(i), chunks[i])
	}
	defer func() {
		for i := range columns {
			columns[i].Release()
		}
	}()
	return array.NewTable(f.schema, columns, f.file.NumRows()), nil
}

// readField reads one column of one row group and validates it.
func (f *parquetFile) readField(ctx context.Context, field, group int) ([]arrow.Array, error) {
	rows := f.file.MetaData().RowGroups[group].NumRows
	arrays, err := f.readArrays(ctx, &f.fields[field], group, rows)
	if err != nil {
		return nil, err
	}
	return arrays, f.check(arrays, field, group, rows)
}

// check gives arrays of a column their type and validates them. It releases them after an error.
func (f *parquetFile) check(arrays []arrow.Array, field, group int, rows int64) (err error) {
	typ := f.schema.Field(field).Type
	got := 0
	for i, a := range arrays {
		got += a.Len()
		if arrays[i], err = retype(a, typ); err == nil {
			err = validate(arrays[i])
		}
		if err != nil {
			releaseAll(arrays)
			clear(arrays)
			return err
		}
	}
	if int64(got) != rows {
		releaseAll(arrays)
		clear(arrays)
		return corrupt("column %q has %d of the %d rows of row group %d", f.schema.Field(field).Name, got, rows, group)
	}
	return nil
}

func joinChunks(field arrow.Field, groups [][]arrow.Array) arrow.Column {
	var all []arrow.Array
	for _, arrays := range groups {
		for _, a := range arrays {
			if a.Len() > 0 {
				all = append(all, a)
			}
		}
	}
	data := arrow.NewChunked(field.Type, all)
	defer data.Release()
	return *arrow.NewColumn(field, data)
}

// retype gives an array a type of the same layout, such as another time zone. It consumes the array.
func retype(a arrow.Array, typ arrow.DataType) (arrow.Array, error) {
	if arrow.TypeEqual(a.DataType(), typ) {
		return a, nil
	}
	if a.DataType().ID() != storageOf(typ).ID() && a.DataType().ID() != typ.ID() {
		defer a.Release()
		return nil, corrupt("a column of type %s holds %s", typ, a.DataType())
	}
	defer a.Release()
	d := a.Data()
	data := array.NewData(typ, d.Len(), d.Buffers(), d.Children(), d.NullN(), d.Offset())
	defer data.Release()
	if dict, ok := a.(*array.Dictionary); ok {
		data.SetDictionary(dict.Dictionary().Data())
	}
	return array.MakeFromData(data), nil
}

func releaseAll(arrays []arrow.Array) {
	for _, a := range arrays {
		if a != nil {
			a.Release()
		}
	}
}

// progress makes a function that counts finished tasks for a callback.
func progress(told func(done, total int), total int) func() {
	if told == nil {
		return func() {}
	}
	var done atomic.Int64
	turn := make(chan struct{}, 1) // one goroutine at a time
	return func() {
		n := min(int(done.Add(1)), total) // some things are done twice
		turn <- struct{}{}
		told(n, total)
		<-turn
	}
}
