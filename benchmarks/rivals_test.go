package benchmarks

import (
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestRivalsDrivers runs the tests of the comparison with other libraries that need neither those libraries nor a network.
func TestRivalsDrivers(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("python3 is not installed")
	}
	cmd := exec.CommandContext(t.Context(), python, "-B", "-m", "unittest", "runners_test")
	cmd.Dir = "rivals"
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, "%s", out)
}
