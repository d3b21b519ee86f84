package enginetest

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/keyencode"
)

// reference is an engine made of the model and a stable sort: slow, and right by looking at it. The suite has to pass
// it.
type reference struct{}

func (reference) Name() string { return "reference" }

// stop is the panic that ends a sort in mid-run.
type stop struct{ err error }

func (reference) Sort(ctx context.Context, job *engine.Job, mem engine.Allocator) (res *engine.Result, err error) {
	if err := validate(job); err != nil {
		return nil, err
	}
	b := &builder{ctx: ctx, mem: mem, res: &engine.Result{Rows: job.Out()}}
	defer func() {
		if p := recover(); p != nil {
			b.res.Release(mem)
			res, err = nil, fmt.Errorf("%w: %v", engine.ErrMemory, p)
			if s, ok := p.(stop); ok {
				err = s.err
			}
		}
	}()
	b.poll(0)
	m := newModel(job.Columns, job.Keys)
	rows := make([]int, job.Rows)
	for i := range rows {
		rows[i] = i
	}
	calls := 0
	slices.SortStableFunc(rows, func(x, y int) int {
		calls++
		b.poll(calls)
		return m.compare(x, y)
	})
	rows = rows[:job.Out()]
	if b.res.RowNumbers = b.allocate(len(rows) * job.RowNumbers); b.res.RowNumbers != nil {
		for i, row := range rows {
			copy(b.res.RowNumbers[i*job.RowNumbers:], little(uint64(row), job.RowNumbers))
		}
	}
	b.res.Columns = make([]engine.Column, len(job.Gather))
	for k, at := range job.Gather {
		if err := b.gather(&b.res.Columns[k], &job.Columns[at], rows); err != nil {
			b.res.Release(mem)
			return nil, err
		}
	}
	return b.res, nil
}

func validate(job *engine.Job) error {
	if int64(job.Rows) > math.MaxUint32 {
		return engine.ErrRows
	}
	for i := range job.Columns {
		if job.Columns[i].Rows() != job.Rows {
			return engine.ErrRows
		}
		if job.Columns[i].Kind > keyencode.Dictionary64 {
			return engine.ErrKind
		}
	}
	return nil
}

type builder struct {
	ctx context.Context
	mem engine.Allocator
	res *engine.Result
}

func (b *builder) poll(i int) {
	if i%4096 == 0 && b.ctx.Err() != nil {
		panic(stop{b.ctx.Err()})
	}
}

func (b *builder) allocate(size int) []byte {
	if size == 0 {
		return nil
	}
	buffer := b.mem.Allocate(size)
	if buffer == nil {
		panic(errors.New("the allocator gave nothing"))
	}
	return buffer
}

func (b *builder) gather(out *engine.Column, in *keyencode.Column, rows []int) error {
	values, valid := flatten(in)
	total := 0
	for i, row := range rows {
		b.poll(i)
		if !valid[row] {
			out.Nulls++
		}
		total += len(values[row])
	}
	if out.Nulls > 0 {
		out.Validity = b.allocate((len(rows) + 7) / 8)
		setBits(out.Validity, rows, func(row int) bool { return valid[row] })
	}
	switch in.Kind {
	case keyencode.Null:
		return nil
	case keyencode.Bool:
		out.Values = b.allocate((len(rows) + 7) / 8)
		setBits(out.Values, rows, func(row int) bool { return valid[row] && values[row][0] == 1 })
		return nil
	case keyencode.Binary, keyencode.LargeBinary:
		if in.Kind == keyencode.Binary && total > math.MaxInt32 {
			return engine.ErrOffsets
		}
		b.gatherStrings(out, in.Kind, values, rows, total)
		return nil
	}
	size := in.ValueBytes()
	out.Values = b.allocate(len(rows) * size)
	clear(out.Values)
	for i, row := range rows {
		b.poll(i)
		if in.Kind == keyencode.BinaryView && valid[row] {
			copy(out.Values[i*size:], rawValue(in, row))
		} else {
			copy(out.Values[i*size:], values[row])
		}
	}
	return nil
}

// rawValue is the view itself, which cell follows to the bytes.
func rawValue(in *keyencode.Column, row int) []byte {
	for _, chunk := range in.Chunks {
		if row < chunk.Rows {
			return chunk.Values[(chunk.Offset+row)*16:][:16]
		}
		row -= chunk.Rows
	}
	panic("enginetest: no such row")
}

func (b *builder) gatherStrings(out *engine.Column, kind keyencode.Kind, values [][]byte, rows []int, total int) {
	size := 8
	if kind == keyencode.Binary {
		size = 4
	}
	out.Values = b.allocate((len(rows) + 1) * size)
	out.Data = b.allocate(total)
	at := 0
	for i, row := range rows {
		b.poll(i)
		copy(out.Values[i*size:], binary.LittleEndian.AppendUint64(nil, uint64(at))[:size])
		at += copy(out.Data[at:], values[row])
	}
	copy(out.Values[len(rows)*size:], little(uint64(at), size))
}

func setBits(dst []byte, rows []int, set func(row int) bool) {
	clear(dst)
	for i, row := range rows {
		if set(row) {
			dst[i/8] |= 1 << (i % 8)
		}
	}
}

func TestReference(t *testing.T) {
	TestEngineBelow(t, 3000, func(testing.TB) engine.Engine { return reference{} })
}
