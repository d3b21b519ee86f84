//go:build cuda && linux && amd64

// Package argsort computes the row numbers of a sort: what strategy chooses, one call for each way.
package argsort

import (
	"slices"

	"github.com/arrowsort/arrowsort/gpu/internal/abi"
	"github.com/arrowsort/arrowsort/gpu/internal/device"
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/gpu/internal/incore"
	"github.com/arrowsort/arrowsort/gpu/internal/keys"
	"github.com/arrowsort/arrowsort/gpu/internal/onesweep"
	"github.com/arrowsort/arrowsort/gpu/internal/partition"
	"github.com/arrowsort/arrowsort/gpu/internal/strategy"
	"github.com/arrowsort/arrowsort/gpu/internal/topk"
	"github.com/arrowsort/arrowsort/keyencode"
)

// An argsorter computes the row numbers of a job's result.
type argsorter struct{ *keys.Columns }

// Run computes the row numbers of a job's result by its keys, and returns the plan of their codes if one was made:
// always where the job wants it. planned is called when the keys have been measured, or need not be.
func Run(c *keys.Columns, planned func()) (rows driver.Ptr, plan *keyencode.Plan) {
	s := &argsorter{c}
	job := s.describe()
	if strategy.Choose(&job)&(strategy.Cluster|strategy.Grid) == 0 {
		s.describeNumbers(&job)
	}
	var stats []keyencode.Statistics
	var varying uint64       // bits of the only key
	found := topk.Outcome(0) // of a select by the keys' types
	for !s.Failed() {
		kind := strategy.Choose(&job)
		switch kind {
		case strategy.Cluster, strategy.Grid:
			rows = s.sortInSingleLaunch()
		case strategy.TopK:
			rows, found = s.sortFirstByTypes()
		case strategy.Column:
			rows, stats, varying = s.sortColumn(job.TypeBits)
			job.Early = stats == nil
		case strategy.Keys, strategy.Codes, strategy.SmallCodes:
			rows = s.sortOneNumber(kind, &job)
		case strategy.Onesweep:
			rows = s.sortByDigits(varying, job.Declined)
		case strategy.Words:
			if stats == nil {
				stats = s.Measure(s.Job.Keys)
			}
			if plan = s.makePlan(s.Job.Keys, stats); plan == nil {
				return rows, nil
			}
			planned()
			if rows == 0 {
				rows = (&wordSorter{s, plan, found != topk.Misjudged, job.Declined}).sortAll()
			}
			return rows, plan
		case strategy.Text:
			texts := s.uploadKeys() // before other columns, which Measure begins to upload
			if job.WantsPlan {
				plan = s.makePlan(s.Job.Keys, s.Measure(s.Job.Keys))
			}
			planned()
			return s.sortByKeys(texts), plan
		}
		if rows != 0 && !job.WantsPlan {
			planned()
			return rows, nil
		}
		job.Declined |= kind
		if kind == strategy.Grid {
			s.describeNumbers(&job)
		}
	}
	return rows, nil
}

// IsOneKernel reports whether Run queues one kernel, and waits for nothing.
func IsOneKernel(c *keys.Columns) bool {
	job := (&argsorter{c}).describe()
	return strategy.Choose(&job) == strategy.Cluster
}

// describe returns what a sort in a single launch needs to know of the job, before its keys are read.
func (s *argsorter) describe() strategy.Job {
	list, columns := s.Job.Keys, s.Job.Columns
	job := strategy.Job{Rows: s.Rows, Out: s.Job.Out(), WantsPlan: s.Job.Plan, Tuning: s.Tuning, Device: s.Facts,
		Text: slices.ContainsFunc(list, s.isText)}
	if len(list) != 1 {
		return job
	}
	if layout, ok := keys.LayoutOf(&columns[list[0].Column]); ok {
		job.Direct = layout.Form != abi.FormNone && layout.Form != abi.FormDecimal
		if keys.IsNumber(layout) {
			job.Width = layout.Width
		}
	}
	return job
}

// describeNumbers adds what is known of the keys as one number. It takes a microsecond, which few rows would notice.
func (s *argsorter) describeNumbers(job *strategy.Job) {
	list, columns := s.Job.Keys, s.Job.Columns
	_, job.TypeBits, _ = keys.TypeWord(columns, list)
	fields := keys.TypeFields(columns, list)
	job.Numbers, job.OneColumn = fields != nil, keys.AsOneColumn(fields)
	if len(list) == 1 && job.TypeBits == 0 {
		_, job.LastNull = keys.TypeWordWithNulls(columns, list[0])
	}
}

// sortInSingleLaunch sorts by the only key. It returns 0 where a cooperative launch is refused, or declines a column of
// which it counts no digits.
func (s *argsorter) sortInSingleLaunch() driver.Ptr {
	key := s.Job.Keys[0]
	classes := uint64(incore.ClassesAtEnd)
	if key.Nulls == keyencode.NullsAtStart {
		classes = incore.ClassesAtStart
	}
	job := incore.Job{Source: s.typeSource(), Whole: s.WholeField(key), Classes: classes}
	// A grid counts the digits of such columns only if they have 4 bytes: others it splits as fast.
	if word, width, ok := keys.NullableWord(s.Job.Columns, key); ok && width == 32 {
		job.Source, job.CodesNull = onesweep.OfField(s.Task, s.Field(&word), s.Rows, width), true
	}
	rows, _ := incore.Sort(s.Task, job, s.Prefetch)
	return rows
}

// sortColumn sorts by the only key by partition and bucket sort. If the device declines, or a plan is wanted, it
// returns the key's statistics: if the device declined before it had any only the bits that vary, 0 if unknown.
func (s *argsorter) sortColumn(typeBits int) (rows driver.Ptr, stats []keyencode.Statistics, vary uint64) {
	key := s.Job.Keys[0]
	in := s.KeyInput(key)
	in.ChecksOrder, in.FixesPoint, in.Counts = !s.Job.Plan, !s.Job.Plan, s.Job.Plan
	rows, fixed := partition.Sort(s.Task, in, s.Rows, s.Prefetch)
	if fixed != nil {
		if rows = s.sortFixedPoint(&in, fixed); rows == 0 {
			in.FixesPoint = false
			rows, _ = partition.Sort(s.Task, in, s.Rows, s.Prefetch)
		}
	}
	if rows != 0 && !s.Job.Plan {
		return rows, nil, 0
	}
	report := s.WaitForReport()
	if report.Decision.Early != 0 {
		return rows, nil, partition.Varying(&report, typeBits)
	}
	return rows, []keyencode.Statistics{s.Statistics(key, &report.Statistics)}, 0
}

// sortOneNumber sorts by all keys as one number, of their types if these have no more values than 64 bits, else of
// ranges that a sample finds, and by what that number lacks. It returns 0 where the device declines, and where all
// numbers are equal.
func (s *argsorter) sortOneNumber(kind strategy.Kind, job *strategy.Job) (rows driver.Ptr) {
	fields, width, known := keys.TypeWord(s.Job.Columns, s.Job.Keys)
	if !known {
		fields, width = keys.TypeFields(s.Job.Columns, s.Job.Keys), 64
	}
	deviceFields := s.Fields(fields)
	encoded := func() onesweep.Source {
		return onesweep.OfCodes(s.Task, s.EncodeFields(deviceFields, 0, s.Rows), 0, s.Rows, width, s.Rows)
	}
	var src onesweep.Source
	var in abi.KeySource
	if kind == strategy.Keys {
		rests := make([]abi.Field, len(deviceFields)) // made by the device
		in = abi.Keys(device.Put(s.Task, slices.Concat(deviceFields, rests)...), len(deviceFields), width)
	} else {
		src = encoded()
		in = *abi.CodeColumn(src.Codes, 8, width)
	}
	if kind == strategy.SmallCodes {
		s.Prefetch()
		return sortCodes(s.Task, src, &in, job.Declined)
	}
	if rows, _ = partition.Sort(s.Task, in, s.Rows, s.Prefetch); rows == 0 {
		switch report := s.WaitForReport(); {
		case s.Failed():
		case report.Decision.Reason == abi.ReasonOrdered:
			rows = s.Iota(s.Rows, report.Statistics.Falls != 0)
		case report.Decision.Early != 0 && known:
			if src.Codes == 0 {
				src = encoded()
			}
			src.Varying = partition.Varying(&report, width)
			return sortCodes(s.Task, src, nil, job.Declined)
		}
	}
	s.Free(src.Codes)
	return rows
}

// sortByDigits sorts by all bits of the only key's type, of which some vary, 0 if they are unknown.
func (s *argsorter) sortByDigits(varying uint64, declined strategy.Kind) driver.Ptr {
	src := s.typeSource()
	src.Varying = varying
	s.Prefetch()
	return sortCodes(s.Task, src, nil, declined)
}

// typeSource is the only key as codes of its type; without a width where digit binning does not read these.
func (s *argsorter) typeSource() onesweep.Source {
	fields, width, ok := keys.TypeWord(s.Job.Columns, s.Job.Keys)
	if !ok || !keys.IsNumber(fields[0].Layout) {
		return onesweep.Source{N: s.Rows}
	}
	return onesweep.OfField(s.Task, s.Field(&fields[0]), s.Rows, width)
}

// makePlan plans codes of keys from their statistics. It returns nil on an error.
func (s *argsorter) makePlan(keys []keyencode.Key, stats []keyencode.Statistics) *keyencode.Plan {
	if s.Failed() {
		return nil
	}
	plan, err := keyencode.NewPlan(s.Job.Columns, keys, stats)
	s.Fail(err)
	return plan
}
