package keys

import (
	"cmp"
	"slices"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/internal/workers"
	"github.com/arrowsort/arrowsort/keyencode"
)

// SmallRows is the largest number of rows that one worker sorts without a partition.
const SmallRows = 1 << 15

// TileRows is the number of rows that a worker takes at a time.
const TileRows = 1 << 16

// Keys are the keys of a job: their columns, the plan of their codes, and what a sample shows of these.
type Keys struct {
	Columns      []keyencode.Column // of the job, then the indices of dictionaries
	Keys         []keyencode.Key
	Rows         int
	Plan         *keyencode.Plan
	Dictionaries map[int]*Dictionary // by the columns of the job that they encode

	explain    bool            // the plan is asked for, with statistics
	described  *keyencode.Plan // of the keys as they are, where strings are encoded; nil: Plan
	unmeasured bool            // Plan has no statistics, which ways for rows that are not nearly sorted need
	sample     []uint64        // see Sample
}

// A Dictionary is that of a key of which few strings are distinct. Its indices are the ranks of the strings: they are
// the codes of the key, and move in the place of strings of variable length. Each distinct string is read once when the
// result is written, however many rows have it.
type Dictionary struct {
	Indices keyencode.Column // of each row, from 1 on; 0 is null
	Rows    []uint32         // a row of each index
	Column  int              // the place of Indices among the columns of Keys
}

// New returns the keys of a job, which have no plan yet.
func New(job *engine.Job) *Keys {
	return &Keys{Columns: job.Columns, Keys: job.Keys, Rows: job.Rows, explain: job.Plan}
}

// measureRows is the number of rows that one worker measures before it looks at the context again.
const measureRows = 1 << 15

// Measure makes the plan: from statistics, for which it reads the keys once, unless a sample shows that they would not
// shorten the codes, or that the rows may be nearly sorted, which needs no short ones. nearly says that a way for
// nearly sorted rows may be taken.
func (k *Keys) Measure(pool *workers.Pool, nearly bool) error {
	if k.Rows > SmallRows && !k.explain && k.planWords() && k.Columns[k.Keys[0].Column].ValueBytes() == 8 {
		if fillsWord(k.Sample()) {
			return nil
		}
		// statistics find rows that are in order
		k.unmeasured = nearly && k.MostlyRising() && !slices.IsSorted(k.Sample())
		if k.unmeasured {
			return nil
		}
	}
	return k.MeasureAll(pool)
}

// MeasureWords is Measure for rows that are only compared: a single key whose values are words takes no statistics.
func (k *Keys) MeasureWords(pool *workers.Pool) error {
	if k.planWords() {
		return nil
	}
	return k.Measure(pool, false)
}

// planWords makes the plan of a single key whose values are words.
func (k *Keys) planWords() bool {
	if len(k.Keys) != 1 {
		return false
	}
	plan, ok := keyencode.NewWordPlan(k.Columns, k.Keys[0])
	if ok {
		k.setPlan(plan)
	}
	return ok
}

func (k *Keys) setPlan(p *keyencode.Plan) { k.Plan, k.sample, k.unmeasured = p, nil, false }

// Measured reports whether the plan has statistics, or needs none.
func (k *Keys) Measured() bool { return !k.unmeasured }

// Described returns the plan of the keys as the job has them.
func (k *Keys) Described() *keyencode.Plan { return cmp.Or(k.described, k.Plan) }

// MeasureAll makes the plan from statistics.
func (k *Keys) MeasureAll(pool *workers.Pool) error {
	stats := make([]keyencode.Statistics, len(k.Keys))
	for i, key := range k.Keys {
		c := &k.Columns[key.Column]
		if k.Rows <= SmallRows {
			stats[i] = keyencode.Measure(c, key, 0, k.Rows)
			continue
		}
		parts := make([]keyencode.Statistics, (k.Rows+measureRows-1)/measureRows)
		err := pool.Tiles(k.Rows, measureRows, func(_, lo, hi int) {
			parts[lo/measureRows] = keyencode.Measure(c, key, lo, hi)
			pool.Advance((hi - lo) / len(stats))
		})
		if err != nil {
			return err
		}
		stats[i] = parts[0]
		for j := range parts[1:] {
			stats[i].Merge(&parts[j+1])
		}
	}
	plan, err := keyencode.NewPlan(k.Columns, k.Keys, stats)
	k.setPlan(plan)
	return err
}

// Source returns the rows of the input.
func (k *Keys) Source() Source { return NewInput(k.Plan) }

// Sample returns the codes of a sample of all rows, in the order of the rows. It is made once for a plan.
func (k *Keys) Sample() []uint64 {
	if k.sample == nil {
		k.sample = Sample(k.Source(), k.Rows)
	}
	return k.sample
}

// Leading returns the first n keys alone, by the statistics of all.
func (k *Keys) Leading(n int) (*Keys, error) {
	stats := make([]keyencode.Statistics, n)
	for i := range stats {
		stats[i] = k.Plan.Statistics(i)
	}
	plan, err := keyencode.NewPlan(k.Columns, k.Keys[:n], stats)
	if err != nil {
		return nil, err
	}
	return &Keys{Columns: k.Columns, Keys: k.Keys[:n], Rows: k.Rows, Plan: plan}, nil
}

// SampleOf returns a sample of rows 0..n-1 of a source, in order of the codes.
func (k *Keys) SampleOf(src Source, n int) []uint64 {
	var codes []uint64
	if n == k.Rows && src == k.Source() {
		codes = slices.Clone(k.Sample())
	} else {
		codes = Sample(src, n)
	}
	slices.Sort(codes)
	return codes
}

// MostlyRising reports whether so few sampled codes are below their predecessors that most rows may be in order.
func (k *Keys) MostlyRising() bool { return CountDescents(k.Sample()) <= len(k.Sample())/8 }

// Sample encodes a row in each of many strata, equal ranges of n rows, in their order.
func Sample(src Source, n int) []uint64 {
	rows := SampledRows(n)
	codes := make([]uint64, len(rows))
	src.EncodeRows(codes, 0, rows)
	return codes
}

// SampledRows returns the rows of a sample of n.
func SampledRows(n int) []uint32 {
	rows := make([]uint32, max(min(n, 64), min(n/16, max(4096, min(n/2048, 1<<15)))))
	SpreadRows(rows, n)
	return rows
}

// SpreadRows writes a row of each of len(rows) strata, equal ranges of n rows.
func SpreadRows(rows []uint32, n int) {
	state := uint64(0x9e3779b97f4a7c15)
	for i := range rows {
		lo, hi := Stratum(n, i, len(rows))
		state = state*6364136223846793005 + 1442695040888963407
		rows[i] = uint32(uint64(lo) + (state>>33)%uint64(max(1, hi-lo)))
	}
}

// Stratum returns the rows lo..hi-1 of the i-th of m equal ranges of n rows.
func Stratum(n, i, m int) (lo, hi int) {
	return int(uint64(n) * uint64(i) / uint64(m)), int(uint64(n) * uint64(i+1) / uint64(m))
}

// CountDescents returns the number of codes that are below their predecessors.
func CountDescents(codes []uint64) (descents int) {
	for i := 1; i < len(codes); i++ {
		if codes[i] < codes[i-1] {
			descents++
		}
	}
	return descents
}

// fillsWord reports whether the codes of a sample vary in nearly all of 64 bits and are in no order.
func fillsWord(codes []uint64) bool {
	return slices.Max(codes)-slices.Min(codes) > 1<<62 && !slices.IsSorted(codes) && !strictlyDescending(codes)
}

// strictlyDescending reports whether every code is below its predecessor.
func strictlyDescending(codes []uint64) bool {
	for i := 1; i < len(codes); i++ {
		if codes[i] >= codes[i-1] {
			return false
		}
	}
	return true
}
