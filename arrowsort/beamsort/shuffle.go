package beamsort

import (
	"errors"
	"maps"
	"os"
	"slices"
	"sync"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/atomicfile"
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
