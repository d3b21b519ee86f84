//go:build cuda && linux && amd64

package gpu

import (
	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/gpu/internal/host"
)

// directBytes is the least that is copied from and to the caller's pinned memory without staging.
const directBytes = 64 << 10

// pieceBytes is what is copied at a time from and to pinned memory, so that a cancelled context need not wait for more.
const pieceBytes = 256 << 20

// busCost is how much slower the bus is than the memory of the device.
const busCost = 64

func wordBytes(words []uint64) []byte { return host.BytesOf(words) }

// upload copies src to the device: by itself when it is pinned, through the staging memory when not.
func (m *mover) upload(dst driver.Ptr, src []byte) {
	direct := len(src) >= directBytes && m.device.Pinned(src)
	for len(src) > 0 && !m.failed() {
		var n int
		if direct {
			n = min(len(src), pieceBytes)
			m.fail(m.Upload(dst, src[:n]))
			m.moves(n * busCost)
		} else {
			n = m.stage(dst, src)
		}
		dst, src = dst+driver.Ptr(n), src[n:]
	}
}

// stage copies the beginning of src to the device and returns how much that was.
func (m *mover) stage(dst driver.Ptr, src []byte) int {
	room, slot, err := m.staging.take(len(src))
	if err != nil {
		m.fail(err)
		return 0
	}
	if err := m.workers.Copy(room, src[:len(room)]); err != nil {
		m.fail(err)
		return 0
	}
	m.fail(m.Upload(dst, room))
	m.fail(m.Record(slot.event))
	return len(room)
}

// download copies from the device to dst, until wait.
func (m *mover) download(dst []byte, src driver.Ptr) {
	if len(dst) < directBytes || !m.device.Pinned(dst) {
		m.downloadInto(src, len(dst), func(at int, data []byte) error { return m.workers.Copy(dst[at:], data) })
		return
	}
	for len(dst) > 0 && !m.failed() {
		n := min(len(dst), pieceBytes)
		m.fail(m.Download(dst[:n], src))
		m.moves(n * busCost)
		dst, src = dst[n:], src+driver.Ptr(n)
	}
}

// downloadInto hands bytes of the device to into piece by piece, in order, until wait; at is where the piece begins.
func (m *mover) downloadInto(src driver.Ptr, bytes int, into func(at int, data []byte) error) {
	for at := 0; at < bytes && !m.failed(); {
		room, slot, err := m.staging.take(bytes - at)
		if err != nil {
			m.fail(err)
			return
		}
		m.fail(m.Download(room, src+driver.Ptr(at)))
		m.fail(m.Record(slot.event))
		begin := at
		slot.pending = append(slot.pending, piece{room, func(data []byte) error { return into(begin, data) }})
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
