//go:build cuda && linux && amd64

package gpu

import (
	"encoding/binary"
	"fmt"
	"os"
	"testing"
	"time"
	"unsafe"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/gpu/internal/host"
	"github.com/arrowsort/arrowsort/keyencode"
)

// table is a record of a random int64 key, an int64 and a float64 column.
func arrowTable(mem memory.Allocator, rows int) arrow.Record {
	types := []arrow.DataType{arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Int64, arrow.PrimitiveTypes.Float64}
	var fields []arrow.Field
	var columns []arrow.Array
	for i, t := range types {
		values := memory.NewResizableBuffer(mem)
		values.Resize(8 * rows)
		fill(values.Bytes(), uint64(i))
		data := array.NewData(t, rows, []*memory.Buffer{nil, values}, nil, 0, 0)
		columns = append(columns, array.MakeFromData(data))
		fields = append(fields, arrow.Field{Name: fmt.Sprintf("c%d", i), Type: t})
		values.Release()
		data.Release()
	}
	defer func() {
		for _, c := range columns {
			c.Release()
		}
	}()
	return array.NewRecord(arrow.NewSchema(fields, nil), columns, int64(rows))
}

// reused is ordinary memory that was used before: buffers that were freed, by their size.
type reused map[int][][]byte

func (r reused) Allocate(n int) []byte {
	if spare := r[n]; len(spare) > 0 {
		r[n] = spare[1:]
		return spare[0]
	}
	return memory.DefaultAllocator.Allocate(n)
}
func (r reused) Reallocate(n int, b []byte) []byte { return append(r.Allocate(n)[:0], b...)[:n] }
func (r reused) Free(b []byte)                     { r[len(b)] = append(r[len(b)], b) }

// BenchmarkLibrary is a call of the library from record to sorted record, on both engines: from and to ordinary memory
// as the library allocates it, to memory that was used before, and pinned.
func BenchmarkLibrary(b *testing.B) {
	device := openForBenchmark(b)
	runs := []struct {
		name string
		engine.Engine
		input, result memory.Allocator
	}{
		{"engine=cpu/memory=go", nil, memory.DefaultAllocator, nil},
		{"engine=gpu/memory=go", device, memory.DefaultAllocator, nil},
		{"engine=gpu/memory=reused", device, memory.DefaultAllocator, reused{}},
		{"engine=gpu/memory=pinned", device, device.Allocator(), device.Allocator()},
	}
	for _, rows := range []int{100_000, 300_000, 1_000_000, 3_000_000, 10_000_000, 100_000_000} {
		for _, run := range runs {
			b.Run(fmt.Sprintf("%s/rows=%d", run.name, rows), func(b *testing.B) {
				record := arrowTable(run.input, rows)
				defer record.Release()
				sort := func() {
					sorted, err := arrowsort.Sort(b.Context(), record, []arrowsort.Key{{Path: "c0"}},
						arrowsort.Options{Engine: run.Engine, Allocator: run.result})
					require.NoError(b, err)
					sorted.Release()
				}
				sort() // the first one allocates
				b.SetBytes(2 * 24 * int64(rows))
				for b.Loop() {
					sort()
				}
			})
		}
	}
}

// BenchmarkHost is what bounds sorts from and to ordinary memory: memory of the result, and copies on all threads from
// and to pinned memory; and what pinning the memory for one sort would take instead.
func BenchmarkHost(b *testing.B) {
	const size, slot = 240e6, 8 << 20
	e := openForBenchmark(b)
	pinned := e.Allocator().Allocate(slot)
	warm := make([]byte, size)
	fill(warm, 1)
	w := host.NewWorkers(b.Context(), 0)
	each := func(b *testing.B, memory []byte, copy func(piece []byte)) {
		for at := 0; at < len(memory); at += slot {
			copy(memory[at:min(at+slot, len(memory))])
		}
	}
	in := func(piece []byte) { require.NoError(b, w.Copy(pinned, piece)) }
	out := func(piece []byte) { require.NoError(b, w.Stream(piece, pinned[:len(piece)])) }
	b.Run("op=allocate", func(b *testing.B) {
		b.SetBytes(size)
		for b.Loop() {
			memory.DefaultAllocator.Free(memory.DefaultAllocator.Allocate(size))
		}
	})
	b.Run("op=allocate+copy out", func(b *testing.B) {
		b.SetBytes(size)
		for b.Loop() {
			fresh := memory.DefaultAllocator.Allocate(size)
			each(b, fresh, out)
			memory.DefaultAllocator.Free(fresh)
		}
	})
	b.Run("op=copy in", func(b *testing.B) {
		b.SetBytes(size)
		for b.Loop() {
			each(b, warm, in)
		}
	})
	b.Run("op=copy out", func(b *testing.B) {
		b.SetBytes(size)
		for b.Loop() {
			each(b, warm, out)
		}
	})
	b.Run("op=pin+unpin", func(b *testing.B) {
		session := <-e.turn
		defer func() { e.turn <- session }()
		pages := pageAligned(warm)
		b.SetBytes(int64(len(pages)))
		for b.Loop() {
			require.NoError(b, session.Pin(pages))
			require.NoError(b, session.Unpin(pages))
		}
	})
}

// pageAligned returns the whole pages of memory.
func pageAligned(b []byte) []byte {
	page := os.Getpagesize()
	b = b[-uintptr(unsafe.Pointer(&b[0]))%uintptr(page):]
	return b[:len(b)/page*page]
}

// BenchmarkCold is the first sort of a process, the engine's start included: what --engine auto weighs. Run it with
// -benchtime 1x, one at a time.
func BenchmarkCold(b *testing.B) {
	for _, name := range []string{"cpu", "gpu"} {
		for _, rows := range []int{1_000_000, 10_000_000, 20_000_000, 50_000_000, 100_000_000} {
			b.Run(fmt.Sprintf("engine=%s/rows=%d", name, rows), func(b *testing.B) {
				record := arrowTable(memory.DefaultAllocator, rows)
				defer record.Release()
				for b.Loop() {
					options := arrowsort.Options{}
					if name == "gpu" {
						start := time.Now()
						device := openForBenchmark(b)
						b.ReportMetric(float64(time.Since(start).Milliseconds()), "open-ms")
						options.Engine = device
					}
					sorted, err := arrowsort.Sort(b.Context(), record, []arrowsort.Key{{Path: "c0"}}, options)
					require.NoError(b, err)
					sorted.Release()
				}
			})
		}
	}
}

// BenchmarkTexts sorts a table with a column of strings of 0 to 39 bytes, gathered by the host and by the device.
func BenchmarkTexts(b *testing.B) {
	e := openForBenchmark(b)
	const rows = 5_000_000
	column := keyencode.Column{Kind: keyencode.LargeBinary}
	offsets, data := make([]byte, 8, 8*(rows+1)), make([]byte, 40*rows)
	end := uint64(0)
	for i := range uint64(rows) {
		end += i * 0x9E3779B97F4A7C15 >> 32 % 40
		offsets = binary.LittleEndian.AppendUint64(offsets, end)
	}
	column.Chunks = []keyencode.Chunk{{Rows: rows, Values: offsets, Data: [][]byte{data[:end]}}}
	job := randomJob(goMemory{}, keyencode.Int64, rows, 1)
	job.Columns, job.Gather = append(job.Columns, column), []int{0, 1}
	for name, least := range map[string]int{"host": rows + 1, "device": 1} {
		b.Run("gathered by="+name, func(b *testing.B) {
			e.tuning.TextRows = least
			for b.Loop() {
				res, err := e.Sort(b.Context(), job, goMemory{})
				require.NoError(b, err)
				res.Release(goMemory{})
			}
		})
	}
}

// BenchmarkLimit asks for the first thousand rows.
func BenchmarkLimit(b *testing.B) {
	e := openForBenchmark(b)
	for name, mem := range map[string]engine.Allocator{"pinned": e.Allocator(), "go": goMemory{}} {
		b.Run("memory="+name, func(b *testing.B) {
			job := randomJob(mem, keyencode.Int64, 10_000_000, 3)
			job.Gather, job.Limit = []int{0, 1, 2}, 1000
			for b.Loop() {
				res, err := e.Sort(b.Context(), job, mem)
				require.NoError(b, err)
				res.Release(mem)
			}
		})
	}
}
