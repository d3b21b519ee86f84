//go:build cuda && linux && amd64

package gpu

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/gpu/internal/host"
	"github.com/arrowsort/arrowsort/kernels"
)

// list returns the thresholds for a number of host threads on a device with a number of multiprocessors, in rows, by
// rising numbers of rows. Bytes become the rows of columns of bits and of 1, 4 and 8 bytes.
func (t thresholdTable) list(threads, multiprocessors int) []engine.Threshold {
	list := []engine.Threshold{
		{Name: "ClusterRows", Rows: kernels.ClusterRows},
		{Name: "a full grid", Rows: multiprocessors * kernels.CooperativeThreads * kernels.CooperativeItems},
		{Name: "BinningTile", Rows: kernels.BinningTile},
		{Name: "BinningWideTile", Rows: kernels.BinningWideTile},
		{Name: "SampleRows", Rows: kernels.SampleRows},
		{Name: "MiddleSampleRows", Rows: kernels.MiddleSampleRows},
		{Name: "MiddleSampleOf", Rows: kernels.MiddleSampleOf},
		{Name: "SmallSampleRows", Rows: kernels.SmallSampleRows},
		{Name: "SmallSampleOf", Rows: kernels.SmallSampleOf},
		{Name: "PartitionTile", Rows: kernels.PartitionTile},
		{Name: "PartitionWideTile", Rows: kernels.PartitionWideTile},
		{Name: "PartitionSecondTile", Rows: kernels.PartitionSecondTile},
		{Name: "PartitionOnlyTile", Rows: kernels.PartitionOnlyTile},
		{Name: "BucketRangeRows", Rows: kernels.BucketRangeRows},
		{Name: "BucketSortLargeRows", Rows: kernels.BucketSortLargeRows},
		{Name: "GatherTile", Rows: kernels.GatherTile},
		{Name: "ScatterTile", Rows: kernels.ScatterTile},
		{Name: "SelectTile", Rows: kernels.SelectTile},
		{Name: "SelectWideTile", Rows: kernels.SelectWideTile},
		{Name: "SelectSample", Rows: kernels.SelectSample},
		{Name: "TextTile", Rows: kernels.TextTile},
		{Name: "host.GatherTile", Rows: host.GatherTile},
		{Name: "host.BatchRows", Rows: host.BatchRows},
	}
	addBytes := func(name string, bytes int) {
		list = append(list,
			engine.Threshold{Name: name + " of bits", Rows: 8 * bytes},
			engine.Threshold{Name: name + " of 1 byte", Rows: bytes},
			engine.Threshold{Name: name + " of 4 bytes", Rows: bytes / 4},
			engine.Threshold{Name: name + " of 8 bytes", Rows: bytes / 8})
	}
	addBytes("host.CopyTile", host.CopyTile)
	addBytes("a batch for each thread", threads*t.batchBytes)
	addBytes("all slots", stagingSlots*t.slotBytes)
	for field, value := range reflect.ValueOf(t).Fields() {
		if n := int(value.Int()); strings.HasSuffix(field.Name, "Bytes") {
			addBytes(field.Name, n)
		} else {
			list = append(list, engine.Threshold{Name: field.Name, Rows: n})
		}
	}
	slices.SortFunc(list, func(a, b engine.Threshold) int {
		return cmp.Or(cmp.Compare(a.Rows, b.Rows), cmp.Compare(a.Name, b.Name))
	})
	return list
}
