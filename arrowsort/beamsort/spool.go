package beamsort

import (
	"encoding/binary"
	"fmt"
	"os"
)

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
