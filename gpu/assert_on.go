//go:build assert && cuda && linux && amd64

package gpu

import "fmt"

// assertPermutation fails the sort unless the row numbers on the device are distinct and below the number of input rows.
// Otherwise a gather would read out of bounds or return a row twice.
func (s *sorter) assertPermutation() {
	if s.out == 0 || s.failed() {
		return
	}
	seen, wrong := s.zeros(s.rows/8+8), s.zeros(16)
	s.launch("check_permutation", s.blocks(s.out),
		uint64(s.order), uint64(s.out), uint64(s.rows), uint64(seen), uint64(wrong))
	found := s.words(wrong, 2)
	s.free(seen, wrong)
	if found[0] != 0 {
		s.fail(fmt.Errorf("gpu: assertion failed: %d of %d row numbers are repeated or not below %d, the first at position %d",
			found[0], s.out, s.rows, ^found[1]))
	}
}
