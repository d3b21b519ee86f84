package tablefile

import (
	"context"
	"io"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
)

// ipcBatch is the largest number of rows of a record batch, so that a reader of a stream can start early.
const ipcBatch = 1 << 20

type recordWriter interface {
	Write(rec arrow.Record) error
	Close() error
}

// writeIPC writes an IPC file or stream. Dictionaries are the same in all record batches, as a file needs it.
func writeIPC(
	ctx context.Context, w io.Writer, table arrow.Table, opts WriteOptions, report func(done, total int),
) error {
	table, err := unifyDictionaries(ctx, opts.Allocator, table)
	if err != nil {
		return err
	}
	defer table.Release()
	out, err := newRecordWriter(w, table.Schema(), opts)
	if err != nil {
		return err
	}
	reader := array.NewTableReader(table, ipcBatch)
	defer reader.Release()
	for done := 0; reader.Next(); {
		rec := reader.Record()
		if err := out.Write(rec); err != nil {
			return err
		}
		done += int(rec.NumRows())
		report(done, int(table.NumRows()))
	}
	return out.Close()
}

func newRecordWriter(w io.Writer, schema *arrow.Schema, opts WriteOptions) (recordWriter, error) {
	options := []ipc.Option{ipc.WithSchema(schema), ipc.WithAllocator(opts.Allocator)}
	switch opts.Compression.Codec {
	case "zstd":
		options = append(options, ipc.WithZstd())
	case "lz4":
		options = append(options, ipc.WithLZ4())
	}
	if err := writable(schema); err != nil {
		return nil, err
	}
	out := &payloads{w: w, file: opts.Format == IPCFile, written: map[int64]bool{}}
	if err := out.Start(); err != nil {
		return nil, err
	}
	return &plainWriter{Writer: ipc.NewWriterWithPayloadWriter(out, options...), plain: newPlainer(opts.Allocator)}, nil
}

// plainWriter writes record batches as plain ones.
type plainWriter struct {
	*ipc.Writer
	plain *plainer
}

func (w *plainWriter) Write(rec arrow.Record) error {
	rec = w.plain.record(rec)
	defer rec.Release()
	return w.Writer.Write(rec)
}

func (w *plainWriter) Close() error {
	w.plain.release()
	return w.Writer.Close()
}

// writable refuses the columns that Arrow does not write.
func writable(schema *arrow.Schema) error {
	for _, f := range schema.Fields() {
		if extendsDictionary(f.Type) {
			return unsupported("column %q: type %s, an extension type that is stored as a dictionary,", f.Name, f.Type)
		}
	}
	return nil
}

// extendsDictionary says whether a type is or has an extension type that is stored as a dictionary.
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
