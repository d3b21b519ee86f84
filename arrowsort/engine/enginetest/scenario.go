package enginetest

import (
	"context"
	"fmt"
	"hash/maphash"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/internal/testrun"
	"github.com/arrowsort/arrowsort/keyencode"
)

// A keySpec is a random key column and how it is ordered.
type keySpec struct {
	columnSpec
	order keyencode.Order
	place keyencode.NullPlacement
}

// A scenario describes a random job; the same seed makes the same job.
type scenario struct {
	seed    uint64
	rows    int
	keys    []keySpec
	payload []columnSpec
	limit   int
	threads int
}

func (s scenario) String() string {
	out := fmt.Sprintf("seed %d, %d rows, limit %d, %d threads", s.seed, s.rows, s.limit, s.threads)
	for _, k := range s.keys {
		out += fmt.Sprintf("; key %v order %d nulls %d", k.columnSpec, k.order, k.place)
	}
	for _, p := range s.payload {
		out += fmt.Sprintf("; payload %v", p)
	}
	return out
}

// job makes the scenario's job: the key columns, then the payload, nothing wanted yet.
func (s scenario) job() *engine.Job {
	r := rand.New(rand.NewPCG(s.seed, uint64(s.rows)))
	job := &engine.Job{Rows: s.rows, Limit: s.limit, Threads: s.threads}
	for i, k := range s.keys {
		job.Columns = append(job.Columns, column(r, k.columnSpec, s.rows))
		job.Keys = append(
			job.Keys, keyencode.Key{Column: i, Name: fmt.Sprint("key", i), Order: k.order, Nulls: k.place},
		)
	}
	for _, p := range s.payload {
		job.Columns = append(job.Columns, column(r, p, s.rows))
	}
	return job
}

// wanting is the job with other results wanted.
func wanting(job *engine.Job, rowNumbers int, gather ...int) *engine.Job {
	other := *job
	other.RowNumbers, other.Gather = rowNumbers, gather
	return &other
}

func allColumns(job *engine.Job) []int {
	all := make([]int, len(job.Columns))
	for i := range all {
		all[i] = i
	}
	return all
}

// shortShare is the number of scenarios of which a short run tries one.
const shortShare = 8

// check proves the engine on a scenario: row numbers of both sizes alone, gathered columns alone, and both. A short run
// does so for one scenario in shortShare, those that testrun.Seed chooses.
func (s scenario) check(t testing.TB, e engine.Engine) {
	t.Helper()
	if !testrun.Share(shortShare, s) {
		return
	}
	s.prove(t, e)
}

// prove is check for every scenario, in short runs too.
func (s scenario) prove(t testing.TB, e engine.Engine) {
	t.Helper()
	require.NoError(t, checkJob(t.Context(), e, s.job()), "%s: %v", e.Name(), s)
}

func checkJob(ctx context.Context, e engine.Engine, job *engine.Job) error {
	before := checksum(job)
	x := expect(job)
	rows, err := run(ctx, e, x, wanting(job, 8), nil)
	if err != nil {
		return fmt.Errorf("row numbers of 8 bytes: %w", err)
	}
	if _, err = run(ctx, e, x, wanting(job, 0, allColumns(job)...), rows); err != nil {
		return fmt.Errorf("gather alone: %w", err)
	}
	if _, err = run(ctx, e, x, wanting(job, 4), nil); err != nil {
		return fmt.Errorf("row numbers of 4 bytes: %w", err)
	}
	// A job of keys and payload often wants some columns only, in another order.
	last, size := len(job.Columns)-1, 4+4*(job.Rows%2)
	if _, err = run(ctx, e, x, wanting(job, size, last, 0), rows); err != nil {
		return fmt.Errorf("row numbers of %d bytes and gather: %w", size, err)
	}
	if checksum(job) != before {
		return fmt.Errorf("the engine wrote to the buffers of the job")
	}
	return nil
}

// run sorts the job and verifies the result; rows, when known already, are the order.
func run(ctx context.Context, e engine.Engine, x *expectation, job *engine.Job, rows []uint64) ([]uint64, error) {
	mem := newGuard()
	res, err := e.Sort(ctx, job, mem)
	if err != nil {
		return nil, err
	}
	got, err := rowNumbers(job, res)
	if err != nil {
		return nil, err
	}
	if job.RowNumbers > 0 {
		if err := x.verifyOrder(job, got); err != nil {
			return nil, err
		}
		rows = got
	}
	if err := x.verifyGather(job, res, rows); err != nil {
		return nil, err
	}
	res.Release(mem)
	return rows, mem.check()
}

var hashSeed = maphash.MakeSeed()

// checksum covers all buffers of the job.
func checksum(job *engine.Job) uint64 {
	var h maphash.Hash
	h.SetSeed(hashSeed)
	for _, c := range job.Columns {
		for _, chunk := range c.Chunks {
			h.Write(chunk.Validity)
			h.Write(chunk.Values)
			for _, d := range chunk.Data {
				h.Write(d)
			}
			for _, rank := range chunk.Ranks {
				h.Write(little(uint64(rank), 4))
			}
		}
	}
	return h.Sum64()
}
