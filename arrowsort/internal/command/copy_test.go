package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSortedFilesAreCopied sorts a file twice: the second time it is copied, unless something else is asked for.
func TestSortedFilesAreCopied(t *testing.T) {
	sorted := manyPeople(t, "in.parquet") // by name
	out := filepath.Join(t.TempDir(), "out.parquet")
	copied := func(args ...string) bool {
		r := cli(t, nil, append([]string{"sort", "--json", "-o", out, sorted}, args...)...)
		require.Equal(t, 0, r.code, r.err)
		var got map[string]any
		require.NoError(t, json.Unmarshal([]byte(r.out), &got), r.out)
		require.Equal(t, 400_000.0, got["rows_out"])
		info, err := os.Stat(out)
		require.NoError(t, err)
		require.Equal(t, float64(info.Size()), got["bytes_out"])
		require.Contains(t, got["plan"], ":")
		return got["copied"] == true
	}
	require.True(t, copied("-k", "name"))
	require.True(t, copied("-k", "#1"))
	require.Equal(t, result{out: "sorted by name, as the footer says\n"}, cut(cli(t, nil, "check", out)))
	for _, args := range [][]string{{"-k", "name", "--compression", "snappy"},
		{"-k", "name", "--row-group-rows", "1000"}, {"-k", "name:desc"}, {"-k", "n"}, {"-k", "name", "-k", "n"},
		{"-k", "#2"}} {
		require.False(t, copied(args...), args)
	}
}
