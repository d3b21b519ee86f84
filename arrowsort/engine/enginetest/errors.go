package enginetest

import (
	"encoding/binary"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/keyencode"
)

// testErrors gives jobs that no engine can do.
func testErrors(t *testing.T, e suite) {
	short := busy(100)
	short.Columns[2].Chunks[0].Rows--
	unknown, unknownKey := busy(100), busy(100)
	unknown.Columns[2].Kind = 200
	unknownKey.Columns[0].Kind = keyencode.Dictionary64 + 1
	unknownKey.Gather = nil
	type failure struct {
		name string
		job  *engine.Job
		want error
	}
	cases := []failure{
		{"a column of fewer rows", short, engine.ErrRows}, {"an unknown kind", unknown, engine.ErrKind},
		{"an unknown kind of key", unknownKey, engine.ErrKind},
		{"strings of more than 2 GiB", manyBytes(), engine.ErrOffsets},
	}
	if rows := uint64(1) << 32; strconv.IntSize > 32 { // no narrower int holds them
		cases = append(cases, failure{"2^32 rows", &engine.Job{Rows: int(rows), Keys: []keyencode.Key{{}},
			Columns: []keyencode.Column{{Chunks: []keyencode.Chunk{{Rows: int(rows)}}}}}, engine.ErrRows})
	}
	for _, c := range cases {
		mem := newGuard()
		res, err := e.Sort(t.Context(), c.job, mem)
		require.ErrorIs(t, err, c.want, c.name)
		require.Nil(t, res, c.name)
		require.NoError(t, mem.check(), c.name)
	}
}

// manyBytes gathers strings of 2 GiB and a little, all of them the same bytes of the input.
func manyBytes() *engine.Job {
	const size, rows = 1 << 20, 2050
	text := make([]byte, size)
	offsets := binary.LittleEndian.AppendUint32(make([]byte, 4), size)
	job := &engine.Job{Rows: rows, Gather: []int{1}, Keys: []keyencode.Key{{Column: 0}}}
	numbers := make([]byte, 2*rows)
	for i := range rows {
		binary.LittleEndian.PutUint16(numbers[2*i:], uint16(rows-i))
	}
	strings := keyencode.Column{Kind: keyencode.Binary}
	for range rows {
		strings.Chunks = append(strings.Chunks, keyencode.Chunk{Rows: 1, Values: offsets, Data: [][]byte{text}})
	}
	job.Columns = []keyencode.Column{
		{Kind: keyencode.Uint16, Chunks: []keyencode.Chunk{{Rows: rows, Values: numbers}}}, strings,
	}
	return job
}
