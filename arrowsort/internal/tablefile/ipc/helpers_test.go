package ipc

import (
	"bytes"
	"io"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/dictionary"
)

// written is a table as a file or stream.
func written(t testing.TB, table arrow.Table, opts Options) []byte {
	t.Helper()
	opts.Allocator = allocator(opts.Allocator)
	table, err := dictionary.Unify(t.Context(), opts.Allocator, table)
	require.NoError(t, err)
	defer table.Release()
	var b bytes.Buffer
	w, err := NewWriter(&b, table.Schema(), opts)
	require.NoError(t, err)
	r := array.NewTableReader(table, -1)
	defer r.Release()
	for r.Next() {
		require.NoError(t, w.Write(r.Record()))
	}
	require.NoError(t, w.Close())
	return b.Bytes()
}

// read reads what written returns. As the facade does, it makes errors of panics.
func read(b []byte, opts Options) (table arrow.Table, err error) {
	err = errkind.Contain(func() error {
		src, mem := bytes.NewReader(b), allocator(opts.Allocator)
		var r *Reader
		if opts.File {
			r, err = OpenFile(src, src.Size(), mem)
		} else {
			r, err = OpenStream(src, src.Size(), mem)
		}
		if err != nil {
			return err
		}
		defer r.Release()
		var records []arrow.Record
		defer func() {
			for _, rec := range records {
				rec.Release()
			}
		}()
		for {
			rec, err := r.Next()
			if err == io.EOF {
				table = array.NewTableFromRecords(r.Schema(), records)
				return nil
			}
			if err != nil {
				return err
			}
			rec.Retain()
			records = append(records, rec)
		}
	})
	return table, err
}

func allocator(mem memory.Allocator) memory.Allocator {
	if mem == nil {
		return memory.DefaultAllocator
	}
	return mem
}
