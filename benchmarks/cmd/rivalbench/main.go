// Command rivalbench is arrowsort's side of the comparison with other libraries: it loads one Arrow file into memory
// and then does timed runs on request, one JSON line each, so that a driver can alternate it with other engines.
//
// It reads commands from standard input, one per line, and answers each with one line of JSON on standard output:
//
//	run VARIANT        one timed run; its result is dropped and its memory is given back before the next run
//	save VARIANT FILE  one untimed run whose result is written to an Arrow IPC file
//
// Command benchmarks/rivals/run.sh drives it; go run ./benchmarks/cmd/rivalbench -help lists the flags.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/pprof"
	"strings"
)

func main() {
	var file, mode, keys, profile string
	var threads, rows int
	flag.StringVar(&file, "file", "", "Arrow IPC `file` to load")
	flag.StringVar(&mode, "mode", "sort", "what to measure: sort, argsort, small, copy, memory or collate")
	flag.StringVar(&keys, "keys", "key", "key columns, the most significant first, separated by commas")
	flag.IntVar(&rows, "rows", 0, "load only this many leading `rows`; 0 for all")
	flag.IntVar(&threads, "threads", 2, "number of threads (GOMAXPROCS)")
	flag.StringVar(&profile, "cpuprofile", "", "write a CPU profile of all runs to this `file`")
	flag.Parse()
	runtime.GOMAXPROCS(threads)

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := serve(ctx, file, mode, strings.Split(keys, ","), rows, profile); err != nil {
		_ = json.NewEncoder(os.Stdout).Encode(map[string]any{"error": err.Error()})
		os.Exit(1)
	}
}

func serve(ctx context.Context, file, mode string, keys []string, rows int, profile string) (err error) {
	rec, err := load(file, rows)
	if err != nil {
		return err
	}
	defer rec.Release()
	w, err := newWork(mode, rec, keys)
	if err != nil {
		return err
	}
	w.bytes = 3 * size(rec)
	if profile != "" {
		f, err := os.Create(profile)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	return answer(ctx, w, rec.NumRows(), os.Stdin, os.Stdout)
}

// answer serves commands until in ends.
func answer(ctx context.Context, w *work, rows int64, in io.Reader, out io.Writer) error {
	enc := json.NewEncoder(out)
	if err := enc.Encode(map[string]any{"ready": true, "rows": rows, "variants": w.names()}); err != nil {
		return err
	}
	lines := bufio.NewScanner(in)
	for lines.Scan() {
		reply, err := w.do(ctx, lines.Text())
		if err != nil {
			return fmt.Errorf("%s: %w", lines.Text(), err)
		}
		if err := enc.Encode(reply); err != nil {
			return err
		}
	}
	return lines.Err()
}
