//go:build cuda && linux && amd64

package gpu

import (
	"errors"
	"fmt"
	"sync"

	"github.com/arrowsort/arrowsort/gpu/internal/tuning"
)

// openSessions opens devices that sort together, and returns the first. Those that reach each other copy directly.
func openSessions(numbers []int, table *tuning.Table) (*session, error) {
	sessions, errs := make([]*session, len(numbers)), make([]error, len(numbers))
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
		_ = closeAll(sessions)
		return nil, err
	}
	for _, s := range sessions {
		s.peers = sessions
	}
	return sessions[0], nil
}

// closeAll closes sessions, but for those that were not opened.
func closeAll(sessions []*session) error {
	var errs []error
	for _, s := range sessions {
		if s != nil {
			errs = append(errs, s.Close())
		}
	}
	return errors.Join(errs...)
}
