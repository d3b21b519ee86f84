//go:build cuda && linux && amd64

package gpu

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

// measureKeys computes the statistics of the keys, and begins to upload the other columns.
func (s *keyColumns) measureKeys() []keyencode.Statistics {
	keys := s.job.Keys
	stats := make([]keyencode.Statistics, len(keys))
	block := s.Zeros(statisticsBytes * len(keys))
	measured := make([]bool, len(keys))
	for i, key := range keys {
		measured[i] = s.rows > 0 && s.launchStatistics(key, block+driver.Ptr(statisticsBytes*i))
	}
	s.prefetch()
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
			stats[i] = s.statistics(key, &found[i])
		}
	}
	return stats
}

// launchStatistics launches the statistics of a key, and reports whether the device computes them.
func (s *keyColumns) launchStatistics(key keyencode.Key, out driver.Ptr) bool {
	src := &s.job.Columns[key.Column]
	layout, ok := layoutOf(src)
	if !ok || layout.form == abi.FormNone {
		return false
	}
	kernel := "statistics"
	if layout.form == abi.FormDecimal {
		kernel = "statistics_decimal"
	}
	column := device.Put(s.Task, s.keyColumn(key, layout))
	s.Launch(kernel, s.Blocks(s.rows), uint64(column), uint64(s.rows), uint64(out))
	s.Moves(s.rows * layout.stride)
	return true
}

// statistics converts the result of the kernel for the plan.
func (s *keyColumns) statistics(key keyencode.Key, found *abi.Statistics) keyencode.Statistics {
	rises, ties, falls := found.Rises != 0, found.Ties != 0, found.Falls != 0
	st := keyencode.Statistics{
		Rows: s.rows, Nulls: int(found.Nulls), NaNs: int(found.Nans),
		Sorted: !falls, Rising: !falls && !ties, Reversed: !rises && !ties,
	}
	if st.Values() == 0 {
		return st
	}
	limbs := 1
	if c := &s.job.Columns[key.Column]; c.Kind == keyencode.Decimal128 || c.Kind == keyencode.Decimal256 {
		limbs = c.ValueBytes() / 8
	}
	for i := range limbs {
		st.Min[i], st.Max[i] = ^found.NotMin[i], found.Max[i]
	}
	st.Or, st.And = found.Any, ^found.NotAll
	return st
}

// measureOnHost computes the statistics of a key that the device does not read.
func (s *keyColumns) measureOnHost(key keyencode.Key) keyencode.Statistics {
	tile := s.Tuning.MeasureRows
	src := &s.job.Columns[key.Column]
	parts := make([]keyencode.Statistics, max(1, (s.rows+tile-1)/tile))
	parts[0] = keyencode.Measure(src, key, 0, 0)
	s.Fail(s.Workers.Tiles(s.rows, tile, func(lo, hi int) {
		parts[lo/tile] = keyencode.Measure(src, key, lo, hi)
	}))
	for i := range parts[1:] {
		parts[0].Merge(&parts[i+1])
	}
	return parts[0]
}
