package atomicfile

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
)

// A descriptor is an open file of a process, which a path such as /dev/stdout, /dev/fd/3 or /proc/17/fd/3 stands for.
type descriptor struct {
	number int
	own    bool // of this process
}

var descriptorFolder = regexp.MustCompile(`^(?:/dev/fd|/proc/(\d+)(?:/task/\d+)?/fd)$`)

// descriptorOf follows links to the descriptor that a path stands for. Its file must not be renamed over: the process
// that opened it would keep writing to the old one.
func descriptorOf(path string) (d descriptor, ok bool) {
	const mostLinks = 40
	for range mostLinks {
		folder, err := filepath.EvalSymlinks(filepath.Dir(path))
		if err != nil {
			return d, false
		}
		if folder, err = filepath.Abs(folder); err != nil {
			return d, false
		}
		match := descriptorFolder.FindStringSubmatch(filepath.ToSlash(folder))
		if n, err := strconv.Atoi(filepath.Base(path)); match != nil && err == nil {
			return descriptor{n, match[1] == "" || match[1] == strconv.Itoa(os.Getpid())}, true
		}
		link, err := os.Readlink(path)
		if err != nil {
			return d, false
		}
		if path = link; !filepath.IsAbs(link) {
			path = filepath.Join(folder, link)
		}
	}
	return d, false
}

// IsStdout reports whether a path stands for this process's standard output, as /dev/stdout does.
func IsStdout(path string) bool {
	d, ok := descriptorOf(path)
	return ok && d.own && d.number == 1
}
