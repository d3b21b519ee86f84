//go:build cuda && linux && amd64

package device

import (
	"errors"
	"fmt"
	"sync"

	"github.com/arrowsort/arrowsort/gpu/internal/tuning"
)

// Open opens devices that sort together, and returns the first. Those that reach each other copy directly.
func Open(numbers []int, table *tuning.Table) (*Session, error) {
	sessions, errs := make([]*Session, len(numbers)), make([]error, len(numbers))
	var group sync.WaitGroup
	for i, number := range numbers {
		group.Go(func() {
			if sessions[i], errs[i] = openSession(number, table); errs[i] != nil && len(sessions) > 1 {
				errs[i] = fmt.Errorf("device %d: %w", number, errs[i])
			}
		})
	}
	group.Wait()
	err := errors.Join(errs...)
	for _, s := range sessions {
		for _, peer := range sessions {
			if err == nil { // else some are nil
				err = s.Reach(peer.Context)
			}
		}
	}
	if err != nil {
		_ = CloseAll(sessions)
		return nil, err
	}
	for _, s := range sessions {
		s.Peers = sessions
	}
	return sessions[0], nil
}

// CloseAll closes sessions, but for those that were not opened.
func CloseAll(sessions []*Session) error {
	var errs []error
	for _, s := range sessions {
		if s != nil {
			errs = append(errs, s.Close())
		}
	}
	return errors.Join(errs...)
}
