package command

import (
	"runtime/debug"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestInfoNamesTheCommit(t *testing.T) {
	r := cli(t, nil, "info")
	require.Contains(t, r.out, "\ncommit:   unknown\n") // a test binary has no stamp

	stamp := []debug.BuildSetting{{Key: "vcs.revision", Value: "1a89942"},
		{Key: "vcs.time", Value: "2026-11-21T13:00:00Z"}, {Key: "vcs.modified", Value: "false"}}
	revision, date := commit(stamp)
	require.Equal(t, "1a89942", revision)
	require.Equal(t, "2026-11-21T13:00:00Z", date)
	stamp[2].Value = "true"
	revision, _ = commit(stamp)
	require.Equal(t, "1a89942 with changes", revision)
}
