package icebergsort

import (
	"bytes"
	"slices"
	"sort"

	"github.com/apache/iceberg-go"
)

// A Depth is how many data files a reader reads for one value of the first key of the order, by the bounds in the
// manifests. Files of different partitions are counted apart.
type Depth struct {
	Mean  float64 `json:"mean"`  // over the rows: the files whose bounds overlap those of the file of a row
	Worst int     `json:"worst"` // the most files whose bounds have a value in common
	Files int     `json:"files"` // with bounds
	// Unbounded are the files without bounds of the column, which readers never leave out.
	Unbounded int `json:"unbounded,omitempty"`
}

// A span is the bounds of a data file in bytes that compare as its values.
type span struct {
	low, high []byte
	rows      int64
	file      int // its number among those that the spans were made of
}

// spansOf returns the bounds of a column of files, and the number of files without them. Those without values count as
// neither.
func spansOf(files []iceberg.DataFile, column iceberg.NestedField) (spans []span, unbounded int) {
	for i, f := range files {
		low := orderedBytes(column.Type, f.LowerBoundValues()[column.ID])
		high := orderedBytes(column.Type, f.UpperBoundValues()[column.ID])
		nulls, counted := f.NullValueCounts()[column.ID]
		switch {
		case f.LowerBoundValues()[column.ID] != nil && f.UpperBoundValues()[column.ID] != nil && low != nil &&
			high != nil:
			spans = append(spans, span{low: low, high: high, rows: f.Count(), file: i})
		case counted && nulls == f.Count(): // all are null
		default:
			unbounded++
		}
	}
	return spans, unbounded
}

// overlaps returns for each span how many of them, itself included, have a value in common with it.
func overlaps(spans []span) []int {
	lows, highs := make([][]byte, len(spans)), make([][]byte, len(spans))
	for i, s := range spans {
		lows[i], highs[i] = s.low, s.high
	}
	slices.SortFunc(lows, bytes.Compare)
	slices.SortFunc(highs, bytes.Compare)
	counts := make([]int, len(spans))
	for i, s := range spans {
		ended := sort.Search(len(highs), func(j int) bool { return bytes.Compare(highs[j], s.low) >= 0 })
		begun := sort.Search(len(lows), func(j int) bool { return bytes.Compare(lows[j], s.high) > 0 })
		counts[i] = begun - ended
	}
	return counts
}

// worst returns the most spans that have a value in common, and for each span the most of them at a value in it.
func worst(spans []span) (most int, at []int) {
	values := make([][]byte, 0, 2*len(spans))
	for _, s := range spans {
		values = append(values, s.low)
	}
	slices.SortFunc(values, bytes.Compare)
	values = slices.CompactFunc(values, bytes.Equal) // the depth grows at lower bounds only
	place := func(v []byte) int {
		return sort.Search(len(values), func(i int) bool { return bytes.Compare(values[i], v) > 0 })
	}
	change := make([]int, len(values)+1)
	for _, s := range spans {
		change[place(s.low)-1]++
		change[place(s.high)]--
	}
	depth := 0
	for i := range change {
		depth += change[i]
		change[i] = depth
		most = max(most, depth)
	}
	at = make([]int, len(spans))
	for i, s := range spans {
		at[i] = slices.Max(change[place(s.low)-1 : place(s.high)])
	}
	return most, at
}

// A depthSum adds up the depth of groups of files.
type depthSum struct {
	depth          Depth
	rows, weighted float64
}

func (d *depthSum) add(files []iceberg.DataFile, column iceberg.NestedField) {
	spans, unbounded := spansOf(files, column)
	d.depth.Files += len(spans)
	d.depth.Unbounded += unbounded
	most, _ := worst(spans)
	d.depth.Worst = max(d.depth.Worst, most)
	for i, n := range overlaps(spans) {
		d.rows += float64(spans[i].rows)
		d.weighted += float64(spans[i].rows) * float64(n)
	}
}

func (d *depthSum) result() *Depth {
	if d.rows > 0 {
		d.depth.Mean = d.weighted / d.rows
	}
	return &d.depth
}

// deepest returns the files, by their numbers, that have a value in common with at least most-1 others.
func deepest(files []iceberg.DataFile, column iceberg.NestedField, most int) (numbers []int) {
	spans, _ := spansOf(files, column)
	_, at := worst(spans)
	for i, n := range at {
		if n >= most {
			numbers = append(numbers, spans[i].file)
		}
	}
	slices.Sort(numbers)
	return numbers
}
