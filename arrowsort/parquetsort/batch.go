package parquetsort

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/engine"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/arraydata"
	"github.com/arrowsort/arrowsort/keyencode"
)

// A batch is rows of a sorted source in memory, with their keys as raw columns.
type batch struct {
	table arrow.Table
	first int // rows before it were given out
	rows  int
	bytes int64
	keys  []keyencode.Column
	stats keyStatistics
	mem   heldMemory      // of the keys
	plan  *keyencode.Plan // on the keys, of this round
}

// newBatch takes the table over.
func newBatch(ctx context.Context, table arrow.Table, keys []arrowsort.Key, opts *Options) (*batch, error) {
	b := &batch{table: table, rows: int(table.NumRows()), bytes: arraydata.TableBytes(table),
		mem: heldMemory{Allocator: opts.Allocator}}
	err := keyColumns(ctx, table, keys, &b.mem, func(job *engine.Job) error {
		b.keys = job.Columns
		b.stats.measure(job)
		return nil
	})
	if err != nil {
		b.release()
		return nil, err
	}
	return b, nil
}

// code is a row as code words, which compare as the rows do. Words that cannot decide any more are left out.
func (b *batch) code(row int) []uint64 {
	var words []uint64
	rows := [1]uint32{uint32(row)}
	for number := 0; number < b.plan.Words(); {
		var word [1]uint64
		b.plan.EncodeRows(word[:], number, rows[:])
		words = append(words, word[0])
		number = b.plan.Next(number, word[0])
	}
	return words
}

func (b *batch) release() {
	b.mem.release()
	b.table.Release()
}
