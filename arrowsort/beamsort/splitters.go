package beamsort

import (
	"bytes"
	"slices"
)

// A limits is the splitters.
type limits struct {
	// Rows are as those of sampled, in their order: rows before one of them are in a shard to the left of it, the row
	// itself is to the right.
	Rows [][]byte
}

// A splittersFn makes the splitters of the samples: rows at equal distances in the sorted order, one fewer than there
// are shards, or as many as there are rows.
type splittersFn struct{ Shards int }

// ProcessElement gets the samples of all parts.
func (f *splittersFn) ProcessElement(_ int, samples func(*sampled) bool, emit func(limits)) {
	var all []weighted
	for s := (sampled{}); samples(&s); {
		for _, row := range s.Rows {
			all = append(all, weighted{row, s.Weight})
		}
	}
	slices.SortFunc(all, func(a, b weighted) int { return bytes.Compare(a.row, b.row) })
	emit(limits{quantiles(all, f.Shards)})
}

// A weighted is a row of a sample and the number of rows that it stands for.
type weighted struct {
	row    []byte
	weight float64
}

// quantiles are the rows that divide sorted ones into parts of about the same weight. None is there twice, and never
// the first.
func quantiles(sorted []weighted, parts int) (rows [][]byte) {
	total := 0.0
	for _, s := range sorted {
		total += s.weight
	}
	before, next := 0.0, 1
	for i, s := range sorted {
		if next < parts && i > 0 && before >= total*float64(next)/float64(parts) {
			rows = append(rows, s.row)
			for next < parts && before >= total*float64(next)/float64(parts) {
				next++
			}
		}
		before += s.weight
	}
	return rows
}
