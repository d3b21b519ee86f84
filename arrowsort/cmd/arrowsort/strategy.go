package main

import (
	"context"
	"fmt"

	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
)

// A strategy is how files are sorted within a memory budget, as explain tells it. Numbers of runs, passes and bytes are
// estimates from the files' metadata.
type strategy struct {
	Memory       int64 `json:"memory_bytes"` // the budget
	Table        int64 `json:"table_bytes"`  // what all rows take in memory
	InMemory     bool  `json:"in_memory"`
	InOrder      bool  `json:"in_order"`      // the inputs are sorted already
	Runs         int   `json:"runs"`          // that are spilled; 0: none
	Passes       int   `json:"passes"`        // over what is spilled
	BytesSpilled int64 `json:"bytes_spilled"` // without compression

	files, columns int
	bytesIn        int64
}

// explain finds the strategy for files; nil for a pipe, which can be read once, and for the first rows of a file.
func (f *inputFlags) explain(ctx context.Context) (*strategy, error) {
	if f.limit > 0 && (len(f.files) > 1 || f.memory != "") {
		return nil, usagef("--limit looks at the first rows of one file in memory")
	}
	if f.piped || f.limit > 0 {
		return nil, nil
	}
	d, err := parquetsort.Explain(ctx, f.files, f.options)
	if err != nil {
		return nil, inTerms(err)
	}
	return &strategy{
		Memory: d.Memory, Table: d.Table, InMemory: d.InMemory, InOrder: d.InOrder,
		Runs: d.Runs, Passes: d.Passes, BytesSpilled: d.BytesSpilled,
		files: len(f.files), columns: d.Columns, bytesIn: d.BytesIn,
	}, nil
}

// lines tell the strategy.
func (s *strategy) lines() []string {
	lines := []string{fmt.Sprintf("%s, %s in; about %s in memory, of a budget of %s", counted(int64(s.files), "file"), bytesText(s.bytesIn), bytesText(s.Table), bytesText(s.Memory))}
	switch {
	case s.InOrder && s.Runs == 0:
		return append(lines, "in order already: copied or merged as they are, nothing is sorted or spilled")
	case s.InOrder:
		return append(lines, fmt.Sprintf("in order already, but too many to be read side by side: merged in %s, with about %s to the spill folder",
			passes(s.Passes), bytesText(s.BytesSpilled)))
	case s.InMemory:
		return append(lines, "sorted in memory, nothing is spilled")
	case s.Runs == 0:
		return append(lines, "read in pieces and sorted in memory, nothing is spilled")
	}
	return append(lines, fmt.Sprintf("about %s, spilled and merged in %s: about %s to the spill folder, without compression",
		counted(int64(s.Runs), "run"), passes(s.Passes), bytesText(s.BytesSpilled)))
}

func passes(n int) string {
	if n == 1 {
		return "1 pass"
	}
	return fmt.Sprintf("%d passes", n)
}
