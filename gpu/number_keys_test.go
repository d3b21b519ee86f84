//go:build cuda && linux && amd64

package gpu

import (
	"encoding/binary"
	"fmt"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/engine/enginetest"
	"github.com/arrowsort/arrowsort/gpu/internal/abi"
	"github.com/arrowsort/arrowsort/keyencode"
)

// A numberKey is a key of a test: a column of numbers.
type numberKey struct {
	kind  keyencode.Kind
	value func(row int) uint64 // the lowest bits are those that are stored; of decimals, the highest word
	null  func(row int) bool   // nil: none is
	order keyencode.Order
	nulls keyencode.NullPlacement
}

// bytes is the size of a number.
func (k numberKey) bytes() int {
	c := keyencode.Column{Kind: k.kind}
	return c.ValueBytes()
}

// column makes the column of rows. Its first bit is not that of a byte.
func (k numberKey) column(rows int) keyencode.Column {
	const offset = 5
	c := keyencode.Column{Kind: k.kind}
	chunk := keyencode.Chunk{Rows: rows, Offset: offset}
	if k.null != nil {
		chunk.Validity = make([]byte, (offset+rows+7)/8)
	}
	bits := make([]byte, (offset+rows+7)/8)
	for i := range offset + rows {
		value := k.value(max(0, i-offset))
		if k.bytes() == 16 {
			chunk.Values = binary.LittleEndian.AppendUint64(chunk.Values, mix(value+uint64(i)))
		}
		chunk.Values = binary.LittleEndian.AppendUint64(chunk.Values, value)[:(i+1)*max(1, k.bytes())]
		bits[i/8] |= byte(value & 1 << (i % 8))
		if k.null != nil && i >= offset && !k.null(i-offset) {
			chunk.Validity[i/8] |= 1 << (i % 8)
		}
	}
	if k.kind == keyencode.Bool {
		chunk.Values = bits
	}
	c.Chunks = []keyencode.Chunk{chunk}
	return c
}

// checkNumbers sorts rows by keys, the most significant first, proves their order, and returns the device's report.
func checkNumbers(t *testing.T, e *Engine, what string, rows int, keys ...numberKey) abi.Report {
	t.Helper()
	job := &engine.Job{Rows: rows}
	for i, k := range keys {
		job.Columns = append(job.Columns, k.column(rows))
		job.Keys = append(job.Keys, keyencode.Key{Column: i, Order: k.order, Nulls: k.nulls})
	}
	what = fmt.Sprintf("%s, %d rows, kind %d, order %d, nulls %d", what, rows, keys[0].kind, keys[0].order,
		keys[0].nulls)
	enginetest.CheckOrder(t, e, job, "%s", what)
	s := <-e.turn
	defer func() { e.turn <- s }()
	return *s.Reports.Report
}

// decides reports whether decisions are those of the kernels, not of their twins.
func decides(e *Engine) bool {
	return e.Device().Name != "stand-in" || os.Getenv("ARROWSORT_STANDIN_EMULATE") != ""
}

// expect fails unless a condition holds, where kernels decide.
func expect(t *testing.T, e *Engine, holds bool, what string, args ...any) {
	t.Helper()
	if decides(e) {
		require.Truef(t, holds, what, args...)
	}
}

// mix makes a number that looks random of one that does not (splitmix64).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// percent is a condition that holds of the given share of all rows.
func percent(share int, seed uint64) func(row int) bool {
	if share == 0 {
		return nil
	}
	return func(row int) bool { return mix(uint64(row)*7+seed)%100 < uint64(share) }
}
