package gpu

import (
	"slices"
	"sync"
	"time"
)

// stageTimes are the times of all sorts of an engine.
type stageTimes struct {
	mutex sync.Mutex
	list  []StageTime
}

func (t *stageTimes) add(device int, stage string, took time.Duration) {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	for i := range t.list {
		if s := &t.list[i]; s.Device == device && s.Stage == stage {
			s.Duration += took
			return
		}
	}
	t.list = append(t.list, StageTime{device, stage, took})
}

func (t *stageTimes) all() []StageTime {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	list := slices.Clone(t.list)
	slices.SortStableFunc(list, func(a, b StageTime) int { return a.Device - b.Device })
	return list
}
