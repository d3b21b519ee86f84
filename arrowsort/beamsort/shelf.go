package beamsort

import (
	"fmt"
	"os"
	"slices"

	"github.com/apache/arrow/go/v15/arrow"
)

// shelfShare is the part of the memory of a step that the batches of a shard get before they are sorted.
const shelfShare = 4

// A shelf holds the batches of a shard, which come in any order, and gives them back in that of the inputs. What passes
// its memory is in a file.
type shelf struct {
	memory  int64
	folder  string
	batches []shelved
	file    *os.File // nil: all is in memory
	end     int64    // of the file
}

// A shelved is a batch, or its place in the input and in the file.
type shelved struct {
	bytes  []byte
	offset int64
	size   int // in the file; 0: it is in memory
}

func newShelf(memory int64, folder string) *shelf { return &shelf{memory: memory, folder: folder} }

// add takes a batch over.
func (s *shelf) add(b []byte) error {
	if len(b) < placeBytes {
		return fmt.Errorf("a batch of %d bytes", len(b))
	}
	if s.memory -= int64(len(b)); s.memory >= 0 {
		s.batches = append(s.batches, shelved{bytes: b})
		return nil
	}
	if s.file == nil {
		var err error
		if s.file, err = os.CreateTemp(s.folder, "arrowsort-shelf-*"); err != nil {
			return err
		}
	}
	if _, err := s.file.Write(b); err != nil {
		return fmt.Errorf("spilling a batch: %w", err)
	}
	s.batches = append(s.batches, shelved{slices.Clone(b[:placeBytes]), s.end, len(b)})
	s.end += int64(len(b))
	return nil
}

// each passes the batches to use in the order of the inputs, and forgets them.
func (s *shelf) each(use func(rec arrow.Record) error) error {
	slices.SortFunc(s.batches, func(a, b shelved) int { return comparePlaces(a.bytes, b.bytes) })
	for i := range s.batches {
		b := s.batches[i].bytes
		if size := s.batches[i].size; size > 0 {
			b = make([]byte, size)
			if _, err := s.file.ReadAt(b, s.batches[i].offset); err != nil {
				return fmt.Errorf("reading a spilled batch: %w", err)
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
func (s *shelf) close() {
	if s.file != nil {
		s.file.Close()
		os.Remove(s.file.Name())
	}
}
