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

// sortResident computes the row numbers of a column of which each GPU holds a share. They stay on the GPUs.
func (b *bench) sortResident(rows int) {
	mem := b.all.Allocator()
	job := randomJob(mem, keyencode.Int64, rows, 1)
	job.RowNumbers, job.Gather = 4, []int{0} // gathered by nobody, so that the column stays
	numbers := buffers.View[uint64](job.Columns[0].Chunks[0].Values)
	s := <-b.all.turn
	defer func() { b.all.turn <- s }()
	columns := make([]driver.Ptr, *tableDevices)
	order, sent := make([]uint32, rows), 0
	sort := func(keep bool) {
		t := multigpu.NewTeam(b.Context(), s.Peers, job, goMemory{}, b.all.options.ShareRows, &b.all.times)
		defer t.End()
		t.Gathered = job.Gather
		require.NoError(b, t.Divide())
		if columns[0] == 0 {
			b.uploadShares(t, columns)
		}
		for i, m := range t.Members {
			m.Share.OnDevice[0] = &keys.Column{Values: columns[i]}
		}
		for _, stage := range []func() error{t.Measure, t.Partition, t.ExchangeKeys} {
			require.NoError(b, stage())
		}
		sent = 0
		require.NoError(b, t.Each("sort", func(m *multigpu.Member) {
			for _, in := range m.Inboxes {
				t.SortRange(m, in)
				sorted := in.Sorted.Values(in.Numbers, 4)
				m.Free(in.Numbers)
				if m.Wait(); keep {
					m.Download(buffers.Bytes(order[in.Lo:in.Hi]), sorted)
					m.Wait()
				}
			}
		}))
		for _, m := range t.Members {
			for _, in := range m.Inboxes {
				_, own := in.RowsFrom(m)
				sent += 12 * (in.Received() - own)
			}
		}
	}
	sort(true)
	require.Zero(b, prove(order, ordered(numbers)), "rows that are wrong")
	share := b.sortShare(s, columns[0], rows / *tableDevices)
	took := b.median(func() { sort(false) })
	exchange := lasting(sent, b.exchange)
	b.report("argsort i64, resident", rows, took, share+exchange, 80,
		fmt.Sprintf("a share %.3f ms, %d bytes exchanged %.3f ms", share.Seconds()*1e3, sent, exchange.Seconds()*1e3))
	b.free(s, columns)
	mem.Free(job.Columns[0].Chunks[0].Values)
	mem.Trim()
}

// uploadShares uploads the only column of a job to memory that outlasts the sort.
func (b *bench) uploadShares(t *multigpu.Team, columns []driver.Ptr) {
	require.NoError(b, t.Each("upload", func(m *multigpu.Member) {
		p, err := m.Context.Alloc(8*m.Rows + device.Padding)
		m.Fail(err)
		columns[m.Number] = p
		keys.UploadValues(&m.Copier, p, m.Share.Job.Columns[0].Chunks, 8)
		m.Wait()
	}))
}

func (b *bench) free(s *device.Session, columns []driver.Ptr) {
	for i, peer := range s.Peers {
		leave, err := peer.Enter()
		require.NoError(b, err)
		require.NoError(b, peer.Free(columns[i]))
		leave()
	}
}

// sortShare times the sort of a share on the first GPU alone.
func (b *bench) sortShare(s *device.Session, values driver.Ptr, rows int) time.Duration {
	leave, err := s.Enter()
	require.NoError(b, err)
	defer leave()
	chunk := keyencode.Chunk{Rows: rows}
	job := &engine.Job{Rows: rows, Keys: []keyencode.Key{{}},
		Columns: []keyencode.Column{{Kind: keyencode.Int64, Chunks: []keyencode.Chunk{chunk}}}}
	return b.median(func() {
		t := device.NewTask(b.Context(), s, 0)
		defer t.End()
		alone := keys.NewColumns(t, job, nil, nil)
		alone.OnDevice[0] = &keys.Column{Values: values}
		argsort.Run(alone, func() {})
		require.NoError(b, t.Wait())
	})
}
