package csv

import (
	"bytes"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
)

// read is the table of a text.
func read(t *testing.T, text []byte, delimiter rune) (arrow.Table, error) {
	r, err := NewReader(t.Context(), text, delimiter)
	if err != nil {
		return nil, err
	}
	return r.Read(t.Context(), memory.DefaultAllocator, nil)
}

// written is a table as text.
func written(table arrow.Table, delimiter rune) ([]byte, error) {
	var b bytes.Buffer
	w, err := NewWriter(&b, table.Schema(), delimiter)
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
