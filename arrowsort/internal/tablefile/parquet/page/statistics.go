package page

import (
	"github.com/apache/arrow-go/v18/parquet"
	"github.com/apache/arrow-go/v18/parquet/schema"
)

// Statistics are the bounds and the sizes of a page or a column chunk.
type Statistics struct {
	Bounds
	Sizes
}

// Sizes are what a SizeStatistics of parquet.thrift holds: with them a reader knows the memory that text and lists take
// before it decodes a page.
type Sizes struct {
	Bytes       int64   // of values of any length, without their lengths; UnknownBytes; 0 of other types
	Repetitions []int64 // the number of values of each repetition level; nil: the column has one level only
	Definitions []int64 // the same of definition levels; nil: two levels at most, which the count of nulls describes
}

// UnknownBytes is Sizes.Bytes of pages in encodings that are not decoded here.
const UnknownBytes = -1

// HasBytes reports whether the values of a leaf column are of any length and their bytes are known.
func (s *Sizes) HasBytes(column *schema.Column) bool {
	return column.PhysicalType() == parquet.Types.ByteArray && s.Bytes != UnknownBytes
}

// add adds the sizes of a page.
func (s *Sizes) add(page *Sizes) {
	if s.Bytes == UnknownBytes || page.Bytes == UnknownBytes {
		s.Bytes = UnknownBytes
	} else {
		s.Bytes += page.Bytes
	}
	s.Repetitions = addCounts(s.Repetitions, page.Repetitions)
	s.Definitions = addCounts(s.Definitions, page.Definitions)
}

// addCounts adds the counts of a page to those of all, which are made for the first page.
func addCounts(all, page []int64) []int64 {
	if all == nil && page != nil {
		all = make([]int64, len(page))
	}
	for i, n := range page {
		all[i] += n
	}
	return all
}

// mostCountedEntries is the number of entries of a dictionary up to which the different ones are counted: that takes
// little of the time that the pages take.
const mostCountedEntries = 1 << 12

// Distinct returns the number of different values of all pages so far, where one dictionary of few entries holds them;
// 0: it is not known. Of floating-point numbers it is not, as zeros and NaNs are equal to others of other bits. Other
// writers may have entries twice, or such that no page refers to.
func (p *PlainBounds) Distinct() int64 {
	if p.outside || len(p.seen) > mostCountedEntries || HoldsFloats(p.column) {
		return 0
	}
	values := make(map[string]struct{}, len(p.seen))
	for i, seen := range p.seen {
		if seen {
			values[string(p.entry(i))] = struct{}{}
		}
	}
	return int64(len(values))
}
