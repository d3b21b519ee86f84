//go:build cuda && devices && linux && amd64

package gpu

import (
	"fmt"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/gpu/internal/argsort"
	"github.com/arrowsort/arrowsort/gpu/internal/device"
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/gpu/internal/keys"
	"github.com/arrowsort/arrowsort/gpu/internal/multigpu"
	"github.com/arrowsort/arrowsort/internal/buffers"
	"github.com/arrowsort/arrowsort/keyencode"
)

// A residentSort computes the row numbers of a column of which each GPU of an engine holds a share. They stay on the
// GPUs.
type residentSort struct {
	*bench
	s       *session
	job     *engine.Job
	columns []driver.Ptr // of the shares
	order   []uint32     // nil: the row numbers are not downloaded
	sent    int          // bytes, between GPUs
}

// sortResident times the row numbers of random numbers on one GPU and on more.
func (b *bench) sortResident(rows int) (took time.Duration) {
	mem := b.all.Allocator()
	job := randomJob(mem, keyencode.Int64, rows, 1)
	job.RowNumbers, job.Gather = 4, []int{0} // gathered by nobody, so that the column stays
	var share time.Duration
	var sent int
	took = b.onEach("argsort i64, resident", rows, func(e *Engine) time.Duration {
		s := <-e.turn
		defer func() { e.turn <- s }()
		r := residentSort{bench: b, s: s, job: job, columns: make([]driver.Ptr, len(s.Peers))}
		r.order = make([]uint32, rows)
		r.upload()
		defer r.free()
		sort := func() { r.alone(rows) }
		if len(s.Peers) > 1 {
			sort = r.shared
		}
		sort()
		numbers := buffers.View[uint64](job.Columns[0].Chunks[0].Values)
		require.Zero(b, prove(r.order, ordered(numbers)), "rows that are wrong")
		r.order = nil
		share = b.median(func() { r.alone(rows / len(s.Peers)) })
		took := b.median(sort)
		sent = r.sent
		return took
	})
	exchange := lasting(sent, b.exchange)
	b.report("argsort i64, resident", rows, took, share+exchange, 80,
		fmt.Sprintf("a share %.3f ms, %d bytes exchanged %.3f ms", share.Seconds()*1e3, sent, exchange.Seconds()*1e3))
	mem.Free(job.Columns[0].Chunks[0].Values)
	mem.Trim()
	return took
}

// team returns the devices with their shares of the rows, which lie on them already but for an upload.
func (r *residentSort) team() *multigpu.Team {
	t := multigpu.NewTeam(r.Context(), r.s.Peers, r.job, goMemory{}, r.all.options.ShareRows, &r.all.times)
	t.Gathered = r.job.Gather
	require.NoError(r, t.Divide())
	for i, m := range t.Members {
		m.Share.OnDevice[0] = &keys.Column{Values: r.columns[i]}
	}
	return t
}

// upload uploads the shares to memory that outlasts the sorts.
func (r *residentSort) upload() {
	t := r.team()
	defer t.End()
	require.NoError(r, t.Each("upload", func(m *multigpu.Member) {
		p, err := m.Context.Alloc(8*m.Rows + device.Padding)
		m.Fail(err)
		r.columns[m.Number] = p
		keys.UploadValues(&m.Copier, p, m.Share.Job.Columns[0].Chunks, 8)
		m.Wait()
	}))
}

func (r *residentSort) free() {
	for i, peer := range r.s.Peers {
		leave, err := peer.Enter()
		require.NoError(r, err)
		require.NoError(r, peer.Free(r.columns[i]))
		leave()
	}
}

// shared sorts on all GPUs of the engine.
func (r *residentSort) shared() {
	t := r.team()
	defer t.End()
	for _, stage := range []func() error{t.Measure, t.Partition, t.ExchangeKeys} {
		require.NoError(r, stage())
	}
	require.NoError(r, t.Each("sort", func(m *multigpu.Member) {
		for _, in := range m.Inboxes {
			t.SortRange(m, in)
			sorted := in.Sorted.Values(in.Numbers, 4)
			m.Free(in.Numbers)
			if m.Wait(); r.order != nil {
				m.Download(buffers.Bytes(r.order[in.Lo:in.Hi]), sorted)
				m.Wait()
			}
		}
	}))
	r.sent = 0
	for _, m := range t.Members {
		for _, in := range m.Inboxes {
			_, own := in.RowsFrom(m)
			r.sent += 12 * (in.Received() - own)
		}
	}
}

// alone sorts the first rows of the first GPU on it alone.
func (r *residentSort) alone(rows int) {
	leave, err := r.s.Enter()
	require.NoError(r, err)
	defer leave()
	job := &engine.Job{Rows: rows, Keys: r.job.Keys,
		Columns: []keyencode.Column{{Kind: keyencode.Int64, Chunks: []keyencode.Chunk{{Rows: rows}}}}}
	t := device.NewTask(r.Context(), r.s, 0)
	defer t.End()
	columns := keys.NewColumns(t, job, nil, nil)
	columns.OnDevice[0] = &keys.Column{Values: r.columns[0]}
	order, _ := argsort.Run(columns, func() {})
	if r.order != nil {
		t.Download(buffers.Bytes(r.order), order)
	}
	require.NoError(r, t.Wait())
}
