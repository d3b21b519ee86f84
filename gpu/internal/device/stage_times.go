package device

import (
	"slices"
	"sync"
	"time"
)

// A StageTime is the time that a stage of sorts has taken on one device. It is in builds without GPU too: package gpu
// exports it.
type StageTime struct {
	Device   int // its number
	Stage    string
	Duration time.Duration
}

// StageTimes are the times of all sorts of an engine.
type StageTimes struct {
	mutex sync.Mutex
	list  []StageTime
}

// All returns the times, device by device.
func (t *StageTimes) All() []StageTime {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	list := slices.Clone(t.list)
	slices.SortStableFunc(list, func(a, b StageTime) int { return a.Device - b.Device })
	return list
}

// Add adds to the time of a stage on a device.
func (t *StageTimes) Add(device int, stage string, took time.Duration) {
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
