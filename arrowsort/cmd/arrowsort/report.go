package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
)

// A report is what a command did, as --json prints it.
type report struct {
	Command       string      `json:"command"`
	Input         string      `json:"input"`
	Output        string      `json:"output,omitempty"`
	Keys          []string    `json:"keys"`
	Engine        string      `json:"engine"`
	Rows          *int64      `json:"rows,omitempty"` // absent where explain does not count them
	RowsOut       int64       `json:"rows_out"`
	Columns       int64       `json:"columns"`
	BytesIn       int64       `json:"bytes_in"`
	BytesOut      int64       `json:"bytes_out"`
	Runs          int         `json:"runs,omitempty"`          // that were spilled and merged
	BytesSpilled  int64       `json:"bytes_spilled,omitempty"` // by them
	Copied        bool        `json:"copied,omitempty"`        // row groups, since the inputs were in order
	Inputs        []string    `json:"inputs,omitempty"`        // when they are several
	Outputs       []string    `json:"outputs,omitempty"`       // when there are several
	Warnings      []string    `json:"warnings,omitempty"`
	Seconds       float64     `json:"seconds"`
	ReadSeconds   float64     `json:"read_seconds"`
	SortSeconds   float64     `json:"sort_seconds"`
	WriteSeconds  float64     `json:"write_seconds"`
	RowsPerSecond float64     `json:"rows_per_second"`
	Plan          string      `json:"plan,omitempty"`
	GPUs          []gpuReport `json:"gpus,omitempty"`          // that sorted
	Sorted        *bool       `json:"sorted,omitempty"`        // of check
	BadRow        *int64      `json:"first_bad_row,omitempty"` // of check, in its file
	BadFile       string      `json:"bad_file,omitempty"`      // of check of several files

	Footers  []footerReport        `json:"footers,omitempty"`  // of check of Parquet files
	Strategy *parquetsort.Strategy `json:"strategy,omitempty"` // of explain of files that can be larger than memory
	Details  *planReport           `json:"details,omitempty"`  // of explain: the plan, taken apart

	start time.Time
}

// A gpuReport is the time of each stage of the sorts on a GPU.
type gpuReport struct {
	Device  int                `json:"device"`
	Seconds map[string]float64 `json:"seconds"` // by stage
}

// leastSeconds is the time from which rows per second mean something.
const leastSeconds = 0.05

// finish ends a job with its report; standard output may hold the sorted table.
func (j *job) finish(outputTaken bool) error {
	switch {
	case j.json && outputTaken:
		return j.report.writeJSON(j.err)
	case j.json:
		return j.report.writeJSON(j.out)
	case j.quiet:
		return nil
	}
	return j.report.writeText(j.err)
}

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

func (r *report) writeText(w io.Writer) error {
	r.stop()
	var b strings.Builder
	fmt.Fprintf(&b, "%s, %s, %s in", counted(*r.Rows, "row"), counted(r.Columns, "column"), bytesText(r.BytesIn))
	if r.Output != "" {
		fmt.Fprintf(&b, "; %s, %s out", counted(r.RowsOut, "row"), bytesText(r.BytesOut))
	}
	fmt.Fprintf(&b, "\n%.3f s: read %.3f, sort %.3f, write %.3f", r.Seconds, r.ReadSeconds, r.SortSeconds,
		r.WriteSeconds)
	if r.Seconds >= leastSeconds {
		fmt.Fprintf(&b, "; %s rows per second", grouped(int64(r.RowsPerSecond)))
	}
	b.WriteByte('\n')
	if r.Runs > 0 {
		fmt.Fprintf(&b, "%s, %s spilled\n", counted(int64(r.Runs), "run"), bytesText(r.BytesSpilled))
	}
	switch {
	case r.Copied:
		b.WriteString("in order already: row groups are copied\n")
	case r.Plan != "":
		fmt.Fprintf(&b, "plan: %s\n", printable(r.Plan))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// grouped prints a number with its thousands apart.
func grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// bytesText prints a size in decimal units.
func bytesText(n int64) string {
	units := []string{"B", "kB", "MB", "GB", "TB"}
	x, u := float64(n), 0
	for x >= 1000 && u < len(units)-1 {
		x, u = x/1000, u+1
	}
	if u == 0 {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%.1f %s", x, units[u])
}
