package gpu

import (
	"slices"
	"sync"
)

// stageTimes are the times of all sorts of an engine.
type stageTimes struct {
	mutex sync.Mutex
	list  []StageTime
}

func (t *stageTimes) all() []StageTime {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	list := slices.Clone(t.list)
	slices.SortStableFunc(list, func(a, b StageTime) int { return a.Device - b.Device })
	return list
}
