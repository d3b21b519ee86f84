package parquetsort

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/arraydata"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/atomicfile"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/ipc"
	"github.com/arrowsort/arrowsort/internal/machine"
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

// sortRun sorts the collected rows and empties the buffer for the next run. Progress may be nil.
func (s *Sorter) sortRun(progress func(done, total int)) (arrow.Table, error) {
	all := arraydata.Concatenate(s.decoded, s.parts)
	defer all.Release()
	s.dropParts()
	if err := s.stats.add(s.ctx, all, s.opts.Keys, s.opts.Allocator); err != nil {
		return nil, err
	}
	opts := s.opts.sorting()
	opts.Engine, opts.Progress = s.opts.Engine, progress
	if !s.opts.Unique { // a limit of each run would drop rows before equal keys are dropped
		opts.Limit = int(min(s.opts.Limit, math.MaxInt))
	}
	return arrowsort.Sort(s.ctx, all, s.opts.Keys, opts)
}

// keep starts the next run with the sorted rows of the last one, if a limit leaves few: they need no spilling.
func (s *Sorter) keep(sorted arrow.Table) bool {
	bytes := arraydata.TableBytes(sorted) + sorted.NumRows()*rowOverhead
	if s.opts.Limit == 0 || s.opts.Unique || s.folder != nil || bytes > s.run/2 {
		return false
	}
	s.parts, s.bytes = append(s.parts, sorted), bytes
	return true
}

func (s *Sorter) dropParts() {
	arraydata.Release(s.parts)
	s.parts, s.bytes = nil, 0
}

// spill sorts the run and has it spilled in the background, unless what a limit leaves of it can be kept.
func (s *Sorter) spill() error {
	if err := s.wait(); err != nil { // there is memory for one sorted run
		return err
	}
	sorted, err := s.sortRun(nil)
	if err != nil || s.keep(sorted) {
		return err
	}
	path, err := s.newRun()
	if err != nil {
		sorted.Release()
		return err
	}
	s.spills = make(chan error, 1)
	go func() {
		r, err := s.writeRun(path, &oneTable{sorted}, nil)
		s.runs = append(s.runs, r)
		s.spills <- err
	}()
	return nil
}

// wait waits until the run in the background is spilled.
func (s *Sorter) wait() error {
	if s.spills == nil {
		return nil
	}
	err := <-s.spills
	s.spills = nil
	if err == nil {
		s.spilled += s.runs[len(s.runs)-1].bytes
	}
	return err
}

// passes is the number of passes of reduce over some runs.
func (s *Sorter) passes(runs int) (passes int) {
	for ; runs > s.fan; runs = (runs + s.fan - 1) / s.fan {
		passes++
	}
	return passes
}

// startReducing begins the phase in which all rows are written to longer runs, if there are passes.
func (s *Sorter) startReducing(rows int64, passes int) {
	if passes > 0 {
		s.reducing.rows = rows * int64(passes)
		s.reducing.begin(&s.opts, PhaseMerge, s.reducing.rows)
	}
}

// reduce merges neighbouring runs until one merge can take all of them.
func (s *Sorter) reduce() error {
	for len(s.runs) > s.fan {
		var longer []run
		for first := 0; first < len(s.runs); first += s.fan {
			r, err := s.join(s.runs[first:min(first+s.fan, len(s.runs))])
			if err != nil {
				return err
			}
			longer = append(longer, r)
		}
		s.runs = longer
	}
	return nil
}

// join merges runs to one, in their place.
func (s *Sorter) join(runs []run) (run, error) {
	m, err := s.mergeRuns(runs, &s.reducing)
	if err != nil {
		return run{}, err
	}
	joined, err := s.spillAll(m)
	for _, done := range runs {
		err = errors.Join(err, os.Remove(done.path))
	}
	return joined, err
}

// spillAll writes all rows of a merger to a run, and closes the merger.
func (s *Sorter) spillAll(m *merger) (run, error) {
	path, err := s.newRun()
	if err != nil {
		m.close()
		return run{}, err
	}
	r, err := s.writeRun(path, m, &s.reducing)
	s.spilled += r.bytes
	return r, err
}
