//go:build cuda && linux && amd64

package gpu

import "github.com/arrowsort/arrowsort/gpu/internal/driver"

// A delivery is something that kernels have made, on its way to the host.
type delivery struct {
	src     driver.Ptr
	dst     []byte
	made    driver.Event // passed when it is there
	brought driver.Event // passed when it is on the host, or in pinned memory
}

// deliver has what kernels make at src brought to the host by flush, and src freed. dst is full after settle.
func (s *sorter) deliver(dst []byte, src driver.Ptr) {
	if len(dst) < thresholds.lateBytes {
		s.download(dst, src)
		s.free(src)
		return
	}
	d := delivery{src: src, dst: dst, made: s.event(), brought: s.event()}
	if s.failed() {
		return
	}
	s.fail(s.Record(d.made))
	s.ready = append(s.ready, d)
}

// flush puts what is ready into the stream that goes down.
func (s *sorter) flush() {
	for _, d := range s.ready {
		if s.failed() {
			break
		}
		s.down.fail(s.down.After(d.made))
		s.down.download(d.dst, d.src)
		s.down.fail(s.down.Record(d.brought))
		s.fail(s.down.err)
		s.leaving = append(s.leaving, d)
	}
	s.ready = nil
}

// retire frees what is on its way to the host, all but the newest few: kernels that use the memory again wait until it
// has left.
func (s *sorter) retire(newest int) {
	for len(s.leaving) > newest {
		d := s.leaving[0]
		s.leaving = s.leaving[1:]
		if !s.failed() {
			s.fail(s.After(d.brought))
		}
		s.free(d.src)
	}
}

// settle waits until everything is on the host.
func (s *sorter) settle() error {
	s.flush()
	s.fail(s.down.wait())
	s.retire(0)
	return s.wait()
}
