// Package strategy decides how a sort goes: which kernels, on which grids, in which formats. It needs no device.
package strategy

import (
	"math"

	"github.com/arrowsort/arrowsort/gpu/internal/tuning"
	"github.com/arrowsort/arrowsort/kernels"
)

// A BucketShape is how many buckets rows are partitioned into, in one pass or two, and which kernels do so.
type BucketShape struct {
	Bits      int  // of the number of a bucket: the leading bits of a code
	First     int  // bits of the first of two passes; all bits for a single pass
	Width     int  // bytes of a number
	Exact     bool // codes have 32 bits, which tell nearly all numbers apart
	keys      bool // the column is several keys
	Floats    bool // the values are floats
	Equalized bool // the map is equalized
	Values    bool // keys only: records are numbers without rows
	Crowded   bool // the shape is that of Finer
}

// BucketCodeBits is the bits of two digits. Codes of at most that many bits are sorted by digits.
const BucketCodeBits = 2 * kernels.RadixBits

// ShapeBuckets returns the shape for n rows of numbers of width bytes: the least number of buckets for which a bucket
// of average size is small enough, and for which bucket and bin bits are no fewer than the bits of a row number.
func ShapeBuckets(t *tuning.Table, n, width int) BucketShape {
	s := BucketShape{Bits: 1, Width: width, Exact: width == 4}
	rowBits := int(RowBits(t, n))
	for s.Bits < kernels.BucketBits &&
		(n>>s.Bits > t.AverageRows || s.Bits+kernels.BucketSortBinBits < rowBits) {
		s.Bits++
	}
	return s.inPasses()
}

// ShapeKeys returns the shape for several keys that are read as one column: always two passes.
func ShapeKeys(t *tuning.Table, n int) BucketShape {
	s := ShapeBuckets(t, n, 8)
	s.keys = true
	s.Bits = max(s.Bits, kernels.OnlyPassBits+1)
	return s.inPasses()
}

// MoreBits is how many bits more Finer has: 0 where there can be no more buckets.
func (s BucketShape) MoreBits() int {
	if s.Crowded {
		return 0
	}
	return min(3, kernels.BucketBits-s.Bits)
}

// Finer returns the shape with up to eight times as many buckets, for numbers that lie unevenly.
func (s BucketShape) Finer() BucketShape {
	s.Bits += s.MoreBits()
	s.Crowded = true
	return s.inPasses()
}

// inPasses returns the shape with its bits divided among one pass or two.
func (s BucketShape) inPasses() BucketShape {
	s.First = s.Bits
	if s.Bits > kernels.OnlyPassBits {
		s.First = (s.Bits + 1) / 2
	}
	return s
}

// Page is the number of records of the page of a bucket, for n rows that are spread evenly over the range of a sample,
// which is widened by a 64th on both sides: their average and six standard deviations, in whole lines of memory. It is
// 0 where buckets have no pages: those of fewer rows are sorted several at a time.
func (s BucketShape) Page(n int) int {
	if s.Crowded || s.Equalized || n>>s.Bits < kernels.BucketRangeRows*2/5 {
		return 0
	}
	average := float64(n) / float64(int(1)<<s.Bits)
	rows := int(average*(1+1.0/32)+6*math.Sqrt(average)) + 32
	return min(rows&^31, kernels.BucketRangeRows)
}

// Extensions is how many buckets may have more records than a page.
func (s BucketShape) Extensions() int { return max(16, 1<<s.Bits/64) }

// PagedRecords is the number of records of all pages and extensions.
func (s BucketShape) PagedRecords(n int) int {
	return s.Page(n)<<s.Bits + s.Extensions()*kernels.ExtensionRecords
}

// Ranges is the number of bucket ranges of n rows.
func Ranges(n int) int { return (n + kernels.BucketRangeRows - 1) / kernels.BucketRangeRows }

// Tile is the number of rows of a tile of the pass that reads the column.
func (s BucketShape) Tile() int {
	switch {
	case s.First < s.Bits && s.Width == 8:
		return kernels.PartitionWideTile
	case s.First < s.Bits:
		return kernels.PartitionTile
	default:
		return kernels.PartitionOnlyTile
	}
}

// Tiles is the number of tiles of n rows.
func (s BucketShape) Tiles(n int) int { return (n + s.Tile() - 1) / s.Tile() }

// ShapeKernels are the kernels that sort by buckets of a shape.
type ShapeKernels struct {
	Scan      string // the key scan
	First     string // reads the column and scatters its rows: the first of two passes, or the only one
	Second    string // the second of two passes
	Sort      string // sorts bucket ranges
	SortLarge string // sorts those that Sort defers
	Split     string // splits heavy values, NaN and null from the other rows
	Merge     string // writes the sorted other rows to the places between
}

// Kernels returns the kernels of the shape.
func (s BucketShape) Kernels() ShapeKernels {
	wide, first := s.Width == 8, "partition_only"
	if s.First < s.Bits {
		first = "partition_first"
	}
	k := ShapeKernels{Scan: "key_scan", First: variant(first, wide), Second: "partition_second",
		Sort: variant("bucket_sort", !s.Exact), SortLarge: "bucket_sort_large",
		Split: variant("split_heavy", wide), Merge: "merge_heavy"}
	switch {
	case s.Equalized:
		k.Scan, k.First = "key_scan_equalized", first+"_equalized"
	case s.keys:
		k.Scan, k.First = "key_scan_keys", first+"_keys"
	case s.Floats && !wide && s.First < s.Bits:
		k.First = first + "_floats"
	}
	if s.Values {
		k.First, k.Second = variant(first+"_values", wide), variant("partition_second_values", wide)
		k.Sort, k.SortLarge = variant("bucket_sort_values", wide), variant("bucket_sort_large_values", wide)
		k.Split, k.Merge = variant("compact_values", wide), variant("merge_values", wide)
	}
	return k
}

// RecordBytes is the size of a record.
func (s BucketShape) RecordBytes() int {
	if s.Values {
		return s.Width
	}
	return 8
}

// variant returns the name of a kernel, or of that for wide rows.
func variant(kernel string, wide bool) string {
	if wide {
		return kernel + "_wide"
	}
	return kernel
}

// MaxOversized is the most buckets larger than a bucket range with which a column is sorted by buckets. One block sorts
// each of them, while other blocks wait.
func (s BucketShape) MaxOversized() uint64 {
	share := 10
	if s.Width == 8 {
		share = 4
	}
	return uint64(max(128, 1<<s.Bits/share))
}

// PlanBlocks is the grid of bucket_plan: blocks for the buckets, and one for each class.
func (s BucketShape) PlanBlocks() int {
	const perBlock = kernels.PlanThreads * kernels.PlanItems
	return (1<<s.Bits+perBlock-1)/perBlock + kernels.Classes
}
