//go:build cuda && standin && linux && amd64

package gpu

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/gpu/internal/tuning"
	"github.com/arrowsort/arrowsort/internal/testrun"
	"github.com/arrowsort/arrowsort/keyencode"
)

// pairs are eight devices that reach each other, and eight that do not, beside one alone.
type pairs struct {
	*testing.T
	alone   *Engine
	engines map[string]*Engine
}

func openPairs(t *testing.T, use func(*tuning.Table)) *pairs {
	devicesForTest(t, 8)
	p := &pairs{t, openSharedForTest(t, 1, use), map[string]*Engine{"8 devices": openSharedForTest(t, 8, use)}}
	t.Setenv("ARROWSORT_STANDIN_APART", "1")
	p.engines["8 apart"] = openSharedForTest(t, 8, use)
	return p
}

// check compares a job on eight devices with the same on one.
func (p *pairs) check(job *engine.Job, format string, args ...any) {
	p.Helper()
	mem := memory.NewCheckedAllocator(memory.DefaultAllocator)
	defer mem.AssertSize(p, 0)
	want, err := p.alone.Sort(p.Context(), job, mem)
	require.NoError(p, err)
	defer want.Release(mem)
	for name, e := range p.engines {
		e.pretendMemory(0) // so that strings are shared
		got, err := e.Sort(p.Context(), job, mem)
		text := name + ", " + fmt.Sprintf(format, args...)
		require.NoError(p, err, text)
		require.True(p, reflect.DeepEqual(want, got), text)
		got.Release(mem)
	}
}

// TestFewRowsOfDevices sorts fewer rows than there are devices, and few for each: several keys, nulls, columns of all
// kinds, limits. Shares begin at every 64th row.
func TestFewRowsOfDevices(t *testing.T) {
	p := openPairs(t, useEverything)
	for _, rows := range []int{1, 3, 7, 8, 9, 63, 64, 65, 8*64 - 1, 8 * 64, 8*64 + 1} {
		jobs := testrun.Sample(5, roomJobs(rows))
		for _, job := range jobs {
			for _, limit := range []int{0, 1, 3, 8, rows - 1} {
				job.Limit = limit
				p.check(job, "%d rows, limit %d, keys %v, columns %v", rows, limit, job.Keys, job.Gather)
			}
		}
	}
	columns := []keyencode.Column{{Kind: keyencode.Int64}, {Kind: keyencode.Bool}}
	p.check(roomJob(columns, []int{0}, []int{1, 0}), "no rows")
}

// TestUnequalRangesOfDevices sorts keys of which a range of a device has all rows, most of them, those of another share
// alone, or none.
func TestUnequalRangesOfDevices(t *testing.T) {
	p := openPairs(t, withoutSmallSorts)
	const rows = 8 * 1024
	r := rand.New(rand.NewPCG(3, 7))
	for name, key := range map[string]func(row int) uint64{
		"all equal":           func(int) uint64 { return 7 << 40 },
		"one heavy":           func(int) uint64 { return pick(r.IntN(10) > 0, 7<<40, r.Uint64()) },
		"heavy first":         func(int) uint64 { return pick(r.IntN(10) > 0, 1<<63, r.Uint64()) },
		"heavy last":          func(int) uint64 { return pick(r.IntN(10) > 0, 1<<63-1, r.Uint64()) },
		"sorted":              func(row int) uint64 { return uint64(row) << 40 },
		"reversed":            func(row int) uint64 { return uint64(rows-row) << 40 },
		"shares turned":       func(row int) uint64 { return uint64((row + 3*1024) % rows) },
		"shares in turns":     func(row int) uint64 { return uint64(row % 8 << 50) },
		"one row of another":  func(row int) uint64 { return pick(row == 5000, 0, 1) },
		"two values":          func(row int) uint64 { return uint64(row / 1500 % 2) },
		"in one digit of all": func(row int) uint64 { return 0x0102030405060700 | r.Uint64N(256) },
	} {
		key64 := keyencode.Column{Kind: keyencode.Int64, Chunks: []keyencode.Chunk{{Rows: rows}}}
		for row := range rows {
			k := &key64.Chunks[0]
			k.Values = binary.LittleEndian.AppendUint64(k.Values, key(row))
		}
		columns := []keyencode.Column{key64, memoryColumn(r, keyencode.Uint32, rows, true),
			memoryColumn(r, keyencode.Bool, rows, true), memoryColumn(r, keyencode.Decimal128, rows, false)}
		for _, keys := range [][]int{{0}, {0, 1}, {1, 0}} {
			for _, limit := range []int{0, 1000, 3000, rows - 1} {
				job := roomJob(columns, keys, []int{0, 2, 3, 1})
				job.Limit = limit
				p.check(job, "%s, keys %v, limit %d", name, slices.Clone(keys), limit)
			}
		}
	}
}
