package csv

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// sourceOf is a text as a file.
func sourceOf(text string, delimiter rune) Source {
	return Source{Text: strings.NewReader(text), Size: int64(len(text)), Delimiter: delimiter}
}

// read is the table of a text.
func read(t *testing.T, text []byte, delimiter rune) (arrow.Table, error) {
	return readBatches(t, sourceOf(string(text), delimiter), MaxBatchBytes)
}

// readBatches is the table of a file that is read in record batches of some bytes.
func readBatches(t *testing.T, source Source, batchBytes int64) (arrow.Table, error) {
	var schema Schema
	if err := schema.Infer(t.Context(), source); err != nil {
		return nil, err
	}
	r, err := NewReader(source, &schema, batchBytes, memory.DefaultAllocator)
	if err != nil {
		return nil, err
	}
	defer r.Release()
	var records []arrow.Record
	for {
		rec, err := r.Next(t.Context())
		if err == io.EOF {
			return array.NewTableFromRecords(schema.Arrow(), records), nil
		}
		if err != nil {
			return nil, err
		}
		records = append(records, rec)
	}
}

// written is a table as text.
func written(table arrow.Table, delimiter rune) ([]byte, error) {
	var b bytes.Buffer
	w, err := NewWriter(&b, table.Schema(), delimiter, false)
	if err != nil {
		return nil, err
	}
	records := array.NewTableReader(table, -1)
	defer records.Release()
	for records.Next() {
		if err := w.Write(records.Record()); err != nil {
			return nil, err
		}
	}
	err = w.Close()
	return b.Bytes(), err
}
