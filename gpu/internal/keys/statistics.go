//go:build cuda && linux && amd64

package keys

import (
	"slices"
	"unsafe"

	"github.com/arrowsort/arrowsort/gpu/internal/abi"
	"github.com/arrowsort/arrowsort/gpu/internal/device"
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/keyencode"
)

// statisticsBytes is the size of the structure Statistics.
const statisticsBytes = int(unsafe.Sizeof(abi.Statistics{}))

// Measure computes the statistics of keys, and begins to upload the other columns.
func (s *Columns) Measure(keys []keyencode.Key) []keyencode.Statistics {
	stats := make([]keyencode.Statistics, len(keys))
	block := s.Zeros(statisticsBytes * len(keys))
	measured := make([]bool, len(keys))
	for i, key := range keys {
		measured[i] = s.Rows > 0 && s.launchStatistics(key, block+driver.Ptr(statisticsBytes*i))
	}
	s.Prefetch()
	for i, key := range keys {
		if !measured[i] {
			stats[i] = s.measureOnHost(key)
		}
	}
	found := make([]abi.Statistics, len(keys))
	if slices.Contains(measured, true) {
		s.Download(buffers.Bytes(abi.Words(found)), block)
	}
	if s.Wait() != nil {
		return nil
	}
	for i, key := range keys {
		if measured[i] {
			stats[i] = s.Statistics(key, &found[i])
		}
	}
	return stats
}

// launchStatistics launches the statistics of a key, and reports whether the device computes them.
func (s *Columns) launchStatistics(key keyencode.Key, out driver.Ptr) bool {
	src := &s.Job.Columns[key.Column]
	layout, ok := LayoutOf(src)
	if !ok || layout.Form == abi.FormNone {
		return false
	}
	kernel := "statistics"
	if layout.Form == abi.FormDecimal {
		kernel = "statistics_decimal"
	}
	column := device.Put(s.Task, s.keyColumn(key, layout))
	s.Launch(kernel, s.Blocks(s.Rows), uint64(column), uint64(s.Rows), uint64(out))
	s.Moves(s.Rows * layout.stride)
	return true
}

// Statistics converts the result of the kernel for the plan.
func (s *Columns) Statistics(key keyencode.Key, found *abi.Statistics) keyencode.Statistics {
	rises, ties, falls := found.Rises != 0, found.Ties != 0, found.Falls != 0
	st := keyencode.Statistics{
		Rows: s.Rows, Nulls: int(found.Nulls), NaNs: int(found.Nans),
		Sorted: !falls, Rising: !falls && !ties, Reversed: !rises && !ties,
	}
	if st.Values() == 0 {
		return st
	}
	limbs := 1
	if c := &s.Job.Columns[key.Column]; c.Kind == keyencode.Decimal128 || c.Kind == keyencode.Decimal256 {
		limbs = c.ValueBytes() / 8
	}
	for i := range limbs {
		st.Min[i], st.Max[i] = ^found.NotMin[i], found.Max[i]
	}
	st.Or, st.And = found.Any, ^found.NotAll
	return st
}

// measureOnHost computes the statistics of a key that the device does not read.
func (s *Columns) measureOnHost(key keyencode.Key) keyencode.Statistics {
	tile := s.Tuning.MeasureRows
	src := &s.Job.Columns[key.Column]
	parts := make([]keyencode.Statistics, max(1, (s.Rows+tile-1)/tile))
	parts[0] = keyencode.Measure(src, key, 0, 0)
	s.Fail(s.Workers.Tiles(s.Rows, tile, func(lo, hi int) {
		parts[lo/tile] = keyencode.Measure(src, key, lo, hi)
	}))
	for i := range parts[1:] {
		parts[0].Merge(&parts[i+1])
	}
	return parts[0]
}
