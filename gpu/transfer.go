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
func (t *task) upload(dst driver.Ptr, src []byte) {
	direct := len(src) >= directBytes && t.Pinned(src)
	for len(src) > 0 && !t.failed() {
		var n int
		if direct {
			n = min(len(src), pieceBytes)
			t.fail(t.Upload(dst, src[:n]))
			t.moves(n * busCost)
		} else {
			n = t.stage(dst, src)
		}
		dst, src = dst+driver.Ptr(n), src[n:]
	}
}

// stage copies the beginning of src to the device and returns how much that was.
func (t *task) stage(dst driver.Ptr, src []byte) int {
	room, slot, err := t.staging.take(len(src))
	if err != nil {
		t.fail(err)
		return 0
	}
	if err := t.workers.Copy(room, src[:len(room)]); err != nil {
		t.fail(err)
		return 0
	}
	t.fail(t.Upload(dst, room))
	t.fail(t.Record(slot.event))
	return len(room)
}

// download copies from the device to dst, until wait.
func (t *task) download(dst []byte, src driver.Ptr) {
	if len(dst) < directBytes || !t.Pinned(dst) {
		t.downloadInto(src, len(dst), func(at int, data []byte) error { return t.workers.Copy(dst[at:], data) })
		return
	}
	for len(dst) > 0 && !t.failed() {
		n := min(len(dst), pieceBytes)
		t.fail(t.Download(dst[:n], src))
		t.moves(n * busCost)
		dst, src = dst[n:], src+driver.Ptr(n)
	}
}

// downloadInto hands bytes of the device to into piece by piece, in order, until wait; at is where the piece begins.
func (t *task) downloadInto(src driver.Ptr, bytes int, into func(at int, data []byte) error) {
	for at := 0; at < bytes && !t.failed(); {
		room, slot, err := t.staging.take(bytes - at)
		if err != nil {
			t.fail(err)
			return
		}
		t.fail(t.Download(room, src+driver.Ptr(at)))
		t.fail(t.Record(slot.event))
		begin := at
		slot.pending = append(slot.pending, piece{room, func(data []byte) error { return into(begin, data) }})
		at += len(room)
	}
}

// words waits for words of the device.
func (t *task) words(src driver.Ptr, n int) []uint64 {
	dst := make([]uint64, n)
	t.download(wordBytes(dst), src)
	if t.wait() != nil {
		return make([]uint64, n)
	}
	return dst
}
