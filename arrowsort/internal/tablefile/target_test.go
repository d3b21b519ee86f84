package tablefile

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestTargets(t *testing.T) {
	require.NoError(t, CheckTarget(Pipe))
	require.False(t, Replaces(Pipe))
	folder := t.TempDir()
	require.ErrorContains(t, CheckTarget(folder), folder+": is a folder, not a file")
	file := filepath.Join(folder, "new.csv")
	require.NoError(t, CheckTarget(file))
	require.True(t, Replaces(file))
	require.Equal(t, file, OutputPath(file))
}
