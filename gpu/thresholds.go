package gpu

import (
	"reflect"
	"slices"
	"strings"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/gpu/internal/host"
	"github.com/arrowsort/arrowsort/kernels"
)

// A thresholdTable is the numbers of rows and of bytes around which a sort goes another way. Tests sort around and between all of them
// (Engine.Thresholds), so whatever is added here is tested; and they set some, so that few rows go the way of many.
type thresholdTable struct {
	oneLaunchRows int // up to how many rows a sort may be one launch
	smallRows     int // up to how many rows partition and finish takes small windows
	bucketRows    int // the most that partition and finish takes
	stripRows     int // the most that one launch of digit binning takes
	askRows       int // from how many rows on the device is asked which digits are constant
	askManyRows   int // the same where there are many digits
	keysRows      int // from how many rows on several keys are read as one column: below, it is as quick to make a column of their numbers
	selectRows    int // from how many rows on the first rows of an order are selected before they are sorted, if there are few enough of them
	textRows      int // from how many rows on the device gathers strings: the host has to wait for their lengths
	longRunRows   int // from how many tied rows on the device sorts them faster than one thread
	windowRows    int // the least rows of a window of a gather
	encodeRows    int // what one thread of the host encodes at a time
	measureRows   int // what one thread of the host measures at a time
	helperRows    int // from how many rows of the result on another goroutine makes its buffers: for fewer it costs more

	directBytes   int // the least that is copied from and to the caller's pinned memory without staging
	copyBytes     int // what is copied at a time from and to pinned memory, so that a cancelled context need not wait for more
	pieceBytes    int // the least that one thread copies from and to the staging memory
	slotBytes     int // the size of a slot of the staging memory: large enough for the bus to be at full speed
	lateBytes     int // the least that comes down in a stream of its own
	prefetchBytes int // how much there must be to gain from a second stream that brings columns up
	windowBytes   int // the size of a column from which it is quicker to gather it in windows
}

var thresholds = thresholdTable{
	oneLaunchRows: kernels.GridRows,
	smallRows:     kernels.SmallRows,
	bucketRows:    1 << 28,
	stripRows:     kernels.StripRows,
	askRows:       1 << 25,
	askManyRows:   1 << 21,
	keysRows:      1 << 23,
	selectRows:    1 << 20,
	textRows:      1 << 16,
	longRunRows:   1 << 15,
	windowRows:    1 << 20,
	encodeRows:    1 << 14,
	measureRows:   1 << 16,
	helperRows:    1 << 16,

	directBytes:   64 << 10,
	copyBytes:     256 << 20,
	pieceBytes:    256 << 10,
	slotBytes:     2 << 20,
	lateBytes:     1 << 20,
	prefetchBytes: 4 << 20,
	windowBytes:   128 << 20,
}

// stagingSlots is the number of slots of the staging memory.
const stagingSlots = 16

// list are the thresholds of a device with so many multiprocessors and so many host threads, in rows, by rising numbers of them. Bytes count for
// columns of bits and of 1, 4 and 8 bytes.
func (t thresholdTable) list(threads, multiprocessors int) []engine.Threshold {
	list := []engine.Threshold{
		{Name: "TinyFewRows", Rows: kernels.TinyFewRows},
		{Name: "TinyRows", Rows: kernels.TinyRows},
		{Name: "ClusterRows", Rows: kernels.ClusterRows},
		{Name: "GridRows", Rows: kernels.GridRows},
		{Name: "a full grid", Rows: multiprocessors * kernels.GridThreads * kernels.GridItems},
		{Name: "SmallTile", Rows: kernels.SmallTile},
		{Name: "SmallTileRows", Rows: kernels.SmallTileRows},
		{Name: "MediumTile", Rows: kernels.MediumTile},
		{Name: "MediumTileWide", Rows: kernels.MediumTileWide},
		{Name: "a tile for each block", Rows: tilesOfProcessor * multiprocessors * kernels.MediumTile},
		{Name: "LargeTile", Rows: kernels.LargeTile},
		{Name: "LargeTileWide", Rows: kernels.LargeTileWide},
		{Name: "LargeTileRows", Rows: kernels.LargeTileRows},
		{Name: "StripRows", Rows: kernels.StripRows},
		{Name: "WideHistogramRows", Rows: kernels.WideHistogramRows},
		{Name: "SampleRows", Rows: kernels.SampleRows},
		{Name: "MiddleSampleRows", Rows: kernels.MiddleSampleRows},
		{Name: "MiddleSampleOf", Rows: kernels.MiddleSampleOf},
		{Name: "SmallSampleRows", Rows: kernels.SmallSampleRows},
		{Name: "SmallSampleOf", Rows: kernels.SmallSampleOf},
		{Name: "PartitionTile", Rows: kernels.PartitionTile},
		{Name: "PartitionWideTile", Rows: kernels.PartitionWideTile},
		{Name: "PartitionSecondTile", Rows: kernels.PartitionSecondTile},
		{Name: "PartitionOnlyTile", Rows: kernels.PartitionOnlyTile},
		{Name: "PartitionSmallTile", Rows: kernels.PartitionSmallTile},
		{Name: "FinishWindow", Rows: kernels.FinishWindow},
		{Name: "SmallFinishWindow", Rows: kernels.SmallFinishWindow},
		{Name: "FinishRestRows", Rows: kernels.FinishRestRows},
		{Name: "EarlyFinishRows", Rows: kernels.EarlyFinishRows},
		{Name: "EvenWindowRows", Rows: kernels.EvenWindowRows},
		{Name: "SmallRows", Rows: kernels.SmallRows},
		{Name: "GatherTile", Rows: kernels.GatherTile},
		{Name: "DealTile", Rows: kernels.DealTile},
		{Name: "SelectTile", Rows: kernels.SelectTile},
		{Name: "SelectWideTile", Rows: kernels.SelectWideTile},
		{Name: "SelectSample", Rows: kernels.SelectSample},
		{Name: "TextTile", Rows: kernels.TextTile},
		{Name: "host.GatherTile", Rows: host.GatherTile},
		{Name: "host.BatchRows", Rows: host.BatchRows},
	}
	addBytes := func(name string, bytes int) {
		for width, rows := range map[string]int{"bits": 8 * bytes, "1 byte": bytes, "4 bytes": bytes / 4, "8 bytes": bytes / 8} {
			list = append(list, engine.Threshold{Name: name + " of " + width, Rows: rows})
		}
	}
	addBytes("host.CopyTile", host.CopyTile)
	addBytes("a piece for each thread", threads*t.pieceBytes)
	addBytes("all slots", stagingSlots*t.slotBytes)
	for field, value := range reflect.ValueOf(t).Fields() {
		if n := int(value.Int()); strings.HasSuffix(field.Name, "Bytes") {
			addBytes(field.Name, n)
		} else {
			list = append(list, engine.Threshold{Name: field.Name, Rows: n})
		}
	}
	slices.SortFunc(list, func(a, b engine.Threshold) int {
		if a.Rows != b.Rows {
			return a.Rows - b.Rows
		}
		return strings.Compare(a.Name, b.Name)
	})
	return list
}
