package command

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/valuetext"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
)

// A report is the result of a command, in the form of --json.
type report struct {
	Command       string                `json:"command"`
	Input         string                `json:"input"`
	Output        string                `json:"output,omitempty"`
	Keys          []string              `json:"keys"`
	PartitionBy   []string              `json:"partition_by,omitempty"`
	Curve         string                `json:"curve,omitempty"` // that the rows follow, or are checked to follow
	Engine        string                `json:"engine"`
	Rows          *int64                `json:"rows,omitempty"` // absent where explain does not count them
	RowsOut       int64                 `json:"rows_out"`
	Columns       int64                 `json:"columns"`
	BytesIn       int64                 `json:"bytes_in"`
	BytesOut      int64                 `json:"bytes_out"`
	Runs          int                   `json:"runs,omitempty"`          // that were spilled and merged
	BytesSpilled  int64                 `json:"bytes_spilled,omitempty"` // by them
	Copied        bool                  `json:"copied,omitempty"`        // row groups, since the inputs were in order
	RowGroups     int                   `json:"row_groups,omitempty"`    // of the inputs, where not all rows were read
	RowGroupsRead int                   `json:"row_groups_read,omitempty"`
	Pages         int                   `json:"pages,omitempty"` // of the first key in them
	PagesRead     int                   `json:"pages_read,omitempty"`
	Depth         *parquetsort.KeyDepth `json:"depth,omitempty"`   // row groups that hold a value of the first key
	Inputs        []string              `json:"inputs,omitempty"`  // when they are several
	Outputs       []string              `json:"outputs,omitempty"` // when there are several
	Warnings      []string              `json:"warnings,omitempty"`
	Objects       *Traffic              `json:"objects,omitempty"` // of an object store
	Seconds       float64               `json:"seconds"`
	ReadSeconds   float64               `json:"read_seconds"`
	SortSeconds   float64               `json:"sort_seconds"`
	WriteSeconds  float64               `json:"write_seconds"`
	RowsPerSecond float64               `json:"rows_per_second"`
	Plan          string                `json:"plan,omitempty"`
	GPUs          []gpuReport           `json:"gpus,omitempty"`          // that sorted
	Sorted        *bool                 `json:"sorted,omitempty"`        // of check
	BadRow        *int64                `json:"first_bad_row,omitempty"` // of check, in its file
	BadFile       string                `json:"bad_file,omitempty"`      // of check of several files

	Footers  []footerReport        `json:"footers,omitempty"`  // of check of Parquet files
	Strategy *parquetsort.Strategy `json:"strategy,omitempty"` // of explain of files that can be larger than memory
	Details  *arrowsort.Plan       `json:"details,omitempty"`  // of explain: the plan, taken apart

	start   time.Time
	order   string // of the rows, in words
	verbose bool   // the plan is printed, too
}

// A gpuReport is the time of each stage of the sorts on a GPU.
type gpuReport struct {
	Device  int                `json:"device"`
	Seconds map[string]float64 `json:"seconds"` // by stage
}

// leastSeconds is the shortest time for which rows per second are reported.
const leastSeconds = 0.05

func (r *report) stop() {
	r.Seconds = time.Since(r.start).Seconds()
	if r.Rows != nil {
		r.RowsPerSecond = float64(*r.Rows) / max(r.Seconds, 1e-9)
	}
}

func (r *report) writeJSON(w io.Writer) error {
	r.stop()
	return json.NewEncoder(w).Encode(r)
}

// writeText writes the report in plain words.
func (r *report) writeText(w io.Writer) error {
	r.stop()
	lines := []string{r.rowsText() + ", " + printable(r.order), r.bytesText(), r.timeText()}
	if r.Runs > 0 {
		lines = append(lines, fmt.Sprintf("%s, %s spilled", counted(int64(r.Runs), "run"), bytesText(r.BytesSpilled)))
	}
	if r.Copied {
		lines = append(lines, "in order already: row groups are copied")
	}
	if r.RowGroups > 0 {
		lines = append(lines, leftOutText(r.RowGroupsRead, r.RowGroups, r.PagesRead, r.Pages))
	}
	if d := r.Depth; d != nil && d.After.Of > 1 {
		lines = append(lines, depthText(r.Depth))
	}
	if r.verbose && r.Plan != "" {
		lines = append(lines, "plan: "+printable(r.Plan))
	}
	_, err := io.WriteString(w, strings.Join(lines, "\n")+"\n")
	return err
}

// depthText says how many row groups a reader reads for one value, as in: rows of one origin: 7 of 7 row groups before,
// 1 of 4 now.
func depthText(d *parquetsort.KeyDepth) string {
	of := func(d parquetsort.LayoutDepth, things string) string {
		mean := strconv.FormatFloat(d.Mean, 'f', 1, 64)
		if d.Mean >= 10 || strings.HasSuffix(mean, ".0") {
			mean = grouped(int64(math.Round(d.Mean)))
		}
		return mean + " of " + things
	}
	return fmt.Sprintf("rows of one %s: %s before, %s now", printable(d.Column),
		of(d.Before, counted(int64(d.Before.Of), "row group")), of(d.After, grouped(int64(d.After.Of))))
}

// leftOutText says how many row groups are read, and of the pages of the first key in them.
func leftOutText(groupsRead, groups, pagesRead, pages int) string {
	text := fmt.Sprintf("%s of %s read", grouped(int64(groupsRead)), counted(int64(groups), "row group"))
	if pages > 0 {
		text += fmt.Sprintf(", and %s of %s pages of the first key", grouped(int64(pagesRead)),
			grouped(int64(pages)))
	}
	return text + ": the others hold none of the wanted rows, by their bounds"
}

func (r *report) rowsText() string {
	if r.Output == "" || r.RowsOut == *r.Rows {
		return counted(*r.Rows, "row") + ", " + counted(r.Columns, "column")
	}
	return fmt.Sprintf("%s in, %s out, %s", counted(*r.Rows, "row"), counted(r.RowsOut, "row"),
		counted(r.Columns, "column"))
}

// bytesText returns the sizes of inputs and outputs, and by what factor they grew or shrank if they hold the same rows.
func (r *report) bytesText() string {
	b := bytesText(r.BytesIn) + " in"
	if r.Output == "" {
		return b
	}
	b += ", " + bytesText(r.BytesOut) + " out"
	if len(r.Outputs) > 0 {
		b += " in " + counted(int64(len(r.Outputs)), "file")
	}
	if r.RowsOut != *r.Rows || r.BytesIn == 0 || r.BytesOut == 0 || r.Command == argsortName {
		return b
	}
	const same = 1.005 // rounds to 1.00
	switch factor := float64(r.BytesOut) / float64(r.BytesIn); {
	case factor >= same:
		return fmt.Sprintf("%s (grew by a factor of %.2f)", b, factor)
	case factor <= 1/same:
		return fmt.Sprintf("%s (shrank by a factor of %.2f)", b, 1/factor)
	}
	return b + " (the same size)"
}

// timeText returns the total time, and the times of its phases.
func (r *report) timeText() string {
	var parts []string
	for _, p := range []struct {
		name    string
		seconds float64
	}{{"reading", r.ReadSeconds}, {"sorting", r.SortSeconds}, {"writing", r.WriteSeconds}} {
		if p.seconds >= 0.0005 {
			parts = append(parts, fmt.Sprintf("%s %.3f", p.name, p.seconds))
		}
	}
	b := fmt.Sprintf("%.3f s", r.Seconds)
	if len(parts) > 1 {
		b += ": " + strings.Join(parts, ", ")
	}
	if r.Seconds >= leastSeconds {
		b += fmt.Sprintf("; %s rows per second", grouped(int64(r.RowsPerSecond)))
	}
	return b
}

// previewWidth is the number of characters to which a preview cuts values.
const previewWidth = 40

// preview prints the first rows of a table below the names and types of a schema. Lines are cut to a width; 0 is
// unlimited.
func preview(w io.Writer, t arrow.Table, schema *arrow.Schema, rows, width int) error {
	names, types := make(table.Row, t.NumCols()), make(table.Row, t.NumCols())
	var numbers []int
	for i, f := range schema.Fields() {
		names[i], types[i] = printable(f.Name), printable(f.Type.String())
		if isNumber(f.Type) {
			numbers = append(numbers, i)
		}
	}
	out := newTable(width, numbers)
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

// newTable returns a table for a terminal of a width, 0 for unlimited. Numbers are columns that are aligned right.
func newTable(width int, numbers []int) table.Writer {
	out := table.NewWriter()
	out.SetAllowedRowLength(width)
	out.SetStyle(table.StyleLight)
	out.Style().Format.Header = text.FormatDefault // names are shown as they are
	var alignments []table.ColumnConfig
	for _, i := range numbers {
		alignments = append(alignments, table.ColumnConfig{Number: i + 1, Align: text.AlignRight,
			AlignHeader: text.AlignRight})
	}
	out.SetColumnConfigs(alignments)
	return out
}

func previewRow(rec arrow.Record, i int) table.Row {
	row := make(table.Row, rec.NumCols())
	for c, column := range rec.Columns() {
		row[c] = "null"
		if !arraydata.IsNull(column, i) {
			row[c] = text.Snip(printable(valuetext.Formatter(column)(i)), previewWidth, "…")
		}
	}
	return row
}

func isNumber(typ arrow.DataType) bool {
	return arrow.IsInteger(typ.ID()) || arrow.IsFloating(typ.ID()) || arrow.IsDecimal(typ.ID())
}

// A footerReport is the order that the footer of a Parquet file declares, and whether the rows are in that order.
type footerReport struct {
	File string   `json:"file"`
	Keys []string `json:"keys"`           // as they are typed; empty: the file, or its first row group, names none
	True *bool    `json:"true,omitempty"` // absent where that was not checked
}
