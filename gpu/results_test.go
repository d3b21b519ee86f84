package gpu

import (
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCommittedImageWasTested compares the image of the kernels with that of the last run on a device whose results are committed.
func TestCommittedImageWasTested(t *testing.T) {
	image := func(path string) string {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		found := regexp.MustCompile(`(?m)^image ([0-9a-f]{64})$`).FindSubmatch(text)
		require.NotNil(t, found, "%s names no image", path)
		return string(found[1])
	}
	require.Equal(t, image("../kernels/MANIFEST"), image("../benchmarks/results/gpu-h200.txt"),
		"the kernels have changed: run the suite on a GPU and commit what it says (docs/gpu.md)")
}
