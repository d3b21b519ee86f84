package gpu

import (
	"os"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestCommittedImageWasTested compares the image of the kernels with that of the last run on a device whose results are
// committed.
func TestCommittedImageWasTested(t *testing.T) {
	image := func(path string) string {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		found := regexp.MustCompile(`(?m)^image ([0-9a-f]{64})$`).FindSubmatch(text)
		require.NotNil(t, found, "%s names no image", path)
		return string(found[1])
	}
	for _, results := range []string{"../benchmarks/results/gpu-h200.txt", "../benchmarks/cub/results.txt"} {
		require.Equal(t, image("../kernels/MANIFEST"), image(results),
			"%s is of another image: run the suite and benchmarks/cub/run.sh on a GPU and commit what they say "+
				"(docs/gpu.md)", results)
	}
}
