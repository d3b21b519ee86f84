//go:build !race

package parquetsort

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The race detector's own memory is several times what it watches: this holds for ordinary builds.
func TestPeakMemoryStaysWithinTheBudget(t *testing.T) {
	folder := t.TempDir()
	in, out := manyNumbers(t, folder, "in.parquet"), filepath.Join(folder, "out.parquet")
	said, err := child(t, "measure", in, out, folder).Output()
	require.NoError(t, err, string(said))
	const beside = 64 << 10 // the program itself, what the runtime keeps, what encoding takes
	var peak int64          // KiB
	for line := range strings.Lines(string(said)) {
		if text, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			_, err := fmt.Sscanf(text, "%d kB", &peak)
			require.NoError(t, err)
		}
	}
	require.Positive(t, peak)
	require.Less(t, peak, int64(MinMemory>>10+beside))
	require.Equal(t, digestOf(t, in), digestOf(t, out))
}
