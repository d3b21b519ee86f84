//go:build cuda && linux && amd64

package gpu

import (
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/gpu/internal/host"
)

// busCost is how much slower the bus is than the memory of the device.
const busCost = 64

func wordBytes(words []uint64) []byte { return host.BytesOf(words) }

// upload copies src to the device: by itself when it is pinned, through the staging memory when not.
func (m *mover) upload(dst driver.Ptr, src []byte) {
	if len(src) < thresholds.directBytes || !m.device.Pinned(src) {
		m.uploadStaged(dst, src)
		return
	}
	for len(src) > 0 && !m.failed() {
		n := min(len(src), thresholds.copyBytes)
		m.fail(m.Upload(dst, src[:n]))
		m.moves(n * busCost)
		dst, src = dst+driver.Ptr(n), src[n:]
	}
}

// A filling is a piece of the staging memory that is being filled with what goes to the device.
type filling struct {
	room []byte
	slot *slot
	dst  driver.Ptr
	end  func() error
}

// piece is how much of so many bytes goes through the staging memory at a time: a share for each thread, but a multiple
// of stagingStride, so that no value of 1, 2, 4 or 8 bytes is cut in two.
func (m *mover) piece(bytes int) int {
	piece := max(thresholds.pieceBytes, bytes/m.workers.Threads())
	return (piece + stagingStride - 1) &^ (stagingStride - 1)
}

// uploadStaged copies src to the device through the staging memory. Pieces are filled while those before are sent.
func (m *mover) uploadStaged(dst driver.Ptr, src []byte) {
	var fillings []filling
	piece := m.piece(len(src))
	for len(src) > 0 && !m.failed() {
		room, slot, err := m.staging.take(min(len(src), piece), m.ahead())
		if m.fail(err); err != nil {
			break
		}
		fillings = append(fillings, filling{room, slot, dst, m.workers.BeginCopy(room, src[:len(room)])})
		if len(fillings) > m.ahead() {
			m.send(fillings[0])
			fillings = fillings[1:]
		}
		dst, src = dst+driver.Ptr(len(room)), src[len(room):]
	}
	for _, f := range fillings {
		m.send(f)
	}
}

// send uploads a piece as soon as it is filled. It waits for that also after an error.
func (m *mover) send(f filling) {
	if m.fail(f.end()); m.failed() {
		return
	}
	m.fail(m.Upload(f.dst, f.room))
	m.fail(m.Record(f.slot.event))
}

// download copies from the device to dst, until wait.
func (m *mover) download(dst []byte, src driver.Ptr) {
	if len(dst) < thresholds.directBytes || !m.device.Pinned(dst) {
		m.downloadInto(src, len(dst), func(at int,
			data []byte) func() error {
			return m.workers.BeginCopy(dst[at:at+len(data)], data)
		})
		return
	}
	for len(dst) > 0 && !m.failed() {
		n := min(len(dst), thresholds.copyBytes)
		m.fail(m.Download(dst[:n], src))
		m.moves(n * busCost)
		dst, src = dst[n:], src+driver.Ptr(n)
	}
}

// downloadInto hands bytes of the device on piece by piece until wait; at is where the piece begins, a multiple of
// stagingStride. What begin returns waits for the end.
func (m *mover) downloadInto(src driver.Ptr, bytes int, begin func(at int, data []byte) (end func() error)) {
	size := m.piece(bytes)
	for at := 0; at < bytes && !m.failed(); {
		room, slot, err := m.staging.take(min(bytes-at, size), m.ahead())
		if err != nil {
			m.fail(err)
			return
		}
		m.fail(m.Download(room, src+driver.Ptr(at)))
		m.fail(m.Record(slot.event))
		first := at
		slot.pending = append(slot.pending, piece{room, func(data []byte) func() error { return begin(first, data) }})
		at += len(room)
	}
}

// words waits for words of the device.
func (m *mover) words(src driver.Ptr, n int) []uint64 {
	dst := make([]uint64, n)
	m.download(wordBytes(dst), src)
	if m.wait() != nil {
		return make([]uint64, n)
	}
	return dst
}
