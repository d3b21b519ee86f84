//go:build cuda && linux && amd64

package stream

import (
	"cmp"

	"github.com/arrowsort/arrowsort/gpu/internal/driver"
	"github.com/arrowsort/arrowsort/gpu/internal/tuning"
)

// Sizes of the pinned memory that columns are copied through, in slots. While some slots are copied by the device,
// others are filled or emptied, each by one thread: threads that share a slot would mostly wait for each other.
const (
	StagingSlots  = 16
	stagingOnWay  = 4       // the least slots that no thread fills or empties
	MinBatchBytes = 4 << 10 // a slot with less free memory is full
	StagingStride = 256     // batches begin at multiples of this
)

// staging is a ring of slots of pinned memory. Batches are taken from one slot after the other. A slot is emptied
// before it is used again.
type staging struct {
	*driver.Context
	tuning *tuning.Table
	slots  [StagingSlots]slot
	at     int
}

// A slot is in use until the stream has passed its event.
type slot struct {
	memory  []byte
	used    int
	event   driver.Event
	pending []func() (end func() error) // each begins to deliver what was downloaded
	begun   []func() error              // each waits for a delivery that has begun
}

// open allocates a slot when it is first used.
func (r *staging) open(s *slot) (err error) {
	if s.event == (driver.Event{}) {
		if s.event, err = r.NewEvent(); err != nil {
			return err
		}
	}
	if s.memory == nil {
		s.memory, err = r.NewPinned(r.tuning.SlotBytes)
	}
	return err
}

// take returns memory for up to want bytes, and its slot, whose event must be recorded after the copy. It begins to
// empty the slot that is ahead slots later.
func (r *staging) take(want, ahead int) ([]byte, *slot, error) {
	s := &r.slots[r.at]
	if len(s.memory)-s.used < min(want, MinBatchBytes) { // it is full, or was never open
		r.at = (r.at + 1) % StagingSlots
		s = &r.slots[r.at]
		if err := cmp.Or(r.open(s), r.empty(s), r.begin(&r.slots[(r.at+ahead)%StagingSlots])); err != nil {
			return nil, nil, err
		}
	}
	n := min(want, len(s.memory)-s.used)
	memory := s.memory[s.used : s.used+n]
	s.used = min((s.used+n+StagingStride-1)&^(StagingStride-1), len(s.memory))
	return memory, s, nil
}

// begin waits for a slot's copies and begins to deliver what was downloaded.
func (r *staging) begin(s *slot) error {
	if len(s.pending) == 0 {
		return nil
	}
	if err := r.WaitFor(s.event); err != nil {
		return driver.Failure(err)
	}
	for _, begin := range s.pending {
		s.begun = append(s.begun, begin())
	}
	s.pending = s.pending[:0]
	return nil
}

// empty waits for a slot's copies, and until everything downloaded is delivered.
func (r *staging) empty(s *slot) error {
	err := r.begin(s)
	if err == nil && s.used > 0 {
		err = driver.Failure(r.WaitFor(s.event))
	}
	s.used = 0
	return cmp.Or(err, s.end())
}

// end waits for the deliveries that have begun.
func (s *slot) end() (err error) {
	for _, end := range s.begun {
		err = cmp.Or(err, end())
	}
	s.begun = s.begun[:0]
	return err
}

// emptyAll empties all slots, the oldest first, ahead+1 at a time.
func (r *staging) emptyAll(ahead int) error {
	oldest := func(i int) *slot { return &r.slots[(r.at+1+i)%StagingSlots] }
	for i := range StagingSlots + ahead {
		err := r.begin(oldest(i)) // from StagingSlots on, one that is empty
		if i >= ahead {
			err = cmp.Or(err, r.empty(oldest(i-ahead)))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// settle waits for the deliveries that have begun, also after an error. After it nothing writes to the caller's memory.
func (r *staging) settle() {
	for i := range r.slots {
		_ = r.slots[i].end() // the first error is reported elsewhere
	}
}

// reset discards pending batches. The stream is idle.
func (r *staging) reset() {
	for i := range r.slots {
		r.slots[i].used, r.slots[i].pending = 0, nil
	}
	r.at = 0
}
