package icebergsort

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/apache/iceberg-go"
)

// A Depth is how many data files a reader reads for one value of the first key of the order, by the bounds in the
// manifests. Files of different partitions are counted apart.
type Depth struct {
	Mean  float64 `json:"mean"`  // over the rows, as if those of a file were spread evenly between its bounds
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

// A spanDepth is how many spans there are in the places of one of them.
type spanDepth struct {
	mean float64 // over its places
	most int
}

// depths returns the depth of each span. The places of a span are the bounds of all spans that are in it, and the gaps
// between them: of two spans that share a bound alone, each has the depth 2 at one of its three places.
func depths(spans []span) []spanDepth {
	var values [][]byte
	for _, s := range spans {
		values = append(values, s.low, s.high)
	}
	slices.SortFunc(values, bytes.Compare)
	values = slices.CompactFunc(values, bytes.Equal)
	place := func(v []byte) int {
		i, _ := slices.BinarySearchFunc(values, v, bytes.Compare)
		return 2 * i // those between are gaps
	}
	depth := make([]int, 2*len(values)+1)
	for _, s := range spans {
		depth[place(s.low)]++
		depth[place(s.high)+1]--
	}
	sums := make([]int, len(depth)+1) // of the depths before a place
	for i := range depth {
		if i > 0 {
			depth[i] += depth[i-1]
		}
		sums[i+1] = sums[i] + depth[i]
	}
	result := make([]spanDepth, len(spans))
	for i, s := range spans {
		first, end := place(s.low), place(s.high)+1
		result[i] = spanDepth{mean: float64(sums[end]-sums[first]) / float64(end-first),
			most: slices.Max(depth[first:end])}
	}
	return result
}

// overlapping reports whether spans share more than a bound.
func overlapping(spans []span) bool {
	spans = slices.Clone(spans)
	slices.SortFunc(spans, func(a, b span) int {
		return cmp.Or(bytes.Compare(a.low, b.low), bytes.Compare(a.high, b.high))
	})
	for i := 1; i < len(spans); i++ {
		if bytes.Compare(spans[i-1].high, spans[i].low) > 0 {
			return true
		}
	}
	return false
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
	for i, depth := range depths(spans) {
		d.depth.Worst = max(d.depth.Worst, depth.most)
		d.rows += float64(spans[i].rows)
		d.weighted += float64(spans[i].rows) * depth.mean
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
	for i, depth := range depths(spans) {
		if depth.most >= most {
			numbers = append(numbers, spans[i].file)
		}
	}
	slices.Sort(numbers)
	return numbers
}
