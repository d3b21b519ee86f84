package ipc

import (
	"context"
	"io"
	"slices"

	arrow18 "github.com/apache/arrow-go/v18/arrow"
	array18 "github.com/apache/arrow-go/v18/arrow/array"
	arrowipc "github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/memory"

	convert "github.com/arrowsort/arrowsort/arrowsort/internal/arrow18"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/fileerror"
	"github.com/arrowsort/arrowsort/arrowsort/internal/take"
)

// Options are the options of NewWriter.
type Options struct {
	File      bool   // a file, else a stream
	Codec     string // of the buffers: zstd or lz4; else they are not compressed
	Allocator memory.Allocator
}

// A Writer writes the record batches of an IPC file or stream, with the writer of arrow-go v18: that of v15 writes many
// slices wrongly.
type Writer struct {
	out interface {
		Write(rec arrow18.RecordBatch) error
		Close() error
	}
	schema       *arrow18.Schema
	dictionaries []writtenDictionary // of the last batch, by column
	mem          memory.Allocator
}

// NewWriter starts a file or stream. All record batches of a file have the same dictionaries. Columns of an extension
// type that is stored as a dictionary are an ErrUnsupported: Arrow does not write them.
func NewWriter(w io.Writer, schema *arrow.Schema, opts Options) (*Writer, error) {
	for _, f := range schema.Fields() {
		if extendsDictionary(f.Type) {
			return nil, fileerror.Unsupported("column %q: type %s, an extension type that is stored as a dictionary,",
				f.Name, f.Type)
		}
	}
	sc, err := storageSchema(schema)
	if err != nil {
		return nil, err
	}
	options := []arrowipc.Option{arrowipc.WithSchema(sc), arrowipc.WithAllocator(opts.Allocator)}
	switch opts.Codec {
	case "zstd":
		options = append(options, arrowipc.WithZstd())
	case "lz4":
		options = append(options, arrowipc.WithLZ4())
	}
	out := &Writer{schema: sc, dictionaries: make([]writtenDictionary, sc.NumFields()), mem: opts.Allocator}
	if opts.File {
		out.out, err = arrowipc.NewFileWriter(w, options...)
	} else {
		out.out = arrowipc.NewWriter(w, options...)
	}
	return out, err
}

// storageSchema converts a schema. Columns of an extension type that only v18 has keep its name in their metadata.
func storageSchema(schema *arrow.Schema) (*arrow18.Schema, error) {
	sc, err := convert.ToSchema(schema)
	if err != nil {
		return nil, err
	}
	fields := sc.Fields()
	for i, f := range fields {
		if ext, ok := f.Type.(arrow18.ExtensionType); ok {
			meta := schema.Field(i).Metadata
			fields[i].Type, fields[i].Metadata = ext.StorageType(), arrow18.NewMetadata(meta.Keys(), meta.Values())
		}
	}
	meta := sc.Metadata()
	return arrow18.NewSchema(fields, &meta), nil
}

// Write writes a record batch.
func (w *Writer) Write(rec arrow.Record) error {
	columns := make([]arrow18.Array, rec.NumCols())
	for i, c := range rec.Columns() {
		own, err := w.ownRows(c)
		if err != nil {
			return err
		}
		columns[i] = w.dictionaries[i].of(own, convert.ToArray(own, w.schema.Field(i).Type))
		own.Release()
		defer columns[i].Release()
	}
	converted := array18.NewRecordBatch(w.schema, columns, rec.NumRows())
	defer converted.Release()
	return w.out.Write(converted)
}

// Close writes the end of the file or stream.
func (w *Writer) Close() error {
	for i := range w.dictionaries {
		w.dictionaries[i].release()
	}
	return w.out.Close()
}

// ownRows is an array that the caller releases. Lists of views, unions and runs are copied, with the values of the rows
// only: Arrow writes all that slices of them have.
func (w *Writer) ownRows(a arrow.Array) (arrow.Array, error) {
	if !arraydata.IsNested(a.DataType()) {
		return withOwnText(a, w.mem), nil
	}
	if !writtenWhole(a.DataType()) {
		a.Retain()
		return a, nil
	}
	rows := make([]uint32, a.Len())
	for i := range rows {
		rows[i] = uint32(i)
	}
	opts := take.Options{Allocator: w.mem, Threads: 1}
	taken, err := take.Take(context.Background(), a.DataType(), []arrow.Array{a}, rows, opts)
	if err != nil {
		return nil, err
	}
	defer arraydata.Release(taken)
	return withOwnText(taken[0], w.mem), nil
}

// writtenWhole reports whether Arrow writes all that a slice of a type has, not the values of its rows.
func writtenWhole(typ arrow.DataType) bool {
	typ = arraydata.StorageOf(typ)
	switch typ.ID() {
	case arrow.STRING_VIEW, arrow.BINARY_VIEW, arrow.LIST_VIEW, arrow.LARGE_LIST_VIEW, arrow.DENSE_UNION,
		arrow.RUN_END_ENCODED:
		return true
	}
	return anyField(typ, writtenWhole)
}

// extendsDictionary reports whether a type is or has an extension type that is stored as a dictionary.
func extendsDictionary(typ arrow.DataType) bool {
	_, extension := typ.(arrow.ExtensionType)
	typ = arraydata.StorageOf(typ)
	return extension && typ.ID() == arrow.DICTIONARY || anyField(typ, extendsDictionary)
}

// anyField reports whether the type of a field of a nested type is one of some.
func anyField(typ arrow.DataType, is func(arrow.DataType) bool) bool {
	nested, ok := typ.(arrow.NestedType)
	return ok && slices.ContainsFunc(nested.Fields(), func(f arrow.Field) bool { return is(f.Type) })
}

// A writtenDictionary is the dictionary of a column in the last batch, which stays the same where the next batch has it
// as well: Arrow compares others value by value.
type writtenDictionary struct {
	from arrow.ArrayData
	to   arrow18.Array
}

// of is an array converted from another. It consumes it.
func (d *writtenDictionary) of(from arrow.Array, to arrow18.Array) arrow18.Array {
	rows, ok := to.(*array18.Dictionary)
	if !ok {
		return to
	}
	if entries := from.Data().Dictionary(); d.from != entries {
		d.release()
		d.from, d.to = entries, rows.Dictionary()
		d.from.Retain()
		d.to.Retain()
		return to
	}
	defer to.Release()
	return array18.NewDictionaryArray(to.DataType(), rows.Indices(), d.to)
}

func (d *writtenDictionary) release() {
	if d.from != nil {
		d.from.Release()
		d.to.Release()
		*d = writtenDictionary{}
	}
}
