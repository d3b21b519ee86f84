package parquetsort

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"os"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowsort/arrowsort/arrowsort/internal/machine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/atomicfile"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/ipc"
)

// tables are sorted rows, piece by piece. next ends with io.EOF; the caller releases the pieces.
type tables interface {
	next(ctx context.Context) (arrow.Table, error)
	close()
}

// oneTable is a table as the only piece.
type oneTable struct{ table arrow.Table }

func (o *oneTable) next(context.Context) (arrow.Table, error) {
	if o.table == nil {
		return nil, io.EOF
	}
	table := o.table
	o.table = nil
	return table, nil
}

func (o *oneTable) close() {
	if o.table != nil {
		o.table.Release()
	}
}

// A run is sorted rows in a file, an Arrow stream. A stream that breaks off before its end marker is an error.
type run struct {
	path  string
	rows  int64
	bytes int64
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

type runTables struct{ *tablefile.Scanner }

func (r runTables) next(ctx context.Context) (arrow.Table, error) { return r.Next(ctx) }
func (r runTables) close()                                        { r.Close() }

// mergeRuns merges runs.
func (s *Sorter) mergeRuns(runs []run, progress *rowProgress) (*merger, error) {
	m := &merger{opts: &s.opts, schema: s.decoded, bytes: s.budget.merge(), progress: progress}
	for _, r := range runs {
		t, err := r.open(&s.opts)
		if err != nil {
			m.close()
			return nil, err
		}
		m.cursors = append(m.cursors, &cursor{source: t})
	}
	return m, nil
}

// newRun is the path of a run that is to be written.
func (s *Sorter) newRun() (path string, err error) {
	if s.folder == nil {
		if s.folder, err = atomicfile.NewFolder(s.opts.SpillDir, spillPrefix); err != nil {
			return "", err
		}
	}
	return s.folder.Next(".arrows"), nil
}

// writeRun writes all rows of a source, which it closes, to a run.
func (s *Sorter) writeRun(path string, sorted tables, progress *rowProgress) (run, error) {
	defer sorted.close()
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return run{}, spilling(err)
	}
	written, err := s.writeStream(file, sorted, progress)
	info, failed := file.Stat()
	if err = cmp.Or(err, spilling(cmp.Or(failed, file.Close()))); err != nil {
		return run{}, err
	}
	return run{path, written, info.Size()}, nil
}

// spilling has an error name what failed.
func spilling(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("spilling a run: %w", err)
}

// spillBuffer is what is written to a run at once.
const spillBuffer = 1 << 18

// spillPrefix is what the names of folders with runs start with.
const spillPrefix = "arrowsort-spill-"

// writeStream writes the rows of a source, and returns their number.
func (s *Sorter) writeStream(file io.Writer, sorted tables, progress *rowProgress) (rows int64, err error) {
	buf := bufio.NewWriterSize(file, spillBuffer)
	w, err := ipc.NewWriter(buf, s.decoded, ipc.Options{Codec: s.opts.SpillCompression, Allocator: s.opts.Allocator})
	if err != nil {
		return 0, spilling(err)
	}
	for {
		piece, err := sorted.next(s.ctx)
		if err == io.EOF {
			break
		}
		n := int64(0)
		if err == nil {
			n = piece.NumRows()
			err = s.writeBatches(w, piece)
		}
		if err != nil {
			_ = w.Close() // for its memory
			return rows, err
		}
		rows += n
		progress.add(0, n)
	}
	if err = w.Close(); err == nil {
		err = buf.Flush()
	}
	return rows, spilling(err)
}

// writeBatches writes a table, which it releases.
func (s *Sorter) writeBatches(w *ipc.Writer, table arrow.Table) error {
	defer table.Release()
	r := array.NewTableReader(table, s.budget.batchRows(table))
	defer r.Release()
	for r.Next() {
		if err := context.Cause(s.ctx); err != nil {
			return err
		}
		if err := w.Write(r.Record()); err != nil {
			return spilling(err)
		}
	}
	return nil
}
