package cpu

import "math/bits"

// newFinishers returns temp storage for so many workers: for bins of up to rows rows and lanes of up to width bytes.
func (s *sorter) newFinishers(workers, rows, width int, ties bool) ([]*finisher, error) {
	fs := make([]*finisher, workers)
	for i := range fs {
		fs[i] = &finisher{}
		if err := fs[i].reserve(&s.buffers, rows, max(width, 8), ties); err != nil {
			return nil, err
		}
	}
	return fs, nil
}

// reserve cuts one allocation into the storage of a finisher.
func (f *finisher) reserve(b *buffers, rows, width int, ties bool) error {
	counts := max(1<<8, 2<<((bits.Len(uint(rows))+5)/2)) // digits, as order chooses them
	size := rows*(8+3*4+width) + counts*4
	if ties {
		size += rows * (8 + 4)
	}
	buf, err := b.bytes(size)
	if err != nil {
		return err
	}
	f.owned = buf
	cut := func(n int) (part []byte) {
		part, buf = buf[:n:n], buf[n:]
		return part
	}
	f.codes = view[uint64](cut(rows * 8))
	if ties {
		f.tie.codes = view[uint64](cut(rows * 8))
		f.tie.rows = view[uint32](cut(rows * 4))
	}
	f.a, f.b, f.rows = view[uint32](cut(rows*4)), view[uint32](cut(rows*4)), view[uint32](cut(rows*4))
	f.counts = view[uint32](cut(counts * 4))
	f.spare = cut(rows * width)
	return nil
}

func (f *finisher) release(b *buffers) { b.free(f.owned) }
