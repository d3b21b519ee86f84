package beamsort

import (
	"context"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
)

// A shardFn sorts the batches of a shard and writes its file.
type shardFn struct{ Settings []byte }

func (f *shardFn) ProcessElement(ctx context.Context, number int64, batches func(*[]byte) bool,
	emit func(Shard)) error {
	with, err := decodeSettings(f.Settings)
	if err != nil {
		return err
	}
	buffer := newShardBuffer(with.Options.memory()/bufferShare, with.Options.SpillDir)
	defer buffer.close()
	add := buffer.add
	if with.Shuffle != "" {
		add = buffer.refer
	}
	for b := []byte(nil); batches(&b); {
		if len(b) == 0 { // of emptyFn
			continue
		}
		if err := add(b); err != nil {
			return err
		}
	}
	shard, err := with.writeShard(ctx, int(number), buffer)
	if err == nil {
		emit(shard)
	}
	return err
}

// writeShard sorts the batches of a shard. The sorter gets them in the order of the inputs, so that ties keep it.
func (s *settings) writeShard(ctx context.Context, number int, buffer *shardBuffer) (shard Shard, err error) {
	o := &s.Options
	opts := parquetsort.SorterOptions{Memory: parquetsort.Memory{Budget: o.memory(), SpillDir: o.SpillDir,
		SpillCompression: parquetsort.Compression(o.SpillCompression)}, Run: parquetsort.Run{Threads: o.Threads}}
	if s.Shuffle == "" { // the rest is the buffer's
		opts.Memory.Budget = max(opts.Memory.Budget-opts.Memory.Budget/bufferShare, parquetsort.MinMemory)
	}
	if opts.Run.Engine, err = openEngine(o.Engine); err != nil {
		return shard, err
	}
	sorter, err := parquetsort.NewSorter(ctx, s.rows, s.Keys, opts)
	if err != nil {
		return shard, err
	}
	defer sorter.Close()
	err = buffer.each(func(rec arrow.Record) error { return sorter.Write(rec) })
	if err != nil {
		return shard, err
	}
	path := join(s.Output, shardName(number, s.Shards))
	var result *parquetsort.Result
	err = publish(ctx, path, s.Options.SpillDir, func(local string) error {
		result, err = sorter.WriteFile(local, parquetsort.Output{Format: parquetsort.Parquet,
			Compression: parquetsort.Compression(o.Compression), RowGroupRows: o.RowGroupRows, PageRows: o.PageRows})
		return err
	})
	if err != nil {
		return shard, err
	}
	return Shard{Number: int64(number) + 1, Path: path, Rows: result.Rows, Bytes: result.BytesOut}, nil
}
