//go:build cuda && linux && amd64

package gpu

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/gpu/internal/host"
	"github.com/arrowsort/arrowsort/gpu/internal/stream"
	"github.com/arrowsort/arrowsort/gpu/internal/tuning"
	"github.com/arrowsort/arrowsort/kernels"
)

// listThresholds returns the thresholds for a number of host threads on a device with a number of multiprocessors, in
// rows, by rising numbers of rows. Bytes become the rows of columns of bits and of 1, 4 and 8 bytes.
func listThresholds(t *tuning.Table, threads, multiprocessors int) []engine.Threshold {
	var list []engine.Threshold
	add := func(name string, rows int) { list = append(list, engine.Threshold{Name: name, Rows: rows}) }
	for name, rows := range map[string]int{
		"a full grid": multiprocessors * kernels.CooperativeThreads * kernels.CooperativeItems,
		"ClusterRows": kernels.ClusterRows, "SampleRows": kernels.SampleRows,
		"MiddleSampleRows": kernels.MiddleSampleRows, "MiddleSampleOf": kernels.MiddleSampleOf,
		"SmallSampleRows": kernels.SmallSampleRows, "SmallSampleOf": kernels.SmallSampleOf,
		"BinningTile": kernels.BinningTile, "BinningWideTile": kernels.BinningWideTile,
		"PartitionTile": kernels.PartitionTile, "PartitionWideTile": kernels.PartitionWideTile,
		"PartitionSecondTile": kernels.PartitionSecondTile, "PartitionOnlyTile": kernels.PartitionOnlyTile,
		"BucketRangeRows": kernels.BucketRangeRows, "BucketSortLargeRows": kernels.BucketSortLargeRows,
		"SelectTile": kernels.SelectTile, "SelectWideTile": kernels.SelectWideTile,
		"SelectSample": kernels.SelectSample, "GatherTile": kernels.GatherTile, "ScatterTile": kernels.ScatterTile,
		"TextTile": kernels.TextTile, "host.GatherTile": host.GatherTile, "host.BatchRows": host.BatchRows,
	} {
		add(name, rows)
	}
	addBytes := func(name string, bytes int) {
		add(name+" of bits", 8*bytes)
		add(name+" of 1 byte", bytes)
		add(name+" of 4 bytes", bytes/4)
		add(name+" of 8 bytes", bytes/8)
	}
	addBytes("host.CopyTile", host.CopyTile)
	addBytes("a batch for each thread", threads*t.BatchBytes)
	addBytes("all slots", stream.StagingSlots*t.SlotBytes)
	for field, value := range reflect.ValueOf(*t).Fields() {
		if n := int(value.Int()); strings.HasSuffix(field.Name, "Bytes") {
			addBytes(field.Name, n)
		} else {
			add(field.Name, n)
		}
	}
	slices.SortFunc(list, func(a, b engine.Threshold) int {
		return cmp.Or(cmp.Compare(a.Rows, b.Rows), cmp.Compare(a.Name, b.Name))
	})
	return list
}
