package enginetest

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/keyencode"
)

// An expectation is what the results of a job are compared with; it serves all jobs that differ in what they want only.
type expectation struct {
	model
	columns []flat
}

// A flat is a column as one value per row; nil for a null.
type flat struct {
	values [][]byte
	valid  []bool
}

func expect(job *engine.Job) *expectation {
	x := &expectation{model: newModel(job.Columns, job.Keys)}
	for i := range job.Columns {
		values, valid := flatten(&job.Columns[i])
		x.columns = append(x.columns, flat{values, valid})
	}
	return x
}

// rowNumbers reads the row numbers of a result.
func rowNumbers(job *engine.Job, res *engine.Result) ([]uint64, error) {
	if res.Rows != job.Out() {
		return nil, fmt.Errorf("the result has %d rows, want %d", res.Rows, job.Out())
	}
	if len(res.RowNumbers) != res.Rows*job.RowNumbers {
		return nil, fmt.Errorf(
			"%d bytes of row numbers for %d rows of %d", len(res.RowNumbers), res.Rows, job.RowNumbers,
		)
	}
	if job.RowNumbers == 0 {
		return nil, nil
	}
	rows := make([]uint64, res.Rows)
	for i := range rows {
		if job.RowNumbers == 4 {
			rows[i] = uint64(binary.LittleEndian.Uint32(res.RowNumbers[i*4:]))
		} else {
			rows[i] = binary.LittleEndian.Uint64(res.RowNumbers[i*8:])
		}
	}
	return rows, nil
}

// verifyOrder proves that rows are the leading rows of the job's one stable order: each row occurs once at most, every
// step rises (or ties and goes to a later row), and no row left out belongs before the last one.
func (m model) verifyOrder(job *engine.Job, rows []uint64) error {
	seen := make([]bool, job.Rows)
	for i, row := range rows {
		if row >= uint64(job.Rows) || seen[row] {
			return fmt.Errorf("place %d has row %d: out of range or there twice", i, row)
		}
		seen[row] = true
	}
	for i := 1; i < len(rows); i++ {
		if err := m.verifyStep(int(rows[i-1]), int(rows[i])); err != nil {
			return fmt.Errorf("place %d: %w", i, err)
		}
	}
	if len(rows) == 0 {
		return nil
	}
	for row := range seen {
		if !seen[row] {
			if err := m.verifyStep(int(rows[len(rows)-1]), row); err != nil {
				return fmt.Errorf("left out by the limit: %w", err)
			}
		}
	}
	return nil
}

// verifyStep reports whether row b may follow row a.
func (m model) verifyStep(a, b int) error {
	c := m.compare(a, b)
	if c < 0 || c == 0 && a < b {
		return nil
	}
	return fmt.Errorf("row %d with%s stands before row %d with%s, which belongs before it", a, m.show(a), b, m.show(b))
}

// verifyGather compares the gathered columns with the rows of the input.
func (x *expectation) verifyGather(job *engine.Job, res *engine.Result, rows []uint64) error {
	if len(res.Columns) != len(job.Gather) {
		return fmt.Errorf("%d gathered columns, want %d", len(res.Columns), len(job.Gather))
	}
	for k, at := range job.Gather {
		if err := x.columns[at].verify(&job.Columns[at], &res.Columns[k], rows); err != nil {
			return fmt.Errorf("gathered column %d (kind %d): %w", at, job.Columns[at].Kind, err)
		}
	}
	return nil
}

func (f flat) verify(in *keyencode.Column, out *engine.Column, rows []uint64) error {
	got, err := gathered(in, out, len(rows))
	if err != nil {
		return err
	}
	nulls := 0
	for i, row := range rows {
		v, ok := cell(got, &got.Chunks[0], i)
		if ok != f.valid[row] {
			return fmt.Errorf("place %d, row %d: valid is %v, want %v", i, row, ok, f.valid[row])
		}
		if ok && !bytes.Equal(v, f.values[row]) {
			return fmt.Errorf("place %d, row %d: %x, want %x", i, row, v, f.values[row])
		}
		if !ok {
			nulls++
		}
	}
	if nulls != out.Nulls {
		return fmt.Errorf("the null count is %d, want %d", out.Nulls, nulls)
	}
	return nil
}

// gathered checks the buffers of a gathered column and gives it as an input column.
func gathered(in *keyencode.Column, out *engine.Column, n int) (*keyencode.Column, error) {
	chunk := keyencode.Chunk{Rows: n, Validity: out.Validity, Values: out.Values}
	c := &keyencode.Column{Kind: in.Kind, Width: in.Width, Chunks: []keyencode.Chunk{chunk}}
	if err := verifyValidity(out, n); err != nil {
		return nil, err
	}
	want := n * in.ValueBytes()
	switch in.Kind {
	case keyencode.Bool:
		want = (n + 7) / 8
	case keyencode.Binary:
		want = (n + 1) * 4
	case keyencode.LargeBinary:
		want = (n + 1) * 8
	}
	if n == 0 {
		want = min(want, len(out.Values)) // the single offset of no strings may be there or not
	}
	if len(out.Values) != want {
		return nil, fmt.Errorf("%d bytes of values, want %d", len(out.Values), want)
	}
	switch in.Kind {
	case keyencode.Binary, keyencode.LargeBinary:
		c.Chunks[0].Data = [][]byte{out.Data}
		return c, verifyOffsets(in.Kind, out)
	case keyencode.BinaryView:
		for i := range in.Chunks {
			c.Chunks[0].Data = in.Chunks[i].Data // the same for all chunks
		}
	}
	return c, nil
}

func verifyValidity(out *engine.Column, n int) error {
	if out.Nulls == 0 && out.Validity != nil {
		return fmt.Errorf("a validity bitmap for no nulls")
	}
	if out.Nulls > 0 && len(out.Validity) < (n+7)/8 {
		return fmt.Errorf("%d bytes of validity for %d rows", len(out.Validity), n)
	}
	for i := n; i < 8*len(out.Validity); i++ {
		if out.Validity[i/8]>>(i%8)&1 != 0 {
			return fmt.Errorf("padding bit %d of the validity of %d rows is set", i, n)
		}
	}
	return nil
}

// verifyOffsets checks that offsets rise from 0 to the length of the data, which nothing else holds.
func verifyOffsets(kind keyencode.Kind, out *engine.Column) error {
	last, size := uint64(0), 8
	if kind == keyencode.Binary {
		size = 4
	}
	for i := 0; i+size <= len(out.Values); i += size {
		at := binary.LittleEndian.Uint64(append(bytes.Clone(out.Values[i:i+size]), 0, 0, 0, 0))
		if at < last || i == 0 && at != 0 {
			return fmt.Errorf("offset %d is %d, the one before %d", i/size, at, last)
		}
		last = at
	}
	if last != uint64(len(out.Data)) {
		return fmt.Errorf("the last offset is %d, the data has %d bytes", last, len(out.Data))
	}
	return nil
}
