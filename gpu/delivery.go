//go:build cuda && linux && amd64

package gpu

import "github.com/arrowsort/arrowsort/gpu/internal/driver"

// A delivery is the output of kernels on its way to the host.
type delivery struct {
	src      driver.Ptr
	dst      []byte
	computed driver.Event // recorded after the kernels
	brought  driver.Event // recorded after the copy to the host or to pinned memory
}

// deliver makes flush download the output of kernels at src to dst and free src. dst is complete after settle.
func (s *sorter) deliver(dst []byte, src driver.Ptr) {
	if len(dst) < s.tuning.LateBytes {
		s.Download(dst, src)
		s.free(src)
		return
	}
	d := delivery{src: src, dst: dst, computed: s.event(), brought: s.event()}
	if s.Record(d.computed); s.Failed() {
		return
	}
	s.ready = append(s.ready, d)
}

// flush queues the downloads of ready deliveries.
func (s *sorter) flush() {
	for _, d := range s.ready {
		if s.Failed() {
			break
		}
		s.down.After(d.computed)
		s.down.Download(d.dst, d.src)
		s.down.Record(d.brought)
		s.Fail(s.down.Err)
		s.leaving = append(s.leaving, d)
	}
	s.ready = nil
}

// retire frees the device memory of all but the newest deliveries. Kernels that use the memory again wait for the
// downloads.
func (s *sorter) retire(newest int) {
	for len(s.leaving) > newest {
		d := s.leaving[0]
		s.leaving = s.leaving[1:]
		s.After(d.brought)
		s.free(d.src)
	}
}

// settle waits for all downloads.
func (s *sorter) settle() error {
	s.flush()
	s.Fail(s.down.Wait())
	s.retire(0)
	return s.Wait()
}
