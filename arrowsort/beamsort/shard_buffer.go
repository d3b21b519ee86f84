package beamsort

import (
	"encoding/binary"
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

// A spool is a file of batches, one after the other.
type spool struct {
	file *os.File
	end  int64
}

// newSpool makes a file in a folder.
func newSpool(folder, pattern string) (*spool, error) {
	file, err := os.CreateTemp(folder, pattern)
	if err != nil {
		return nil, err
	}
	return &spool{file: file}, nil
}

// add appends a batch.
func (s *spool) add(b []byte) (reference, error) {
	if _, err := s.file.Write(b); err != nil {
		return reference{}, err
	}
	at := reference{s.file.Name(), s.end, int64(len(b))}
	s.end += at.size
	return at, nil
}

// remove removes the file.
func (s *spool) remove() error {
	s.file.Close() // its error is that of a file that nobody reads
	return os.Remove(s.file.Name())
}

// A reference is where a batch is.
type reference struct {
	path         string
	offset, size int64
}

const referenceBytes = 16 // and the path

// encode is a reference as an element, with the place of the batch.
func (r reference) encode(place []byte) []byte {
	b := make([]byte, 0, placeBytes+referenceBytes+len(r.path))
	b = append(b, place[:placeBytes]...)
	b = binary.BigEndian.AppendUint64(b, uint64(r.offset))
	b = binary.BigEndian.AppendUint64(b, uint64(r.size))
	return append(b, r.path...)
}

func decodeReference(b []byte) (reference, error) {
	if len(b) <= placeBytes+referenceBytes {
		return reference{}, fmt.Errorf("a reference of %d bytes", len(b))
	}
	b = b[placeBytes:]
	return reference{string(b[referenceBytes:]), int64(binary.BigEndian.Uint64(b)),
		int64(binary.BigEndian.Uint64(b[8:]))}, nil
}

// A spoolReader reads batches of spools, of which it has one open.
type spoolReader struct{ file *os.File }

func (r *spoolReader) read(at reference) (b []byte, err error) {
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

func (r *spoolReader) close() {
	if r.file != nil {
		r.file.Close()
		r.file = nil
	}
}
