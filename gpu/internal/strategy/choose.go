package strategy

import (
	"math"

	"github.com/arrowsort/arrowsort/gpu/internal/tuning"
	"github.com/arrowsort/arrowsort/kernels"
)

// A Kind is a way to find the sorted row numbers; several are a set of ways.
type Kind uint

const (
	Cluster    Kind = 1 << iota // the only key, by one cluster of blocks
	Grid                        // the only key, by a cooperative launch, which may decline
	TopK                        // the rows that the result needs are selected by one number of the keys' types
	Column                      // partition and bucket sort of the only key, which may decline
	Keys                        // the same of several keys, which kernels read as one column of numbers
	Codes                       // the same of the keys encoded as one number
	SmallCodes                  // keys encoded as one number, few enough for a single launch
	Onesweep                    // the only key, by all digits of its type
	Words                       // statistics of the keys, a plan of codes, then word by word
	Text                        // key by key, those of strings by their bytes
)

// A Job is what is known of a sort before its keys are read.
type Job struct {
	Rows, Out int  // rows of the input, and of the result
	TypeBits  int  // of the keys as one number of their types; 0 without keys, and of more values than 64 bits
	Width     int  // bytes of the only key if it is a column of numbers, which kernels read as they are; else 0
	Direct    bool // there is one key, of a type that a single launch reads
	LastNull  bool // there is one key, whose nulls share the last number of 64 bits with a value
	Numbers   bool // the keys have ranges of numbers, which a sample can find
	OneColumn bool // kernels can read the keys as one column
	Text      bool // some key is strings
	WantsPlan bool
	Tuning    *tuning.Table
	Device    Device

	Declined Kind // the ways that have been tried
	Early    bool // the last of them had no statistics of the keys yet when it declined
}

// A Device is what a sort needs to know of the device.
type Device struct {
	Shared          int // bytes of shared memory that a block may have
	Multiprocessors int
	Fits            func(kernel string) bool // the device can launch a kernel
}

// CanScan reports whether the key scan and the kernels after it can sort n rows. Of these, equalize takes the most
// shared memory: devices that have less for a block sort by digits.
func (d Device) CanScan(t *tuning.Table, n int) bool {
	return n > 0 && n <= t.BucketRows && d.Shared >= kernels.EqualizeBytes
}

// Choose returns the first way to try of those that have not declined. Words and Text never decline.
func Choose(j *Job) Kind {
	if j.Text && j.Rows > 0 {
		return Text
	}
	if j.Declined&(Cluster|Grid) == 0 && j.Direct && j.Rows > 0 && !j.WantsPlan {
		if kind := j.single(); kind != 0 {
			return kind
		}
	}
	known := j.TypeBits > 0 && !j.WantsPlan
	if j.Declined&^(Cluster|Grid) == 0 && (known || j.LastNull && !j.WantsPlan) {
		if _, ok := ShapeSelect(j.Tuning, j.Rows, j.Out); ok {
			return TopK
		}
	}
	switch scans := j.Device.CanScan(j.Tuning, j.Rows); {
	case j.Declined&(Onesweep|SmallCodes) != 0: // all keys are equal
		return Words
	case j.Declined&Column != 0 && j.Early && known,
		j.Declined&Grid != 0 && j.Width == 4 && scans && known:
		return Onesweep
	case j.Declined&(Column|Keys|Codes) != 0 || !scans:
		return Words
	case j.Width > 0:
		return Column
	}
	return j.oneNumber()
}

// single returns the way by a single launch, 0 for too many rows.
func (j *Job) single() Kind {
	switch kernel, _ := j.Device.SingleLaunch(j.Tuning, j.Rows); kernel {
	case "cluster":
		return Cluster
	case "cooperative":
		return Grid
	}
	return 0
}

// oneNumber returns the way by all keys as one number, which needs no statistics: of the keys' types, or of ranges of
// values that a sample finds among many rows.
func (j *Job) oneNumber() Kind {
	known, many := j.TypeBits > BucketCodeBits, j.Rows > j.Tuning.KeysRows
	if _, selects := ShapeSelect(j.Tuning, j.Rows, j.Out); !known && !selects {
		many = j.Rows > j.Tuning.RangesRows
	}
	switch {
	case j.WantsPlan || !known && (j.TypeBits > 0 || !many || !j.Numbers):
		return Words
	case many && j.OneColumn:
		return Keys
	case !known:
		return Words
	case j.single() != 0:
		return SmallCodes
	default:
		return Codes
	}
}

// selectShare is the least number of rows per selected row. Selecting a larger share takes longer than sorting all
// rows.
const selectShare = 6

// A selectShape is the border of a select and the memory for its candidates.
type selectShape struct {
	Hits     int // rows of the sample that do not exceed the border
	Capacity int // the most candidates
}

// ShapeSelect returns the shape of a select of the first k of n rows: hits is the average number of the first k rows in
// a sample, and five standard deviations more; the capacity is six more. ok is false where sorting all rows is as fast.
func ShapeSelect(t *tuning.Table, n, k int) (s selectShape, ok bool) {
	sample := math.Min(float64(n), kernels.SelectSample)
	mean := sample * float64(k) / float64(n)
	hits := math.Ceil(mean + 5*math.Sqrt(mean+1))
	most := hits + hits/16 + 6*math.Sqrt(hits) + 8
	s = selectShape{int(hits), min(n, int(math.Ceil(most*float64(n)/sample)))}
	return s, n >= t.SelectRows && k > 0 && k <= n/selectShare && hits < sample
}

// SingleLaunch returns the kernel that sorts the given number of rows in a single launch, and its grid: a cluster, or a
// cooperative launch of one block per multiprocessor, up to the most that it counts. It returns no kernel for more rows
// than such a kernel sorts.
func (d Device) SingleLaunch(t *tuning.Table, rows int) (kernel string, blocks int) {
	grid := min(d.Multiprocessors, kernels.CooperativeBlocks)
	switch {
	case rows > t.SmallSortRows:
	case rows <= kernels.ClusterRows && d.Fits("cluster"):
		return "cluster", kernels.ClusterBlocks
	case rows <= min(grid*kernels.CooperativeThreads*kernels.CooperativeItems, kernels.CooperativeRows) &&
		d.Fits("cooperative"):
		return "cooperative", grid
	}
	return "", 0
}

// SortsValues reports whether keys only are sorted without row numbers: more rows than a single launch sorts, since
// that launch and a gather take less time for fewer; nullable columns only where the key scan can separate the nulls.
func (d Device) SortsValues(t *tuning.Table, rows int, nullable bool) bool {
	single, _ := d.SingleLaunch(t, rows)
	return rows > 0 && single == "" && (!nullable || d.CanScan(t, rows))
}

// KernelNumbers are the positions of the kernels in kernels.All by name.
var KernelNumbers = func() map[string]int {
	numbers := map[string]int{}
	for i, k := range kernels.All {
		numbers[k.Name] = i
	}
	return numbers
}()
