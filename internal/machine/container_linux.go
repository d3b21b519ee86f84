package machine

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// containerLimit returns the least memory limit of this process's control group and of those around it, of either
// version; 0 when there is none. The files lie below a root.
func containerLimit(root string) int64 {
	limit := int64(math.MaxInt64)
	groups, _ := os.ReadFile(filepath.Join(root, "proc/self/cgroup")) // without it there is the root group
	for line := range strings.Lines("0::/\n" + string(groups)) {
		id, rest, _ := strings.Cut(strings.TrimSpace(line), ":")
		controllers, group, _ := strings.Cut(rest, ":")
		switch {
		case id == "0" && controllers == "": // version 2; under "unified" where both are mounted
			limit = min(limit, groupLimit(root, "sys/fs/cgroup", group, "memory.max"))
			limit = min(limit, groupLimit(root, "sys/fs/cgroup/unified", group, "memory.max"))
			// a container sees its own group as the root
			limit = min(limit, groupLimit(root, "sys/fs/cgroup/memory", "/", "memory.limit_in_bytes"))
		case slices.Contains(strings.Split(controllers, ","), "memory"):
			limit = min(limit, groupLimit(root, "sys/fs/cgroup/memory", group, "memory.limit_in_bytes"))
		}
	}
	if limit >= unlimited {
		return 0
	}
	return limit
}

// unlimited is about the number that version 1 reports where no limit is set: the greatest number of pages.
const unlimited = math.MaxInt64 / 2

// groupLimit returns the least of the limits of a group and those above it.
func groupLimit(root, mount, group, file string) int64 {
	limit := int64(math.MaxInt64)
	for group = filepath.Clean("/" + group); ; group = filepath.Dir(group) {
		if b, err := os.ReadFile(filepath.Join(root, mount, group, file)); err == nil {
			if n, err := strconv.ParseInt(strings.TrimSpace(string(b)), 10, 64); err == nil && n > 0 { // not "max"
				limit = min(limit, n)
			}
		}
		if group == "/" {
			return limit
		}
	}
}
