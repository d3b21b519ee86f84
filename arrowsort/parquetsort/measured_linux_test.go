package parquetsort

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
)

// measure is the process that is measured: it works as the command does, and prints its status.
func measure(args []string) {
	must := func(err error) {
		if err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
	}
	operation, output, inputs := args[0], args[3], args[4:]
	budget, err := strconv.ParseInt(args[1], 10, 64)
	must(err)
	rows, err := strconv.ParseInt(args[2], 10, 64)
	must(err)
	debug.SetMemoryLimit(budget + 16<<20) // as the command line does
	debug.SetGCPercent(200)
	opts := Options{Keys: []arrowsort.Key{{Path: "key"}},
		Memory: Memory{Budget: budget, SpillDir: filepath.Dir(output)}}
	switch ctx := context.Background(); operation {
	case "merge":
		_, err = Merge(ctx, inputs, output, opts)
	case "check":
		_, err = Check(ctx, inputs, checking(opts))
	case "partition":
		must(unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 256, Max: 256}))
		opts.Output.PartitionBy = []string{"part"}
		result, err := Sort(ctx, inputs, output, opts)
		must(err)
		if result.Runs < 2 {
			must(errors.New("nothing was spilled"))
		}
	case "stdin":
		inputs = []string{tablefile.Pipe}
		fallthrough
	default:
		opts.Rows.Unique = operation == "unique"
		switch operation {
		case "tail":
			opts.Rows.Tail = cmp.Or(rows/2, 1)
		case "limit":
			opts.Rows.Limit = cmp.Or(rows/2, 1)
		}
		_, err = Sort(ctx, inputs, output, opts)
	}
	must(err)
	status, err := os.ReadFile("/proc/self/status")
	must(err)
	os.Stdout.Write(status)
	os.Exit(0)
}
