//go:build cuda && devices && linux && amd64

package gpu

import (
	"context"
	"flag"
	"fmt"
	"math"
	"runtime/debug"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/gpu/internal/host"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/internal/machine"
	"github.com/arrowsort/arrowsort/keyencode"
)

// largeMemory is the memory of the host that TestDevicesLarge needs, in tenths of its table: the table, the result, and
// row numbers to prove it.
const largeMemory = 22

// The table of sorts on several GPUs: TestDevicesTable proves and times every row of it, with the bandwidths that bound
// it. benchmarks/devices/run.sh runs it.
var (
	tableDevices = flag.Int("gpus", 2, "number of GPUs")
	tableBits    = flag.Int("bits", 28, "2^bits rows, and four times as many")
	tableRuns    = flag.Int("runs", 5, "runs of which the median is taken")
	tableLarge   = flag.Int64("large", 0, "bytes of the table of TestDevicesLarge; 0: more than one GPU has")
	tableBytes   = flag.Int("piece", 256<<20, "bytes of each copy by which bandwidths are measured")
)

func TestDevicesTable(t *testing.T) {
	var b bench
	b.open(t)
	b.measureBandwidths()
	few, many := 1<<*tableBits, 4<<*tableBits
	b.sortTable(few)
	b.sortIndices(many)
	b.sortResident(few)
	took := b.sortResident(many)
	if most := lasting(many, 1<<30/9e6); *tableDevices == 8 { // for 2^30 rows, 9 ms
		fmt.Printf("at most %.3f ms on 8 GPUs: %s\n", most.Seconds()*1e3, verdict(took <= most))
	}
}

// keyedTable is a table of random keys, row numbers, and columns that follow from these. All are gathered.
func keyedTable(ctx context.Context, mem engine.Allocator, rows, columns int) *engine.Job {
	job := randomJob(mem, keyencode.Int64, rows, columns)
	job.Gather = []int{0}
	for c := 1; c < columns; c++ {
		values := buffers.View[uint64](job.Columns[c].Chunks[0].Values)
		_ = host.NewWorkers(ctx, 0).Tiles(rows, 1<<16, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				values[i] = payload(c, uint64(i))
			}
		})
		job.Gather = append(job.Gather, c)
	}
	return job
}

// payload is the value of a column in a row: the first has the row numbers.
func payload(column int, row uint64) uint64 {
	if column == 1 {
		return row
	}
	return mix(row + uint64(column))
}

// proveTable proves a sorted table by its second column, the row numbers.
func (b *bench) proveTable(job *engine.Job, sorted *engine.Result) {
	numbers := buffers.View[uint64](job.Columns[0].Chunks[0].Values)
	order := make([]uint32, job.Rows)
	rows := buffers.View[uint64](sorted.Columns[1].Values)
	var wrong atomic.Int64
	err := host.NewWorkers(b.Context(), 0).Tiles(job.Rows, 1<<16, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row := rows[i]
			order[i] = uint32(row)
			if row >= uint64(len(numbers)) || buffers.View[uint64](sorted.Columns[0].Values)[i] != numbers[row] {
				wrong.Add(1)
				continue
			}
			for c := 2; c < len(job.Columns); c++ {
				if buffers.View[uint64](sorted.Columns[c].Values)[i] != payload(c, row) {
					wrong.Add(1)
				}
			}
		}
	})
	require.NoError(b, err)
	require.Zero(b, wrong.Load()+prove(order, ordered(numbers)), "rows that are wrong")
}

// ordered returns the numbers that order as the signed keys do.
func ordered(keys []uint64) func(row uint32) uint64 {
	return func(row uint32) uint64 { return keys[row] ^ 1<<63 }
}

// sortTable sorts W, a key and two columns of 8 bytes, from and to pinned memory, on one GPU and on more.
func (b *bench) sortTable(rows int) {
	mem := b.all.Allocator()
	job := keyedTable(b.Context(), mem, rows, 3)
	took := b.onEach("W, pinned", rows, func(e *Engine) time.Duration {
		sort := func(check func(*engine.Result)) {
			res, err := e.Sort(b.Context(), job, mem)
			require.NoError(b, err)
			check(res)
			res.Release(mem)
		}
		sort(func(res *engine.Result) { b.proveTable(job, res) })
		return b.median(func() { sort(func(*engine.Result) {}) })
	})
	b.report("W, pinned", rows, took, b.through(24*rows), 85, fmt.Sprintf("the bus %.3f ms, the host's memory %.3f ms",
		lasting(2*24*rows, b.both).Seconds()*1e3, lasting(2*24*rows, b.host).Seconds()*1e3))
	for _, c := range job.Columns {
		mem.Free(c.Chunks[0].Values)
	}
	mem.Trim()
}

// sortIndices computes the row numbers of a column in pinned memory.
func (b *bench) sortIndices(rows int) {
	mem := b.all.Allocator()
	job := randomJob(mem, keyencode.Int64, rows, 1)
	job.RowNumbers = 4
	res, err := b.all.Sort(b.Context(), job, mem)
	require.NoError(b, err)
	numbers := buffers.View[uint64](job.Columns[0].Chunks[0].Values)
	require.Zero(b, prove(buffers.View[uint32](res.RowNumbers), ordered(numbers)), "rows that are wrong")
	res.Release(mem)
	took := b.median(func() {
		res, err := b.all.Sort(b.Context(), job, mem)
		require.NoError(b, err)
		res.Release(mem)
	})
	b.report("argsort i64, pinned", rows, took, b.through(6*rows), 85,
		fmt.Sprintf("8 bytes up, then 4 down: %.3f ms", (lasting(8*rows, b.up)+lasting(4*rows, b.down)).Seconds()*1e3))
	mem.Free(job.Columns[0].Chunks[0].Values)
	mem.Trim()
}

// TestDevicesLarge sorts a table in Go's memory, a key and four columns: with 160 GB it is larger than the memory of
// one GPU. A copy of as many bytes is timed beside it.
func TestDevicesLarge(t *testing.T) {
	const columns = 5
	var b bench
	b.open(t)
	bytes := b.largeBytes()
	rows := int(min(bytes/(8*columns), math.MaxUint32))
	job := keyedTable(b.Context(), goMemory{}, rows, columns)
	took, inUse := b.sortLarge(job)
	debug.FreeOSMemory() // the result
	fresh := b.copyColumns(job, func(int) []byte { return make([]byte, 8*rows) })
	fmt.Printf("%-22s %d GPUs %11d rows %10.3f ms, %d bytes, one GPU has %d\n", "in Go's memory", *tableDevices, rows,
		took.Seconds()*1e3, 8*columns*rows, b.all.Device().Memory)
	b.stages(1)
	fmt.Printf("%-22s %10.3f ms to memory in use, %10.3f ms to fresh memory\n", "a copy of these bytes",
		inUse.Seconds()*1e3, fresh.Seconds()*1e3)
}

// sortLarge proves and times a sort, and a copy of the columns to the memory of the result.
func (b *bench) sortLarge(job *engine.Job) (took, copied time.Duration) {
	start := time.Now()
	res, err := b.all.Sort(b.Context(), job, goMemory{})
	require.NoError(b, err)
	took = time.Since(start)
	b.proveTable(job, res)
	return took, b.copyColumns(job, func(c int) []byte { return res.Columns[c].Values })
}

// largeBytes is -large, or where that is 0 a fifth more than the memory of one GPU, or as much as nine tenths of the
// host's memory allow.
func (b *bench) largeBytes() int64 {
	memory := machine.Memory()
	most := memory * 10 / largeMemory
	if *tableLarge == 0 {
		return min(b.all.Device().Memory*6/5, most*9/10)
	}
	require.LessOrEqual(b, *tableLarge, most, "-large %d needs %d bytes of memory of the host, which has %d: pass at "+
		"most %d", *tableLarge, *tableLarge/10*largeMemory, memory, most)
	return *tableLarge
}

// copyColumns times a copy of the columns of a job by all processors.
func (b *bench) copyColumns(job *engine.Job, to func(column int) []byte) time.Duration {
	start := time.Now()
	for c := range job.Columns {
		require.NoError(b, host.NewWorkers(b.Context(), 0).Stream(to(c), job.Columns[c].Chunks[0].Values))
	}
	return time.Since(start)
}
