package machine

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestContainerLimit(t *testing.T) {
	const self, v1, v2 = "proc/self/cgroup", "sys/fs/cgroup/memory/", "sys/fs/cgroup/"
	for name, c := range map[string]struct {
		files map[string]string
		want  int64
	}{
		"nothing":                  {nil, 0},
		"version 2, no limit":      {map[string]string{self: "0::/\n", v2 + "memory.max": "max\n"}, 0},
		"version 2, own namespace": {map[string]string{self: "0::/\n", v2 + "memory.max": "1000\n"}, 1000},
		"version 2, the group": {map[string]string{self: "0::/a/b\n", v2 + "a/b/memory.max": "2000\n", v2 +
			"a/memory.max": "max\n"}, 2000},
		"version 2, above the group": {map[string]string{self: "0::/a/b\n", v2 + "a/b/memory.max": "2000\n", v2 +
			"a/memory.max": "500\n"}, 500},
		"version 2, another group": {map[string]string{self: "0::/a\n", v2 + "b/memory.max": "500\n"}, 0},
		"version 2 without proc":   {map[string]string{v2 + "memory.max": "700\n"}, 700},
		"version 1, no limit": {map[string]string{self: "4:memory:/\n", v1 +
			"memory.limit_in_bytes": "9223372036854771712\n"}, 0},
		"version 1, the group": {map[string]string{self: "5:cpu:/x\n4:memory:/a\n", v1 +
			"a/memory.limit_in_bytes": "3000\n", v1 + "memory.limit_in_bytes": "9223372036854771712\n"}, 3000},
		"version 1, with a controller": {map[string]string{self: "4:hugetlb,memory:/a\n", v1 +
			"a/memory.limit_in_bytes": "3000\n"}, 3000},
		"version 1, group of the host": {map[string]string{self: "4:memory:/docker/1234\n", v1 +
			"memory.limit_in_bytes": "4000\n"}, 4000},
		"both, limit of version 1": {map[string]string{self: "4:memory:/a\n0::/u\n", v1 +
			"a/memory.limit_in_bytes": "3000\n"}, 3000},
		"both, limit of version 2": {map[string]string{self: "4:cpu:/a\n0::/u\n", v2 +
			"unified/u/memory.max": "2500\n"}, 2500},
		"a group that climbs out of root": {map[string]string{self: "0::/../..\n", v2 + "memory.max": "600\n"}, 600},
	} {
		root := t.TempDir()
		for path, text := range c.files {
			path = filepath.Join(root, path)
			require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
			require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
		}
		require.Equal(t, c.want, containerLimit(root), name)
	}
}
