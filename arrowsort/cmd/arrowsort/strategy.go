package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
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

// explain checks the flags and finds the strategy for files that can be read piece by piece; nil for others, which have to be
// one.
func (f *spillFlags) explain(cmd *cobra.Command, args []string, in *jobFlags) ([]string, *strategy, error) {
	if err := f.checkMemory(); err != nil {
		return nil, nil, err
	}
	files, err := parquetsort.Expand(args)
	if err != nil && (len(args) > 1 || args[0] != tablefile.Pipe) {
		return nil, nil, err
	}
	if err != nil {
		files = args
	}
	for _, file := range files {
		if why := readWhole(file, in); why != "" {
			if len(files) > 1 || f.memory != "" {
				return nil, nil, usagef("%s", why)
			}
			return files, nil, nil
		}
	}
	if in.limit > 0 {
		if len(files) > 1 || f.memory != "" {
			return nil, nil, usagef("--limit looks at the first rows of one file in memory")
		}
		return files, nil, nil
	}
	keys, err := resolveIn(cmd.Context(), files[0], in)
	if err != nil {
		return nil, nil, err
	}
	d, err := parquetsort.Explain(cmd.Context(), files, parquetsort.Options{Keys: keys, Memory: f.options.Memory, InputFormat: in.format, Threads: in.threads})
	if err != nil {
		return nil, nil, err
	}
	return files, &strategy{
		Memory: d.Memory, Table: d.Table, InMemory: d.InMemory && len(files) == 1, InOrder: d.InOrder,
		Runs: d.Runs, Passes: d.Passes, BytesSpilled: d.BytesSpilled, files: len(files), columns: d.Columns, bytesIn: d.BytesIn,
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
