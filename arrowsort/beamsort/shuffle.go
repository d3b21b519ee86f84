package beamsort

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"sync"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/atomicfile"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/ipc"
)

// shufflePrefix begins the names of shuffle folders. They are hidden, so that no reader of the output takes them for
// shards.
const shufflePrefix = ".arrowsort-shuffle-"

// shuffles are the shuffle folders of this process, by path.
var shuffles = struct {
	sync.Mutex
	folders map[string]*atomicfile.TempDir
}{folders: map[string]*atomicfile.TempDir{}}

// newShuffle creates the folder of the files in which rows travel, unless they travel through the runner, and removes
// folders of processes that were killed. This process locks the folder until it is removed.
func (o *Options) newShuffle(output string) (string, error) {
	dir := o.ShuffleDir
	switch {
	case o.RunnerShuffle || dir == "" && isRemote(output):
		return "", nil
	case dir == "":
		dir = output
	}
	dir, err := absolute(dir)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	folder, err := atomicfile.NewTempDir(dir, shufflePrefix)
	if err != nil {
		return "", err
	}
	shuffles.Lock()
	defer shuffles.Unlock()
	shuffles.folders[folder.Path()] = folder
	return folder.Path(), nil
}

// removeShuffle removes a shuffle folder.
func removeShuffle(path string) error {
	shuffles.Lock()
	defer shuffles.Unlock()
	folder := shuffles.folders[path]
	if folder == nil { // another process has made it
		return os.RemoveAll(path)
	}
	delete(shuffles.folders, path)
	return folder.Remove()
}

// Cleanup removes the files that failed pipelines of this process have left in Options.ShuffleDir. A pipeline that
// still runs fails.
func Cleanup() error {
	shuffles.Lock()
	paths := slices.Collect(maps.Keys(shuffles.folders))
	shuffles.Unlock()
	var errs []error
	for _, path := range paths {
		errs = append(errs, removeShuffle(path))
	}
	return errors.Join(errs...)
}

// A removeFn removes the shuffle folder when all shards are written.
type removeFn struct{ Folder string }

func (f *removeFn) ProcessElement(_ int, shards func(*Shard) bool) error {
	for s := (Shard{}); shards(&s); {
	}
	return removeShuffle(f.Folder)
}

// A sender sends batches to their shards: as elements or, with a file, as locations in it.
type sender struct {
	emit func(int64, []byte)
	file *batchFile
}

// newSender returns the sender of a part. The name of its file is unique, as a part may be read twice.
func (s *settings) newSender(emit func(int64, []byte)) (*sender, error) {
	if s.Shuffle == "" {
		return &sender{emit: emit}, nil
	}
	file, err := newBatchFile(s.Shuffle, "part-*")
	return &sender{emit, file}, err
}

// send takes over a batch.
func (s *sender) send(shard int64, b []byte) error {
	if s.file == nil {
		s.emit(shard, b)
		return nil
	}
	at, err := s.file.add(b)
	if err == nil {
		s.emit(shard, at.encode(b))
	}
	return err
}

// close completes the file.
func (s *sender) close() error {
	if s.file == nil {
		return nil
	}
	return s.file.file.Close()
}

// batchBytes is about the size of a batch: runners are slow with small elements and refuse large ones.
const batchBytes = 1 << 20

// positionBytes precede the Arrow stream of a batch. They compare as the positions do.
const positionBytes = 12

// A rowPosition says where a row, or the first row of a batch, comes from. A runner gives the batches of a shard in any
// order, so each carries its position.
type rowPosition struct {
	part   int64 // of the inputs, in the order of files and rows
	number int64 // of the row or the batch among those of the part
}

// append appends the position to bytes.
func (at rowPosition) append(b []byte) []byte {
	b = binary.BigEndian.AppendUint32(b, uint32(at.part))
	return binary.BigEndian.AppendUint64(b, uint64(at.number))
}

// encodeBatch encodes a record as an element.
func encodeBatch(at rowPosition, rec arrow.Record) ([]byte, error) {
	var b bytes.Buffer
	b.Write(at.append(nil))
	w, err := ipc.NewWriter(&b, rec.Schema(), ipc.Options{Allocator: memory.DefaultAllocator})
	if err != nil {
		return nil, err
	}
	if err := w.Write(rec); err != nil {
		return nil, err
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return b.Bytes(), nil
}

// decodeBatch returns the record of an element. The caller releases it.
func decodeBatch(b []byte) (arrow.Record, error) {
	if len(b) < positionBytes {
		return nil, fmt.Errorf("a batch of %d bytes", len(b))
	}
	stream := b[positionBytes:]
	r, err := ipc.OpenStream(bytes.NewReader(stream), int64(len(stream)), memory.DefaultAllocator)
	if err != nil {
		return nil, err
	}
	defer r.Release()
	rec, err := r.Next()
	if err != nil {
		return nil, fmt.Errorf("a batch without rows: %w", err)
	}
	rec.Retain()
	return rec, nil
}

// comparePositions compares the positions of two elements.
func comparePositions(a, b []byte) int { return bytes.Compare(a[:positionBytes], b[:positionBytes]) }

// oneRecord returns a table as a record. Columns have one chunk at most. The caller releases the record.
func oneRecord(table arrow.Table) (arrow.Record, error) {
	columns := make([]arrow.Array, table.NumCols())
	for i := range columns {
		data := table.Column(i).Data()
		switch len(data.Chunks()) {
		case 0:
			columns[i] = array.MakeArrayOfNull(memory.DefaultAllocator, data.DataType(), 0)
			defer columns[i].Release()
		case 1:
			columns[i] = data.Chunk(0)
		default:
			return nil, fmt.Errorf("column %q passes 2 GiB in a part of %d rows: give less memory, for smaller "+
				"pieces", table.Schema().Field(i).Name, table.NumRows())
		}
	}
	return array.NewRecord(table.Schema(), columns, table.NumRows()), nil
}
