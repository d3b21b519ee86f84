package ipc

import (
	"io"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	arrowipc "github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/fileerror"
)

// Options are the options of NewWriter.
type Options struct {
	File      bool   // a file, else a stream
	Codec     string // of the buffers: zstd or lz4; else they are not compressed
	Allocator memory.Allocator
}

// A Writer writes the record batches of an IPC file or stream.
type Writer struct {
	out   *arrowipc.Writer
	plain *plainer
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
	options := []arrowipc.Option{arrowipc.WithSchema(schema), arrowipc.WithAllocator(opts.Allocator)}
	switch opts.Codec {
	case "zstd":
		options = append(options, arrowipc.WithZstd())
	case "lz4":
		options = append(options, arrowipc.WithLZ4())
	}
	out := &payloads{w: w, file: opts.File, written: map[int64]bool{}}
	if err := out.Start(); err != nil {
		return nil, err
	}
	return &Writer{arrowipc.NewWriterWithPayloadWriter(out, options...), newPlainer(opts.Allocator)}, nil
}

// Write writes a record batch.
func (w *Writer) Write(rec arrow.Record) error {
	rec = w.plain.record(rec)
	defer rec.Release()
	return w.out.Write(rec)
}

// Close writes the end of the file or stream.
func (w *Writer) Close() error {
	w.plain.release()
	return w.out.Close()
}

// extendsDictionary reports whether a type is or has an extension type that is stored as a dictionary.
func extendsDictionary(typ arrow.DataType) bool {
	if ext, ok := typ.(arrow.ExtensionType); ok {
		typ = ext.StorageType()
		if typ.ID() == arrow.DICTIONARY {
			return true
		}
	}
	nested, ok := typ.(arrow.NestedType)
	return ok && slices.ContainsFunc(nested.Fields(), func(f arrow.Field) bool { return extendsDictionary(f.Type) })
}
