//go:build cuda && linux && amd64

package gpu

import "github.com/arrowsort/arrowsort/gpu/internal/driver"

// Sizes of the pinned memory that columns pass through on their way to the device and back, in slots. While some are on
// their way, others are filled and emptied, each by one thread: threads that work on the same slot would wait for one
// another most of the time.
const (
	stagingSlots  = 16
	stagingOnWay  = 4       // slots at least that nobody fills or empties
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
	begun   []func() error // ends of what is being handed on
}

// A piece is something downloaded that has to be handed on. What begin returns waits for the end of that.
type piece struct {
	data  []byte
	begin func(data []byte) (end func() error)
}

// open allocates a slot when it is used first.
func (r *staging) open(s *slot) (err error) {
	if s.event == (driver.Event{}) {
		if s.event, err = r.NewEvent(); err != nil {
			return err
		}
	}
	if s.memory == nil {
		s.memory, err = r.NewPinned(thresholds.slotBytes)
	}
	return err
}

// take returns room for up to want bytes, and its slot, whose event must be recorded behind the copy. So many slots are
// being emptied before they are needed.
func (r *staging) take(want, ahead int) ([]byte, *slot, error) {
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
		if err := r.begin(&r.slots[(r.at+ahead)%stagingSlots]); err != nil {
			return nil, nil, err
		}
	}
	n := min(want, len(s.memory)-s.used)
	room := s.memory[s.used : s.used+n]
	s.used = min((s.used+n+stagingStride-1)&^(stagingStride-1), len(s.memory))
	return room, s, nil
}

// begin waits for a slot's copies and begins to hand on what was downloaded.
func (r *staging) begin(s *slot) error {
	if len(s.pending) == 0 {
		return nil
	}
	if err := r.WaitFor(s.event); err != nil {
		return deviceError(err)
	}
	for _, p := range s.pending {
		s.begun = append(s.begun, p.begin(p.data))
	}
	s.pending = s.pending[:0]
	return nil
}

// empty waits for a slot's copies, and until all that was downloaded is handed on.
func (r *staging) empty(s *slot) error {
	err := r.begin(s)
	if err == nil && s.used > 0 {
		err = deviceError(r.WaitFor(s.event))
	}
	if e := s.end(); err == nil {
		err = e
	}
	s.used = 0
	return err
}

// end waits until all that is being handed on has been.
func (s *slot) end() (err error) {
	for _, end := range s.begun {
		if e := end(); err == nil {
			err = e
		}
	}
	s.begun = s.begun[:0]
	return err
}

// emptyAll empties all slots, the oldest first, so many at a time.
func (r *staging) emptyAll(ahead int) error {
	oldest := func(i int) *slot { return &r.slots[(r.at+1+i)%stagingSlots] }
	for i := range stagingSlots + ahead {
		if i < stagingSlots {
			if err := r.begin(oldest(i)); err != nil {
				return err
			}
		}
		if i >= ahead {
			if err := r.empty(oldest(i - ahead)); err != nil {
				return err
			}
		}
	}
	return nil
}

// settle waits for what is being handed on, also after an error: then nothing writes to memory of the caller any more.
func (r *staging) settle() {
	for i := range r.slots {
		_ = r.slots[i].end() // an error that came first is known
	}
}

// reset forgets what was under way. The stream is idle.
func (r *staging) reset() {
	for i := range r.slots {
		r.slots[i].used, r.slots[i].pending = 0, nil
	}
	r.at = 0
}
