package extsort

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"

	"github.com/arrowsort/arrowsort/arrowsort/internal/allocators"
	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/atomicfile"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/ipc"
	"github.com/arrowsort/arrowsort/internal/machine"
)

// A run is sorted rows in a file, an Arrow stream. A stream that breaks off before its end marker is an error.
type run struct {
	path  string
	rows  int64
	bytes int64
}

// A runStore is the runs of a sort. A run is written in the background while the next one is collected.
type runStore struct {
	opts   *Options
	schema *arrow.Schema
	fanIn  int // runs that are merged at once

	folder   *atomicfile.TempDir // nil before the first run
	runs     []run
	spills   chan spilled // receives when the run in the background is written; nil when there is none
	bytes    int64        // written in all passes
	reducing rowProgress
}

// spilled is a run that was written in the background.
type spilled struct {
	run run
	err error
}

// SpillPrefix starts the names of folders with runs.
const SpillPrefix = "arrowsort-spill-"

// spillBuffer is the number of bytes that are written to a run at once.
const spillBuffer = 1 << 18

// rows returns the number of rows of all runs.
func (s *runStore) rows() (rows int64) {
	for _, r := range s.runs {
		rows += r.rows
	}
	return rows
}

// newRun returns the path of a run that is to be written.
func (s *runStore) newRun() (path string, err error) {
	if s.folder == nil {
		if s.folder, err = atomicfile.NewTempDir(s.opts.SpillDir, SpillPrefix); err != nil {
			return "", err
		}
	}
	return s.folder.Next(".arrows"), nil
}

// spill writes a sorted table, which it releases, to a run in the background.
func (s *runStore) spill(ctx context.Context, sorted arrow.Table) error {
	path, err := s.newRun()
	if err != nil {
		sorted.Release()
		return err
	}
	s.spills = make(chan spilled, 1)
	go func() {
		r, err := s.write(ctx, path, &singleTable{sorted}, nil)
		s.spills <- spilled{r, err}
	}()
	return nil
}

// wait waits until the run in the background is written.
func (s *runStore) wait() error {
	if s.spills == nil {
		return nil
	}
	done := <-s.spills
	s.spills = nil
	if done.err == nil {
		s.runs, s.bytes = append(s.runs, done.run), s.bytes+done.run.bytes
	}
	return done.err
}

// write writes all rows of a stream, which it closes, to a run.
func (s *runStore) write(ctx context.Context, path string, sorted TableStream, progress *rowProgress) (run, error) {
	defer sorted.Close()
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return run{}, s.spillError(err)
	}
	written, err := s.writeStream(ctx, file, sorted, progress)
	info, failed := file.Stat()
	if err = cmp.Or(err, s.spillError(cmp.Or(failed, file.Close()))); err != nil {
		return run{}, err
	}
	return run{path, written, info.Size()}, nil
}

// writeStream writes the rows of a stream, and returns their number.
func (s *runStore) writeStream(ctx context.Context, file io.Writer, sorted TableStream,
	progress *rowProgress) (rows int64, err error) {
	buf := bufio.NewWriterSize(file, spillBuffer)
	w, err := ipc.NewWriter(buf, s.schema, ipc.Options{Codec: s.opts.SpillCompression, Allocator: s.opts.Allocator})
	if err != nil {
		return 0, s.spillError(err)
	}
	for {
		table, err := sorted.Next(ctx)
		if err == io.EOF {
			break
		}
		n := int64(0)
		if err == nil {
			n = table.NumRows()
			err = s.writeBatches(ctx, w, table)
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
	return rows, s.spillError(err)
}

// writeBatches writes a table, which it releases.
func (s *runStore) writeBatches(ctx context.Context, w *ipc.Writer, table arrow.Table) error {
	defer table.Release()
	r := array.NewTableReader(table, s.opts.Budget.batchRows(table, s.opts.Keys))
	defer r.Release()
	for r.Next() {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if err := w.Write(r.Record()); err != nil {
			return s.spillError(err)
		}
	}
	return nil
}

// spillError adds "spilling a run" to an error; nil stays nil.
func (s *runStore) spillError(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("spilling a run: %w", errkind.SpillFull(s.opts.SpillDir, err))
}

// newMerger merges sources, which it takes over.
func (s *runStore) newMerger(sources []Source, progress *rowProgress) *merger {
	m := &merger{opts: s.opts, schema: s.schema, progress: progress,
		bytes: min(s.opts.Budget.Merge(), mostRunRows*RowOverhead)}
	for _, source := range sources {
		m.cursors = append(m.cursors, &cursor{source: source.Rows, first: source.First})
	}
	return m
}

// merge merges runs.
func (s *runStore) merge(runs []run, progress *rowProgress) (*merger, error) {
	var sources []Source
	for _, r := range runs {
		t, err := r.open(s.opts)
		if err != nil {
			closeSources(sources)
			return nil, err
		}
		sources = append(sources, Source{Rows: t})
	}
	return s.newMerger(sources, progress), nil
}

// passes returns the number of passes of reduce over some runs.
func (s *runStore) passes(runs int) (passes int) {
	for ; runs > s.fanIn; runs = (runs + s.fanIn - 1) / s.fanIn {
		passes++
	}
	return passes
}

// startPasses begins the phase in which all rows are written to longer runs, if there are passes.
func (s *runStore) startPasses(rows int64, passes int) {
	if passes > 0 {
		s.reducing.rows = rows * int64(passes)
		s.reducing.begin(s.opts, PhaseMerge, s.reducing.rows)
	}
}

// reduce merges neighbouring runs until one merge can take all of them.
func (s *runStore) reduce(ctx context.Context) error {
	for len(s.runs) > s.fanIn {
		var longer []run
		for first := 0; first < len(s.runs); first += s.fanIn {
			r, err := s.mergePass(ctx, s.runs[first:min(first+s.fanIn, len(s.runs))])
			if err != nil {
				return err
			}
			longer = append(longer, r)
		}
		s.runs = longer
	}
	return nil
}

// mergePass merges runs to one, and removes them.
func (s *runStore) mergePass(ctx context.Context, runs []run) (run, error) {
	m, err := s.merge(runs, &s.reducing)
	if err != nil {
		return run{}, err
	}
	merged, err := s.writeMerged(ctx, m)
	for _, done := range runs {
		err = errors.Join(err, os.Remove(done.path))
	}
	return merged, err
}

// writeMerged writes all rows of a merger, which it closes, to a run.
func (s *runStore) writeMerged(ctx context.Context, m *merger) (run, error) {
	path, err := s.newRun()
	if err != nil {
		m.Close()
		return run{}, err
	}
	r, err := s.write(ctx, path, m, &s.reducing)
	s.bytes += r.bytes
	return r, err
}

// close removes all runs.
func (s *runStore) close() error {
	if s.folder == nil {
		return nil
	}
	err := s.folder.Remove()
	s.folder = nil
	return err
}

// open opens a run for reading.
func (r run) open(opts *Options) (TableStream, error) {
	file, err := os.Open(r.path)
	if err != nil {
		return nil, runError(r.path, err)
	}
	mem := allocators.NewLimiter(opts.Allocator, max(machine.Memory(), opts.Budget.All), errkind.ErrLimit)
	t := &runStream{path: r.path, file: file, mem: mem}
	err = errkind.Contain(func() error {
		t.batches, err = ipc.OpenStream(file, r.bytes, mem)
		return err
	})
	if err != nil {
		file.Close()
		return nil, runError(r.path, err)
	}
	return t, nil
}

// A runStream is the rows of a run, a batch at a time.
type runStream struct {
	path    string
	file    *os.File
	batches *ipc.Reader
	mem     *allocators.Limiter
}

func (r *runStream) Next(ctx context.Context) (table arrow.Table, err error) {
	err = errkind.Contain(func() error {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		rec, err := r.batches.Next()
		if err != nil {
			return allocators.Failure(r.mem, err)
		}
		table = array.NewTableFromRecords(r.batches.Schema(), []arrow.Record{rec})
		return nil
	})
	if err != nil && err != io.EOF {
		return nil, errkind.InFile(r.path, err)
	}
	return table, err
}

func (r *runStream) Close() {
	r.batches.Release()
	r.file.Close()
}

// runError adds to an error that a file is a run, and its path.
func runError(path string, err error) error {
	return fmt.Errorf("spilled run: %w", errkind.InFile(path, err))
}
