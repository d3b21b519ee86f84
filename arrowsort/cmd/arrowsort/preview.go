package main

import (
	"fmt"
	"io"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/valuetext"
)

// previewWidth is the number of characters of a value that a preview shows.
const previewWidth = 40

// preview prints the first rows of a table under the names and types of a schema. Lines are cut to a width; 0 does not.
func preview(w io.Writer, t arrow.Table, schema *arrow.Schema, rows, width int) error {
	out := newTable(width)
	names, types := make(table.Row, t.NumCols()), make(table.Row, t.NumCols())
	var alignments []table.ColumnConfig
	for i, f := range schema.Fields() {
		names[i], types[i] = printable(f.Name), printable(f.Type.String())
		if isNumber(f.Type) {
			alignments = append(alignments, table.ColumnConfig{Number: i + 1, Align: text.AlignRight,
				AlignHeader: text.AlignRight})
		}
	}
	out.SetColumnConfigs(alignments)
	out.AppendHeader(names)
	out.AppendHeader(types)
	reader := array.NewTableReader(t, int64(rows))
	defer reader.Release()
	for shown := 0; shown < rows && reader.Next(); {
		rec := reader.Record()
		for i := 0; i < int(rec.NumRows()) && shown < rows; i, shown = i+1, shown+1 {
			out.AppendRow(previewRow(rec, i))
		}
	}
	_, err := fmt.Fprintln(w, out.Render())
	return err
}

// newTable is a table for a terminal of a width; 0 is any.
func newTable(width int) table.Writer {
	out := table.NewWriter()
	out.SetAllowedRowLength(width)
	out.SetStyle(table.StyleLight)
	out.Style().Format.Header = text.FormatDefault // names are shown as they are
	return out
}

func previewRow(rec arrow.Record, i int) table.Row {
	row := make(table.Row, rec.NumCols())
	for c, column := range rec.Columns() {
		row[c] = "null"
		if !valuetext.IsNull(column, i) {
			row[c] = text.Snip(printable(valuetext.Formatter(column)(i)), previewWidth, "…")
		}
	}
	return row
}

func isNumber(typ arrow.DataType) bool {
	return arrow.IsInteger(typ.ID()) || arrow.IsFloating(typ.ID()) || arrow.IsDecimal(typ.ID())
}
