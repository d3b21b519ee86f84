package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/arrowsort/arrowsort/arrowsort/internal/flagtext"
	"github.com/arrowsort/arrowsort/arrowsort/internal/nearest"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/csv"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
)

// A filesReport is the JSON output of info for files.
type filesReport struct {
	Command  string       `json:"command"`
	Warnings []string     `json:"warnings,omitempty"`
	Files    []fileReport `json:"files"`
}

// A fileReport describes a file and the order that it declares.
type fileReport struct {
	*tablefile.FileInfo
	Keys   []string `json:"keys"`             // as they are typed; empty: none
	Varies bool     `json:"varies,omitempty"` // row groups declare different orders, Keys is that of the first
}

// showFiles describes files, also those that follow one with an error. flag is a flag for CSV that was given, or empty.
func showFiles(ctx context.Context, s streams, args []string, opts *parquetsort.Options, flag string,
	asJSON bool) error {
	if slices.Contains(args, tablefile.Pipe) {
		return usagef("info reads files, and not standard input: save it to a file first")
	}
	var store parquetsort.Store
	if opened := s.stores.of(args...); opened != nil {
		store = opened
	}
	if err := s.stores.checkInputPaths(args); err != nil {
		return err
	}
	files, skipped, err := parquetsort.List(ctx, args, store)
	if err != nil {
		return err
	}
	for _, line := range skipped {
		if !asJSON {
			fmt.Fprintln(s.err, "arrowsort: warning:", printable(line))
		}
	}
	if flag != "" && !slices.ContainsFunc(files, func(file string) bool { return isCSV(opts.Input.Format, file) }) {
		return usagef("--%s is for CSV, which no file is", flag)
	}
	types, err := csv.ParseTypes(opts.Input.CSVTypes)
	if err != nil {
		return err // its flag has checked it
	}
	read := tablefile.ReadOptions{Delimiter: opts.Input.Delimiter}
	read.Format, _ = tablefile.ParseFormat(string(opts.Input.Format)) // its flag has checked it
	all := filesReport{Command: "info", Warnings: skipped}
	var failed fileErrors
	for _, file := range files {
		read.CSV = &csv.Schema{NoHeader: opts.Input.NoHeader, Types: types}
		read.Open = s.stores.opener(ctx, file)
		r, err := inspect(ctx, file, read)
		if ctx.Err() != nil {
			return err
		}
		if err != nil {
			failed = append(failed, err)
			continue
		}
		if all.Files = append(all.Files, r); asJSON {
			continue
		}
		if len(all.Files) > 1 {
			fmt.Fprintln(s.out) // the next line fails too
		}
		if _, err := io.WriteString(s.out, r.text(s.outWidth)); err != nil {
			return err
		}
	}
	if asJSON && len(all.Files) > 0 {
		if err := json.NewEncoder(s.out).Encode(all); err != nil {
			return err
		}
	}
	if failed != nil {
		return failed
	}
	return nil
}

// inspect describes a file.
func inspect(ctx context.Context, file string, read tablefile.ReadOptions) (r fileReport, err error) {
	info, err := tablefile.Inspect(ctx, file, read)
	if column := (*csv.ColumnError)(nil); errors.As(err, &column) {
		err = usagef("%s%s", withFlags(err.Error()), nearest.Hint(column.Names, column.Name))
	}
	if err != nil {
		return r, err
	}
	r = fileReport{info, flagtext.KeyTexts(flagtext.KeysOf(info.Sorting)), info.Mixed}
	if info.Order != nil {
		r.Keys, r.Varies = info.Order.Keys, false
	}
	return r, nil
}

// text describes a file for a terminal of a width; 0 is unlimited.
func (r *fileReport) text(width int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s, %s, %s, %s\n", printable(r.File), r.formatText(), bytesText(r.Bytes),
		counted(r.Rows, "row"), counted(int64(len(r.Columns)), "column"))
	if r.WrittenBy != "" {
		fmt.Fprintf(&b, "written by %s\n", printable(r.WrittenBy))
	}
	for _, remark := range r.Remarks {
		fmt.Fprintf(&b, "remark: %s\n", printable(remark))
	}
	if c := r.Curve; c != nil {
		fmt.Fprintf(&b, "declared curve: %s over %s\n", printable(c.Curve), printable(strings.Join(c.Keys, ", ")))
	}
	switch {
	case r.Varies && len(r.Keys) == 0:
		b.WriteString("declared order: none in the first row group, another in others\n")
	case r.Varies:
		fmt.Fprintf(&b, "declared order: %s in the first row group, another in others\n", printable(r.keyList()))
	case len(r.Keys) > 0:
		fmt.Fprintf(&b, "declared order: %s\n", printable(r.keyList()))
	case r.Format == tablefile.Parquet.String():
		b.WriteString("declared order: none\n")
	}
	if r.Format != tablefile.CSV.String() {
		b.WriteString(r.groupsText())
	}
	if len(r.Columns) > 0 {
		b.WriteString(r.table(width) + "\n")
	}
	return b.String()
}

func (r *fileReport) keyList() string { return strings.Join(r.Keys, ", ") }

func (r *fileReport) formatText() string {
	switch {
	case r.Compressed:
		return "compressed CSV"
	case r.Format == tablefile.Parquet.String():
		return "Parquet"
	case r.Format == tablefile.IPCFile.String():
		return "Arrow file"
	case r.Format == tablefile.IPCStream.String():
		return "Arrow stream"
	}
	return "CSV"
}

// groupsText describes the row groups or record batches, and the dictionaries of an Arrow file.
func (r *fileReport) groupsText() string {
	n := int64(len(r.Groups))
	line := counted(n, "row group")
	switch {
	case r.Format == tablefile.Parquet.String():
	case n == 1:
		line = "1 record batch"
	default:
		line = grouped(n) + " record batches"
	}
	if n > 0 {
		rows, bytes := make([]int64, n), make([]int64, n)
		for i, g := range r.Groups {
			rows[i], bytes[i] = g.Rows, g.Bytes
		}
		line += " of " + span(rows, grouped) + " rows, " + span(bytes, bytesText)
	}
	if r.DictionaryBytes > 0 {
		line += "; dictionaries of " + bytesText(r.DictionaryBytes)
	}
	return line + "\n"
}

// span returns the least and the greatest of some numbers as text, or one number if they read the same.
func span(numbers []int64, show func(int64) string) string {
	least, most := show(slices.Min(numbers)), show(slices.Max(numbers))
	if least == most {
		return most
	}
	return least + " to " + most
}

// table lists the columns, nested ones indented. Properties that no column has are left out.
func (r *fileReport) table(width int) string {
	rows := columnRows(nil, r.Columns, "")
	titles := []string{"column", "type", "nulls", "bytes", "raw", "codec", "encodings", "Bloom filters"}
	var kept, numbers []int
	for i := range titles {
		if i < 2 || slices.ContainsFunc(rows, func(row []string) bool { return row[i] != "" }) {
			if 2 <= i && i <= 4 || i == 7 {
				numbers = append(numbers, len(kept))
			}
			kept = append(kept, i)
		}
	}
	out := newTable(width, numbers)
	pick := func(cells []string) table.Row {
		var row table.Row
		for _, i := range kept {
			row = append(row, cells[i])
		}
		return row
	}
	out.AppendHeader(pick(titles))
	for _, row := range rows {
		out.AppendRow(pick(row))
	}
	return out.Render()
}

// columnRows appends the cells of columns and of their nested fields.
func columnRows(rows [][]string, columns []tablefile.ColumnInfo, indent string) [][]string {
	number := func(n *int64, show func(int64) string) string {
		if n == nil {
			return ""
		}
		return show(*n)
	}
	for _, c := range columns {
		typ := text.Snip(printable(c.Type), previewWidth, "…")
		if !c.Nullable {
			typ += " not null"
		}
		filters := ""
		if c.BloomFilters > 0 {
			filters = grouped(c.BloomFilters)
		}
		rows = append(rows, []string{text.Snip(indent+printable(c.Name), longName, "…"), typ, number(c.Nulls, grouped),
			number(c.Bytes, bytesText), number(c.Raw, bytesText), strings.Join(c.Codecs, ", "),
			strings.Join(c.Encodings, ", "), filters})
		rows = columnRows(rows, c.Fields, indent+"  ")
	}
	return rows
}
