package parquetsort

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
)

// TestTimeIsLinearInRowGroups: eight times the row groups take about eight times as long, not 64 times.
func TestTimeIsLinearInRowGroups(t *testing.T) {
	opts := Options{Keys: []arrowsort.Key{{Path: "key"}}}
	file := func(groups int) string {
		path := filepath.Join(t.TempDir(), fmt.Sprint(groups, ".parquet"))
		generate(t, path, pairsSchema, groups, func(i int) arrow.Record { return pairs(i, 1, i, i) })
		return path
	}
	best := func(path string) time.Duration {
		least := time.Hour
		for range 2 {
			start := time.Now()
			_, err := Check(t.Context(), []string{path}, opts)
			require.NoError(t, err)
			least = min(least, time.Since(start))
		}
		return least
	}
	few, many := file(1_000), file(8_000)
	require.Less(t, best(many), 16*best(few))
}
