package tablefile

import (
	"bufio"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

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
		format[c] = formatter(rec.Column(c))
	}
	row := make([]string, len(format))
	for i := range int(rec.NumRows()) {
		for c, f := range format {
			row[c] = ""
			if rec.Column(c).IsValid(i) {
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

// formatter prints the values of a column.
func formatter(a arrow.Array) func(i int) string {
	switch a := a.(type) {
	case *array.Int64:
		return func(i int) string { return strconv.FormatInt(a.Value(i), 10) }
	case *array.Float64:
		return func(i int) string { return formatFloat(a.Value(i), 64) }
	case *array.Float32:
		return func(i int) string { return formatFloat(float64(a.Value(i)), 32) }
	case *array.String:
		return a.Value
	case *array.LargeString:
		return a.Value
	case *array.Timestamp:
		typ := a.DataType().(*arrow.TimestampType)
		layout := "2006-01-02T15:04:05.999999999"
		if typ.TimeZone != "" {
			layout += "Z"
		}
		return func(i int) string { return a.Value(i).ToTime(typ.Unit).UTC().Format(layout) }
	case *array.Date32:
		return func(i int) string { return a.Value(i).ToTime().Format(time.DateOnly) }
	case *array.Dictionary:
		entry := formatter(a.Dictionary())
		return func(i int) string {
			if k := a.GetValueIndex(i); a.Dictionary().IsValid(k) {
				return entry(k)
			}
			return ""
		}
	}
	return a.ValueStr
}

// formatFloat prints the shortest number that reads back as the value, and as a floating-point number.
func formatFloat(x float64, bits int) string {
	s := strconv.FormatFloat(x, 'g', -1, bits)
	if math.IsInf(x, 0) || math.IsNaN(x) || strings.ContainsAny(s, ".e") {
		return s
	}
	return s + ".0"
}
