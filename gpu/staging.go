//go:build cuda && linux && amd64

package gpu

import "github.com/arrowsort/arrowsort/gpu/internal/driver"

// Sizes of the pinned memory that columns pass through on their way to the device and back. A slot is large enough for the
// bus to be at full speed; while one is on its way, the others are filled and emptied.
const (
	stagingSlots  = 4
	stagingBytes  = 8 << 20
	stagingPiece  = 4 << 10 // a slot with less room than that is full
	stagingStride = 256     // where pieces begin
)

// staging is a ring of slots of pinned memory. Pieces are taken from one slot after the other; a slot that comes around
// again is emptied first.
type staging struct {
	*driver.Context
	slots [stagingSlots]slot
	at    int
}

// A slot is in use until the stream has passed its event.
type slot struct {
	memory  []byte
	used    int
	event   driver.Event
	pending []piece
}

// A piece is something downloaded that has to be handed on.
type piece struct {
	data []byte
	into func(data []byte) error
}

// open allocates a slot when it is used first.
func (r *staging) open(s *slot) (err error) {
	if s.memory != nil {
		return nil
	}
	if s.event, err = r.NewEvent(); err != nil {
		return err
	}
	s.memory, err = r.NewPinned(stagingBytes)
	return err
}

// take returns room for up to want bytes, and its slot, whose event must be recorded behind the copy.
func (r *staging) take(want int) ([]byte, *slot, error) {
	s := &r.slots[r.at]
	if err := r.open(s); err != nil {
		return nil, nil, err
	}
	if len(s.memory)-s.used < min(want, stagingPiece) {
		r.at = (r.at + 1) % stagingSlots
		s = &r.slots[r.at]
		if err := r.open(s); err != nil {
			return nil, nil, err
		}
		if err := r.empty(s); err != nil {
			return nil, nil, err
		}
	}
	n := min(want, len(s.memory)-s.used)
	room := s.memory[s.used : s.used+n]
	s.used = min((s.used+n+stagingStride-1)&^(stagingStride-1), len(s.memory))
	return room, s, nil
}

// empty waits for a slot's copies and hands on what was downloaded.
func (r *staging) empty(s *slot) error {
	if s.used > 0 {
		if err := r.WaitFor(s.event); err != nil {
			return deviceError(err)
		}
	}
	pending := s.pending
	s.pending, s.used = s.pending[:0], 0
	for _, p := range pending {
		if err := p.into(p.data); err != nil {
			return err
		}
	}
	return nil
}

// emptyAll empties all slots, the oldest first.
func (r *staging) emptyAll() error {
	for i := range r.slots {
		if err := r.empty(&r.slots[(r.at+1+i)%stagingSlots]); err != nil {
			return err
		}
	}
	return nil
}

// reset forgets what was under way. The stream is idle.
func (r *staging) reset() {
	for i := range r.slots {
		r.slots[i].used, r.slots[i].pending = 0, nil
	}
	r.at = 0
}
