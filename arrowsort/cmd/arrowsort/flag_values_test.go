package main

import (
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/internal/testrun"
)

// TestNumbersOfFlags tries each flag that takes a number, of each command, at its extremes: rows are written, or there
// is one line that names the flag and its value.
func TestNumbersOfFlags(t *testing.T) {
	values := map[string][]string{ // by what help calls the value of a flag
		"N":             {"0", "1", "1e30", "", "2147483648", "-1", "9223372036854775807"},
		"SIZE":          {"0", "1", "-1", "inf", "9223372036854775807B", "4611686018427387903B", "1e30GiB", "1e-300"},
		"codec[:level]": {"zstd:0", "zstd:-1", "zstd:9223372036854775807", "brotli:99999999999999999999"},
	}
	in := convert(t, "people.parquet")
	for _, cmd := range newRoot(streams{}, io.Discard, new(bool)).Commands() {
		if !slices.Contains([]string{"sort", "merge", "argsort", "check", "explain"}, cmd.Name()) {
			continue
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			kind, _ := pflag.UnquoteUsage(f)
			tried := values[kind]
			if cmd.Name() != "sort" && !testrun.Long() {
				tried = tried[len(tried)/2:]
			}
			for _, value := range tried {
				flag := f.Name
				name := cmd.Name() + " --" + flag + "=" + value
				folder := t.TempDir()
				outputs := func() []string {
					files, err := filepath.Glob(filepath.Join(folder, "*"))
					require.NoError(t, err)
					return files
				}
				args := []string{cmd.Name(), "-k", "name", "--" + flag + "=" + value}
				writes := cmd.Flags().Lookup("output") != nil
				if writes {
					args = append(args, "-q", "-o", filepath.Join(folder, "out.parquet"))
				}
				r := cli(t, nil, append(args, in)...)
				if r.code != 0 {
					require.Empty(t, outputs(), name)
					requireOneLine(t, r.err)
					require.Contains(t, r.err, "--"+flag, name)
					require.NotContains(t, r.err, "corrupted", name)
					continue
				}
				rows := 0
				for _, file := range outputs() {
					csv := cli(t, nil, "sort", "-q", "-k", "#1", "--output-format", "csv", "-o", "-", file)
					require.Zero(t, csv.code, csv.err)
					rows += strings.Count(csv.out, "\n") - 1
				}
				if n, err := strconv.Atoi(value); writes {
					want := 5
					if (flag == "limit" || flag == "tail") && err == nil && n > 0 {
						want = min(want, n)
					}
					require.Equal(t, want, rows, name)
				}
			}
		})
	}
}
