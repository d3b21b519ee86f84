package parquetsort

import (
	"bufio"
	"context"
	"fmt"
	"os"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowsort/arrowsort/arrowsort/internal/machine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/ipc"
)

// A run is sorted rows in a file, an Arrow stream. A stream that breaks off before its end marker is an error.
type run struct {
	path  string
	bytes int64
}

// tables are sorted rows, piece by piece. next ends with io.EOF; the caller releases the pieces.
type tables interface {
	next(ctx context.Context) (arrow.Table, error)
	close()
}

// open opens the run for reading.
func (r run) open(opts *Options) (tables, error) {
	s, err := tablefile.Scan(r.path, 0, tablefile.ReadOptions{
		Format: tablefile.IPCStream, Allocator: opts.Allocator, MemoryLimit: max(machine.Memory(), opts.Memory),
	})
	if err != nil {
		return nil, fmt.Errorf("spilled run: %w", err)
	}
	return runTables{s}, nil
}

// mergeRuns merges runs.
func (s *Sorter) mergeRuns(runs []run) (*merger, error) {
	sources, err := openRuns(runs, &s.opts)
	if err != nil {
		return nil, err
	}
	return newMerger(sources, s.decoded, s.budget.merge(), &s.opts), nil
}

// openRuns opens runs for reading.
func openRuns(runs []run, opts *Options) ([]tables, error) {
	var opened []tables
	for _, r := range runs {
		t, err := r.open(opts)
		if err != nil {
			closeAll(opened)
			return nil, err
		}
		opened = append(opened, t)
	}
	return opened, nil
}

func closeAll(sources []tables) {
	for _, s := range sources {
		s.close()
	}
}

type runTables struct{ *tablefile.Scanner }

func (r runTables) next(ctx context.Context) (arrow.Table, error) { return r.Next(ctx) }
func (r runTables) close()                                        { r.Close() }

// spillBuffer is what is written to a run at once.
const spillBuffer = 1 << 18

// A runWriter writes a run in batches of some rows.
type runWriter struct {
	ctx  context.Context
	path string
	file *os.File
	buf  *bufio.Writer
	ipc  *ipc.Writer
	rows int64 // of a batch
}

func createRun(ctx context.Context, path string, schema *arrow.Schema, rows int64, opts *Options) (*runWriter, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, fmt.Errorf("spilling a run: %w", err)
	}
	w := &runWriter{ctx: ctx, path: path, file: file, buf: bufio.NewWriterSize(file, spillBuffer), rows: rows}
	w.ipc, err = ipc.NewWriter(w.buf, schema, ipc.Options{Codec: opts.SpillCompression, Allocator: opts.Allocator})
	if err != nil {
		file.Close()
		return nil, fmt.Errorf("spilling a run: %w", err)
	}
	return w, nil
}

func (w *runWriter) write(table arrow.Table) error {
	r := array.NewTableReader(table, w.rows)
	defer r.Release()
	for r.Next() {
		if err := context.Cause(w.ctx); err != nil {
			return err
		}
		if err := w.ipc.Write(r.Record()); err != nil {
			return fmt.Errorf("spilling a run: %w", err)
		}
	}
	return nil
}

// finish closes the run. It is called once, also behind an error of write.
func (w *runWriter) finish() (run, error) {
	err := w.ipc.Close()
	if err == nil {
		err = w.buf.Flush()
	}
	bytes := int64(0)
	if info, e := w.file.Stat(); e == nil {
		bytes = info.Size()
	}
	if e := w.file.Close(); err == nil {
		err = e
	}
	if err != nil {
		return run{}, fmt.Errorf("spilling a run: %w", err)
	}
	return run{w.path, bytes}, nil
}
