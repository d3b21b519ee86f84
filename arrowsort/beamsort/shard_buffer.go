package beamsort

import (
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"

	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
)

// bufferShare divides the memory of a step: one part of it holds the batches of a shard before they are sorted.
const bufferShare = 4

// A shardBuffer collects the batches of a shard, which come in any order, and returns them in that of the inputs.
// Batches that exceed its memory are written to a file.
type shardBuffer struct {
	memory  int64
	folder  string
	batches []bufferedBatch
	file    *batchFile // nil: the memory has sufficed
}

// A bufferedBatch is a batch in memory, or its position in the inputs and its location in a file.
type bufferedBatch struct {
	bytes []byte
	at    batchLocation // the path is empty if the batch is in memory
}

func newShardBuffer(memory int64, folder string) *shardBuffer {
	return &shardBuffer{memory: memory, folder: folder}
}

// add takes over a batch.
func (s *shardBuffer) add(b []byte) (err error) {
	if len(b) < positionBytes {
		return fmt.Errorf("a batch of %d bytes", len(b))
	}
	if s.memory -= int64(len(b)); s.memory >= 0 {
		s.batches = append(s.batches, bufferedBatch{bytes: b})
		return nil
	}
	if s.file == nil {
		if s.file, err = newBatchFile(s.folder, "arrowsort-batches-*"); err != nil {
			return err
		}
	}
	at, err := s.file.add(b)
	if err != nil {
		return fmt.Errorf("spilling a batch: %w", err)
	}
	s.batches = append(s.batches, bufferedBatch{slices.Clone(b[:positionBytes]), at})
	return nil
}

// refer takes over the location of a batch.
func (s *shardBuffer) refer(b []byte) error {
	at, err := decodeLocation(b)
	if err == nil {
		s.batches = append(s.batches, bufferedBatch{b[:positionBytes], at})
	}
	return err
}

// each passes the batches to use in the order of the inputs, and drops them.
func (s *shardBuffer) each(use func(rec arrow.Record) error) error {
	slices.SortFunc(s.batches, func(a, b bufferedBatch) int { return comparePositions(a.bytes, b.bytes) })
	var files batchFileReader
	defer files.close()
	for i, batch := range s.batches {
		b := batch.bytes
		if batch.at.path != "" {
			var err error
			if b, err = files.read(batch.at); err != nil {
				return fmt.Errorf("reading a batch: %w", err)
			}
		}
		s.batches[i].bytes = nil
		rec, err := decodeBatch(b)
		if err != nil {
			return err
		}
		err = use(rec)
		rec.Release()
		if err != nil {
			return err
		}
	}
	s.batches = nil
	return nil
}

// close removes the file.
func (s *shardBuffer) close() {
	if s.file != nil {
		s.file.remove()
	}
}

// A batchFile is a temporary file of batches, one after the other.
type batchFile struct {
	file *os.File
	end  int64
}

// newBatchFile creates a file in a folder.
func newBatchFile(folder, pattern string) (*batchFile, error) {
	file, err := os.CreateTemp(folder, pattern)
	if err != nil {
		return nil, err
	}
	return &batchFile{file: file}, nil
}

// add appends a batch.
func (s *batchFile) add(b []byte) (batchLocation, error) {
	if _, err := s.file.Write(b); err != nil {
		return batchLocation{}, err
	}
	at := batchLocation{s.file.Name(), s.end, int64(len(b))}
	s.end += at.size
	return at, nil
}

// remove removes the file.
func (s *batchFile) remove() error {
	s.file.Close() // the file is not read again, so its error does not matter
	return os.Remove(s.file.Name())
}

// A batchLocation says where a batch is: the file, and the range of its bytes.
type batchLocation struct {
	path         string
	offset, size int64
}

const locationBytes = 16 // and the path

// encode encodes the location as an element, after the position of the batch.
func (r batchLocation) encode(position []byte) []byte {
	b := make([]byte, 0, positionBytes+locationBytes+len(r.path))
	b = append(b, position[:positionBytes]...)
	b = binary.BigEndian.AppendUint64(b, uint64(r.offset))
	b = binary.BigEndian.AppendUint64(b, uint64(r.size))
	return append(b, r.path...)
}

func decodeLocation(b []byte) (batchLocation, error) {
	if len(b) <= positionBytes+locationBytes {
		return batchLocation{}, fmt.Errorf("a location of %d bytes", len(b))
	}
	b = b[positionBytes:]
	return batchLocation{string(b[locationBytes:]), int64(binary.BigEndian.Uint64(b)),
		int64(binary.BigEndian.Uint64(b[8:]))}, nil
}

// A batchFileReader reads batches of several files. It keeps the last file open.
type batchFileReader struct{ file *os.File }

func (r *batchFileReader) read(at batchLocation) (b []byte, err error) {
	if r.file == nil || r.file.Name() != at.path {
		r.close()
		if r.file, err = os.Open(at.path); err != nil {
			return nil, err
		}
	}
	b = make([]byte, at.size)
	if _, err := r.file.ReadAt(b, at.offset); err != nil {
		return nil, fmt.Errorf("%s: %w", at.path, err)
	}
	return b, nil
}

func (r *batchFileReader) close() {
	if r.file != nil {
		r.file.Close()
		r.file = nil
	}
}

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
