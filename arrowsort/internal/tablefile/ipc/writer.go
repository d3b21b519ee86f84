package ipc

import (
	"context"
	"encoding/binary"
	"io"
	"math"
	"slices"

	arrow18 "github.com/apache/arrow-go/v18/arrow"
	array18 "github.com/apache/arrow-go/v18/arrow/array"
	arrowipc "github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/bitutil"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/internal/allocators"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	convert "github.com/arrowsort/arrowsort/arrowsort/internal/arrow18"
	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/arrowsort/internal/take"
	"github.com/arrowsort/arrowsort/internal/buffers"
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
	sink         *sink
	schema       *arrow18.Schema
	dictionaries *convert.Dictionaries // of the last batch: Arrow compares others by their values
	mem          memory.Allocator
}

// NewWriter starts a file or stream. All record batches of a file have the same dictionaries. Columns of an extension
// type that is stored as a dictionary are an ErrUnsupported: Arrow does not write them.
func NewWriter(w io.Writer, schema *arrow.Schema, opts Options) (*Writer, error) {
	for _, f := range schema.Fields() {
		if extendsDictionary(f.Type) {
			return nil, errkind.Unsupported("column %q: type %s, an extension type that is stored as a dictionary,",
				f.Name, f.Type)
		}
		if hidesType(f.Type) {
			return nil, errkind.Unsupported("column %q: type %s, whose dictionary or runs hold dictionaries or an "+
				"extension type,", f.Name, f.Type)
		}
	}
	sc := convert.ToSchema(schema)
	options := []arrowipc.Option{arrowipc.WithSchema(sc), arrowipc.WithAllocator(allocators.Zeroed(opts.Allocator))}
	switch opts.Codec {
	case "zstd":
		options = append(options, arrowipc.WithZstd())
	case "lz4":
		options = append(options, arrowipc.WithLZ4())
	}
	out := &Writer{sink: &sink{w}, schema: sc, dictionaries: new(convert.Dictionaries), mem: opts.Allocator}
	if !opts.File {
		out.out = arrowipc.NewWriter(out.sink, options...)
		return out, nil
	}
	file, err := arrowipc.NewFileWriter(out.sink, options...)
	if err != nil {
		return nil, err
	}
	out.out = file
	return out, nil
}

// Write writes a record batch.
func (w *Writer) Write(rec arrow.Record) error {
	columns := make([]arrow18.Array, rec.NumCols())
	for i, c := range rec.Columns() {
		own, err := w.ownRows(c)
		if err != nil {
			return err
		}
		columns[i] = w.dictionaries.ToArray(own, w.schema.Field(i).Type)
		own.Release()
		defer columns[i].Release()
	}
	converted := array18.NewRecordBatch(w.schema, columns, rec.NumRows())
	defer converted.Release()
	defer w.dictionaries.Forget()
	return w.out.Write(converted)
}

// Abort releases what the writer has in memory, and writes nothing more. It may follow Close.
func (w *Writer) Abort() {
	w.sink.Writer = io.Discard
	w.out.Close()
	w.dictionaries.Release()
}

// A sink is where a writer writes to.
type sink struct{ io.Writer }

// Close writes the end of the file or stream.
func (w *Writer) Close() error {
	w.dictionaries.Release()
	return w.out.Close()
}

// ownRows returns an array that the caller releases. Lists of views, unions and runs are copied, with the values of the
// rows only: of slices of them Arrow writes all that they have, and of slices of sparse unions more than there may be.
func (w *Writer) ownRows(a arrow.Array) (arrow.Array, error) {
	if !arraydata.IsNested(a.DataType()) {
		return withCompactViews(a, w.mem), nil
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
	return withCompactViews(taken[0], w.mem), nil
}

// writtenWhole reports whether Arrow writes more of a slice of a type than the values of its rows.
func writtenWhole(typ arrow.DataType) bool {
	return arraydata.Any(typ, func(storage arrow.DataType) bool {
		return slices.Contains([]arrow.Type{arrow.STRING_VIEW, arrow.BINARY_VIEW, arrow.LIST_VIEW,
			arrow.LARGE_LIST_VIEW, arrow.DENSE_UNION, arrow.SPARSE_UNION, arrow.RUN_END_ENCODED}, storage.ID())
	})
}

// extendsDictionary reports whether a type is or has an extension type that is stored as a dictionary.
func extendsDictionary(typ arrow.DataType) bool {
	_, extension := typ.(arrow.ExtensionType)
	typ = arraydata.Storage(typ)
	return extension && typ.ID() == arrow.DICTIONARY || anyField(typ, extendsDictionary)
}

// hidesType reports whether a type has values of a dictionary or of runs of a type that a message has no place for.
func hidesType(typ arrow.DataType) bool {
	typ = arraydata.Storage(typ)
	var values arrow.DataType
	switch t := typ.(type) {
	case *arrow.DictionaryType:
		values = t.ValueType
	case *arrow.RunEndEncodedType:
		values = t.Encoded()
	default:
		return anyField(typ, hidesType)
	}
	_, extension := values.(arrow.ExtensionType)
	return extension || typ.ID() == arrow.DICTIONARY && values.ID() == arrow.DICTIONARY || hidesType(values)
}

// anyField reports whether the type of a field of a nested type is one of some.
func anyField(typ arrow.DataType, is func(arrow.DataType) bool) bool {
	nested, ok := typ.(arrow.NestedType)
	return ok && slices.ContainsFunc(nested.Fields(), func(f arrow.Field) bool { return is(f.Type) })
}

// withCompactViews returns an array whose views, at every level, refer to buffers of which at least half are their
// values. The caller releases it.
func withCompactViews(a arrow.Array, mem memory.Allocator) arrow.Array {
	return arraydata.NewArray(compactViews(a.Data(), mem))
}

func compactViews(d arrow.ArrayData, mem memory.Allocator) arrow.ArrayData {
	if _, ok := arraydata.Storage(d.DataType()).(arrow.BinaryViewDataType); ok {
		return compactViewArray(d, mem)
	}
	if len(d.Children()) == 0 {
		d.Retain()
		return d
	}
	d, _ = arraydata.ConvertChildren(d, d.DataType(), func(_ int, child arrow.ArrayData) (arrow.ArrayData, error) {
		return compactViews(child, mem), nil
	})
	return d
}

// compactViewArray copies the values of views to new buffers of at most 2^31-1 bytes, if they are less than half of the
// old ones, so that a batch of a large array is no larger than its rows. Views of null rows become empty: they would
// refer to the old buffers, and Polars checks them.
func compactViewArray(d arrow.ArrayData, mem memory.Allocator) arrow.ArrayData {
	all, used := 0, 0
	var data [][]byte
	for _, b := range d.Buffers()[2:] {
		all, data = all+b.Len(), append(data, b.Bytes())
	}
	eachText(d, func(_ int, view []byte) { used += int(binary.LittleEndian.Uint32(view)) })
	if 2*used >= all {
		d.Retain()
		return d
	}
	headers := arraydata.NewBuffer(mem, d.Len()*arrow.ViewHeaderSizeBytes)
	copy(headers.Bytes(), arraydata.Bytes(d, 1)[d.Offset()*arrow.ViewHeaderSizeBytes:])
	compact := []*memory.Buffer{nil, headers}
	defer func() { memory.ReleaseBuffers(compact) }()
	if valid := arraydata.Validity(d); valid != nil {
		compact[0] = arraydata.NewBuffer(mem, int(bitutil.BytesForBits(int64(d.Len()))))
		bitutil.CopyBitmap(valid, d.Offset(), d.Len(), compact[0].Bytes(), 0)
		for row := range d.Len() {
			if !bitutil.BitIsSet(valid, d.Offset()+row) {
				clear(headers.Bytes()[row*arrow.ViewHeaderSizeBytes:][:arrow.ViewHeaderSizeBytes])
			}
		}
	}
	var text *memory.Buffer
	at := 0
	eachText(d, func(row int, view []byte) {
		value := buffers.StringOfView(view, data)
		if text == nil || at+len(value) > text.Len() {
			text, at = arraydata.NewBuffer(mem, max(min(used, math.MaxInt32), len(value))), 0
			compact = append(compact, text)
		}
		copy(text.Bytes()[at:], value)
		buffers.PutView(headers.Bytes()[row*arrow.ViewHeaderSizeBytes:], value, len(compact)-3, at)
		at, used = at+len(value), used-len(value)
	})
	return array.NewData(d.DataType(), d.Len(), compact, nil, d.NullN(), 0)
}

// eachText calls do for the views of valid rows whose values do not lie in the view.
func eachText(d arrow.ArrayData, do func(row int, view []byte)) {
	valid, views := arraydata.Validity(d), arraydata.Bytes(d, 1)
	for row := range d.Len() {
		at := d.Offset() + row
		view := views[at*arrow.ViewHeaderSizeBytes:][:arrow.ViewHeaderSizeBytes]
		if binary.LittleEndian.Uint32(view) > buffers.InlineView && (valid == nil || bitutil.BitIsSet(valid, at)) {
			do(row, view)
		}
	}
}
