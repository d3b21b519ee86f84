package beamsort

import (
	"errors"
	"maps"
	"os"
	"slices"
	"sync"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/atomicfile"
)

// shufflePrefix is that of shuffle folders: hidden ones, which no reader of the output takes for shards.
const shufflePrefix = ".arrowsort-shuffle-"

// shuffles are the shuffle folders that this process has made, by their paths.
var shuffles = struct {
	sync.Mutex
	folders map[string]*atomicfile.Folder
}{folders: map[string]*atomicfile.Folder{}}

// newShuffle makes the folder in which the rows of a pipeline travel, if they do so in files, and removes those of
// processes that were killed. It is locked by this process until it is removed.
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
	folder, err := atomicfile.NewFolder(dir, shufflePrefix)
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

// Cleanup removes the files of Options.ShuffleDir that pipelines of this process have left because they failed. One
// that still runs fails after it.
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

// A sender sends batches to their shards: as elements or, with a file, as references to it.
type sender struct {
	emit func(int64, []byte)
	file *spool
}

// newSender sends the batches of a part. The name of its file is unique, as a part may be read twice.
func (s *settings) newSender(emit func(int64, []byte)) (*sender, error) {
	if s.Shuffle == "" {
		return &sender{emit: emit}, nil
	}
	file, err := newSpool(s.Shuffle, "part-*")
	return &sender{emit, file}, err
}

// send takes a batch over.
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
