package gpu

import (
	"slices"
	"sync"
	"time"
)

// A stageTime is the time that a stage of sorts has taken on one device.
type stageTime struct {
	Device   int // its number
	Stage    string
	Duration time.Duration
}

// stageTimes are the times of all sorts of an engine.
type stageTimes struct {
	mutex sync.Mutex
	list  []stageTime
}

func (t *stageTimes) all() []stageTime {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	list := slices.Clone(t.list)
	slices.SortStableFunc(list, func(a, b stageTime) int { return a.Device - b.Device })
	return list
}

// add adds to the time of a stage on a device.
func (t *stageTimes) add(device int, stage string, took time.Duration) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	for i := range t.list {
		if s := &t.list[i]; s.Device == device && s.Stage == stage {
			s.Duration += took
			return
		}
	}
	t.list = append(t.list, stageTime{device, stage, took})
}
