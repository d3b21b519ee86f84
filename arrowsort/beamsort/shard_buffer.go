package beamsort

import (
	"fmt"
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
	spool   *spool // nil: nothing passed the memory
}

// A shelved is a batch, or its place and where it is.
type shelved struct {
	bytes []byte
	at    reference // without a path: it is in memory
}

func newShelf(memory int64, folder string) *shelf { return &shelf{memory: memory, folder: folder} }

// add takes a batch over.
func (s *shelf) add(b []byte) (err error) {
	if len(b) < placeBytes {
		return fmt.Errorf("a batch of %d bytes", len(b))
	}
	if s.memory -= int64(len(b)); s.memory >= 0 {
		s.batches = append(s.batches, shelved{bytes: b})
		return nil
	}
	if s.spool == nil {
		if s.spool, err = newSpool(s.folder, "arrowsort-shelf-*"); err != nil {
			return err
		}
	}
	at, err := s.spool.add(b)
	if err != nil {
		return fmt.Errorf("spilling a batch: %w", err)
	}
	s.batches = append(s.batches, shelved{slices.Clone(b[:placeBytes]), at})
	return nil
}

// refer takes the reference to a batch over.
func (s *shelf) refer(b []byte) error {
	at, err := decodeReference(b)
	if err == nil {
		s.batches = append(s.batches, shelved{b[:placeBytes], at})
	}
	return err
}

// each passes the batches to use in the order of the inputs, and forgets them.
func (s *shelf) each(use func(rec arrow.Record) error) error {
	slices.SortFunc(s.batches, func(a, b shelved) int { return comparePlaces(a.bytes, b.bytes) })
	var files spoolReader
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
func (s *shelf) close() {
	if s.spool != nil {
		s.spool.remove()
	}
}
