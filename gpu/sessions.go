//go:build cuda && linux && amd64

package gpu

import (
	"errors"
	"fmt"
	"sync"
)

// numbers are those of all devices.
func (o Options) numbers() []int {
	if len(o.Devices) == 0 {
		return []int{o.Device}
	}
	return o.Devices
}

// shareRows is the default of Options.ShareRows.
const shareRows = 1 << 21

func (o Options) leastShare() int {
	if o.ShareRows <= 0 {
		return shareRows
	}
	return o.ShareRows
}

// openSessions opens devices that sort together, and returns the first. Those that reach each other copy directly.
func openSessions(options Options, times *stageTimes) (*session, error) {
	numbers := options.numbers()
	sessions, errs := make([]*session, len(numbers)), make([]error, len(numbers))
	var group sync.WaitGroup
	for i, number := range numbers {
		group.Go(func() {
			if sessions[i], errs[i] = openSession(number); errs[i] != nil && len(numbers) > 1 {
				errs[i] = fmt.Errorf("device %d: %w", number, errs[i])
			}
		})
	}
	group.Wait()
	err := errors.Join(errs...)
	if err == nil {
		err = reachAll(sessions)
	}
	if err != nil {
		for _, s := range sessions {
			if s != nil {
				s.Close()
			}
		}
		return nil, err
	}
	for _, s := range sessions {
		s.times, s.peers, s.shareRows = times, sessions, options.leastShare()
	}
	return sessions[0], nil
}

func reachAll(sessions []*session) error {
	for _, s := range sessions {
		leave, err := s.Enter()
		if err != nil {
			return err
		}
		for _, peer := range sessions {
			if err == nil && peer != s {
				err = s.Reach(peer.Context)
			}
		}
		if leave(); err != nil {
			return err
		}
	}
	return nil
}

// closeAll closes the devices of an engine.
func (s *session) closeAll() error {
	var errs []error
	for _, peer := range s.peers {
		errs = append(errs, peer.Close())
	}
	return errors.Join(errs...)
}
