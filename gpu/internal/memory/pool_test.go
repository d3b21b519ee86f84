package memory

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

// smallMemory is a device with little memory.
type smallMemory struct {
	left int
	next int
	live map[int]int
}

func (m *smallMemory) alloc(bytes int) (int, error) {
	if bytes > m.left {
		return 0, errors.New("full")
	}
	m.next++
	m.left -= bytes
	m.live[m.next] = bytes
	return m.next, nil
}

func (m *smallMemory) free(p int) error {
	m.left += m.live[p]
	delete(m.live, p)
	return nil
}

func TestPool(t *testing.T) {
	memory := &smallMemory{left: 100 << 10, live: map[int]int{}}
	p := NewPool(memory.alloc, memory.free)
	a, err := p.Get(1)
	require.NoError(t, err)
	require.Equal(t, blockBytes, p.Used)
	b, err := p.Get(60 << 10)
	require.NoError(t, err)
	require.NotEqual(t, a, b)
	require.Equal(t, 61<<10, 100<<10-memory.left, "no more than was asked for")
	p.Put(b)
	c, err := p.Get(50 << 10)
	require.NoError(t, err)
	require.Equal(t, b, c, "a spare block that is little larger is used again")
	p.Put(c)
	require.Equal(t, blockBytes, p.Used)
	require.Equal(t, 61<<10, p.Held)
	d, err := p.Get(90 << 10)
	require.NoError(t, err, "spare blocks make room")
	require.NotContains(t, memory.live, b)
	_, err = p.Get(20 << 10)
	require.Error(t, err)
	p.Put(d)
	e, err := p.Get(80 << 10)
	require.NoError(t, err)
	require.NotEqual(t, d, e, "memory is tight now")
	p.PutAll()
	require.Zero(t, p.Used)
	require.NoError(t, p.Trim())
	require.Zero(t, p.Held)
	require.Empty(t, p.Spare)
	require.Equal(t, 100<<10, memory.left)
}

// TestPoolTrimFails has the driver fail in the middle: nothing is freed twice.
func TestPoolTrimFails(t *testing.T) {
	memory := &smallMemory{left: 100 << 10, live: map[int]int{}}
	freed := map[int]int{}
	p := NewPool(memory.alloc, func(block int) error {
		if freed[block]++; len(freed) == 2 {
			return errors.New("as told")
		}
		return memory.free(block)
	})
	for range 4 {
		_, err := p.Get(10 << 10)
		require.NoError(t, err)
	}
	p.PutAll()
	require.Error(t, p.Trim())
	again, err := p.Get(10 << 10)
	require.NoError(t, err)
	require.Zero(t, freed[again], "what was freed is not handed out")
	require.NoError(t, p.Trim())
	for block, times := range freed {
		require.Equal(t, 1, times, "block %d", block)
	}
}
