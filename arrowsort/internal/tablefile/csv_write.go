package tablefile

import (
	"bufio"
	"io"
	"strings"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
)

// writeCSV writes comma-separated values with a header: null is empty, times are ISO 8601, binary is base64, nested
// values are JSON. CSV has one kind of nothing, so that a null and an empty string are read back as null.
func writeCSV(w io.Writer, table arrow.Table, report func(done, total int)) error {
	buf := bufio.NewWriterSize(w, 1<<16)
	names := make([]string, table.NumCols())
	for i := range names {
		names[i] = table.Schema().Field(i).Name
	}
	if err := writeRow(buf, names); err != nil {
		return err
	}
	const batch = 1 << 14
	reader := array.NewTableReader(table, batch)
	defer reader.Release()
	for done := 0; reader.Next(); {
		rec := reader.Record()
		if err := writeBatch(buf, rec); err != nil {
			return err
		}
		done += int(rec.NumRows())
		report(done, int(table.NumRows()))
	}
	return buf.Flush()
}

func writeBatch(w *bufio.Writer, rec arrow.Record) error {
	format := make([]func(i int) string, rec.NumCols())
	for c := range format {
		format[c] = Formatter(rec.Column(c))
	}
	row := make([]string, len(format))
	for i := range int(rec.NumRows()) {
		for c, f := range format {
			row[c] = ""
			if !IsNull(rec.Column(c), i) {
				row[c] = f(i)
			}
		}
		if err := writeRow(w, row); err != nil {
			return err
		}
	}
	return nil
}

// writeRow writes a line. The one row that would be an empty line, which readers skip, is written as an empty string.
func writeRow(w *bufio.Writer, row []string) error {
	if len(row) == 1 && row[0] == "" {
		_, err := w.WriteString("\"\"\n")
		return err
	}
	for i, value := range row {
		if i > 0 {
			w.WriteByte(',')
		}
		if strings.ContainsAny(value, "\",\r\n") || strings.HasPrefix(value, " ") {
			value = `"` + strings.ReplaceAll(value, `"`, `""`) + `"`
		}
		w.WriteString(value)
	}
	return w.WriteByte('\n') // it reports the errors of the writes before
}
