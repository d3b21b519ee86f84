package parquetsort

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/internal/rawmem"
)

// A fileOrder is what the keys of inputs tell that are in order, each for itself.
type fileOrder struct {
	files    []orderedFile // those that have rows
	rows     int64
	stats    keyStatistics
	unsorted *Violation // the first row that is not in order; then nothing else holds
}

// An orderedFile is an input that is in order. Its borders are batches of one row that hold the keys only.
type orderedFile struct {
	path        string
	rows        int64
	first, last *batch
	low, high   []uint64 // their codes
}

// order reads the keys of the inputs, up to the first row that is not in order. The caller releases what it returns.
func (in *inputs) order(ctx context.Context) (*fileOrder, error) {
	opts := *in.opts
	keys := *in
	keys.opts = &opts
	keys.readKeysOnly()
	keys.flat = rawmem.NewRecycler(opts.Allocator, 0)
	defer keys.flat.Release()
	o := &fileOrder{}
	done := int64(0)
	for _, path := range in.paths {
		bytes, err := o.add(ctx, &keys, path, done)
		if err != nil {
			o.release()
			return nil, err
		}
		done += bytes
		if o.unsorted != nil {
			break
		}
	}
	if err := o.encode(); err != nil {
		o.release()
		return nil, err
	}
	return o, nil
}

// keyScanBytes are read of the keys at a time: of most inputs that are not in order the first piece tells it.
const keyScanBytes = 1 << 20

// add reads the keys of a file, before which some bytes were read.
func (o *fileOrder) add(ctx context.Context, in *inputs, path string, done int64) (bytes int64, err error) {
	s, err := in.openIn(path, keyScanBytes)
	if err != nil {
		return 0, err
	}
	defer s.Close()
	f := orderedFile{path: path}
	order := ordered{schema: s.decoded, opts: in.opts}
	defer order.forget()
	for {
		piece, err := s.nextDecoded(ctx)
		if err == io.EOF {
			break
		}
		if err == nil {
			err = o.scanKeys(ctx, in, &f, &order, piece)
		}
		if err != nil || o.unsorted != nil {
			f.release()
			return 0, err
		}
		in.opts.Progress(PhaseCheck, done+s.Done(), in.bytes)
	}
	if f.first == nil {
		return s.Bytes, nil
	}
	last := order.last
	order.last = nil
	if f.last, err = newBatch(ctx, last, in.opts); err != nil {
		f.release()
		return 0, err
	}
	o.files = append(o.files, f)
	return s.Bytes, nil
}

// scanKeys looks at the next rows of a file, which it consumes.
func (o *fileOrder) scanKeys(ctx context.Context, in *inputs, f *orderedFile, order *ordered, piece arrow.Table) error {
	defer piece.Release()
	at, err := order.add(ctx, piece)
	if err != nil {
		return err
	}
	if at >= 0 {
		o.unsorted = &Violation{File: f.path, Row: f.rows + at}
		return nil
	}
	if piece.NumRows() == 0 {
		return nil
	}
	if f.first == nil {
		head := slice(piece, 0, 1)
		defer head.Release()
		first, err := copyTable(ctx, head, in.opts)
		if err != nil {
			return err
		}
		if f.first, err = newBatch(ctx, first, in.opts); err != nil {
			return err
		}
	}
	o.rows += piece.NumRows()
	f.rows += piece.NumRows()
	return o.stats.add(ctx, piece, in.opts.Keys, in.opts.Allocator)
}

// encode makes the codes of all borders.
func (o *fileOrder) encode() error {
	if o.unsorted != nil || o.rows == 0 {
		return nil
	}
	plan, err := o.stats.plan()
	if err != nil {
		return err
	}
	for i := range o.files {
		f := &o.files[i]
		f.first.plan, f.last.plan = plan.On(f.first.keys), plan.On(f.last.keys)
		f.low, f.high = f.first.code(0), f.last.code(0)
	}
	return nil
}

// err is the error for inputs that have to be in order.
func (o *fileOrder) err() error {
	if o.unsorted == nil {
		return nil
	}
	return fmt.Errorf("%w: %s: row %d sorts before the one above it; sort the file first", ErrUnsorted, o.unsorted.File, o.unsorted.Row)
}

// sequence lists the files with rows so that each begins where the one before ends; nil when some overlap. Ties at
// borders keep the order of the inputs.
func (o *fileOrder) sequence() []string {
	at := make([]int, len(o.files))
	for i := range at {
		at[i] = i
	}
	slices.SortStableFunc(at, func(a, b int) int { return slices.Compare(o.files[a].low, o.files[b].low) })
	var files []string
	for i, f := range at {
		if i > 0 {
			before := at[i-1]
			c := slices.Compare(o.files[before].high, o.files[f].low)
			if c > 0 || c == 0 && before > f {
				return nil
			}
		}
		files = append(files, o.files[f].path)
	}
	return files
}

// asGiven says whether all rows are in order as they are given.
func (o *fileOrder) asGiven() bool {
	if o.unsorted != nil {
		return false
	}
	for i := 1; i < len(o.files); i++ {
		if slices.Compare(o.files[i-1].high, o.files[i].low) > 0 {
			return false
		}
	}
	return true
}

// overlap is the largest number of files that have rows at the same place of the order.
func (o *fileOrder) overlap() int {
	most := 0
	for _, at := range o.files {
		n := 0
		for _, f := range o.files {
			if slices.Compare(f.low, at.low) <= 0 && slices.Compare(at.low, f.high) <= 0 {
				n++
			}
		}
		most = max(most, n)
	}
	return most
}

func (o *fileOrder) release() {
	if o == nil {
		return
	}
	for i := range o.files {
		o.files[i].release()
	}
	o.files = nil
}

func (f *orderedFile) release() {
	for _, b := range []*batch{f.first, f.last} {
		if b != nil {
			b.release()
		}
	}
	f.first, f.last = nil, nil
}
