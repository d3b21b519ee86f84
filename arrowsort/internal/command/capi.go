//go:build capi

package command

import (
	"bytes"
	"context"
	"errors"
	"runtime/debug"
	"strings"
	"sync"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/capi"
	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
)

// The C library is this program, built with the tag capi as a library: arrowsort/capi/build.sh.
func init() {
	capi.Register(capi.Program{
		Main: func(args []string) int { return Main(args, nil) }, Run: runInLibrary, Version: version()})
}

// running counts the commands that run at the same time in the library. They set the memory limit and the pace of the
// garbage collector, which are set back after the last.
var running struct {
	sync.Mutex
	commands int
	limit    int64 // before the first
	percent  int   // likewise
}

func startRunning() {
	running.Lock()
	defer running.Unlock()
	if running.commands++; running.commands == 1 {
		running.limit, running.percent = debug.SetMemoryLimit(-1), debug.SetGCPercent(100)
		debug.SetGCPercent(running.percent)
		tuneMemory()
	}
}

func endRunning() {
	running.Lock()
	defer running.Unlock()
	if running.commands--; running.commands == 0 {
		debug.SetMemoryLimit(running.limit)
		debug.SetGCPercent(running.percent)
	}
}

// runInLibrary runs a command line with --json and returns what it prints. It uses neither the standard streams nor
// signals. Mistakes on the command line are ErrOption.
func runInLibrary(
	ctx context.Context, args []string, progress func(phase string, done, total int64),
) (report []byte, err error) {
	startRunning()
	defer endRunning()
	var printed, messages bytes.Buffer
	started := false
	s := streams{in: strings.NewReader(""), out: &printed, err: &messages, progress: progress}
	inLibrary.Store(true)
	root := newRoot(s, &printed, &started)
	root.SetArgs(args)
	if _, err = checkDashes(root, args); err == nil {
		err = root.ExecuteContext(ctx)
	}
	usage := usageError{}
	switch {
	case err == nil, errors.Is(err, errNotSorted):
		return printed.Bytes(), nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case !started || errors.As(err, &usage) || errors.Is(err, tablefile.ErrFormat):
		return nil, errkind.Reword(arrowsort.ErrOption, strings.Join(strings.Fields(err.Error()), " "))
	}
	return nil, err
}
