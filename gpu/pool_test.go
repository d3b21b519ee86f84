package gpu

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
	p := newPool(memory.alloc, memory.free)
	a, err := p.get(1)
	require.NoError(t, err)
	require.Equal(t, blockBytes, p.used)
	b, err := p.get(60 << 10)
	require.NoError(t, err)
	require.NotEqual(t, a, b)
	require.Equal(t, 61<<10, 100<<10-memory.left, "no more than was asked for")
	p.put(b)
	c, err := p.get(50 << 10)
	require.NoError(t, err)
	require.Equal(t, b, c, "a spare block that is little larger is used again")
	p.put(c)
	require.Equal(t, blockBytes, p.used)
	require.Equal(t, 61<<10, p.held)
	d, err := p.get(90 << 10)
	require.NoError(t, err, "spare blocks make room")
	require.NotContains(t, memory.live, b)
	_, err = p.get(20 << 10)
	require.Error(t, err)
	p.put(d)
	e, err := p.get(80 << 10)
	require.NoError(t, err)
	require.NotEqual(t, d, e, "memory is tight now")
	p.putAll()
	require.Zero(t, p.used)
	require.NoError(t, p.trim())
	require.Zero(t, p.held)
	require.Empty(t, p.spare)
	require.Equal(t, 100<<10, memory.left)
}

// TestPoolTrimFails has the driver fail in the middle: nothing is freed twice.
func TestPoolTrimFails(t *testing.T) {
	memory := &smallMemory{left: 100 << 10, live: map[int]int{}}
	freed := map[int]int{}
	p := newPool(memory.alloc, func(block int) error {
		if freed[block]++; len(freed) == 2 {
			return errors.New("as told")
		}
		return memory.free(block)
	})
	for range 4 {
		_, err := p.get(10 << 10)
		require.NoError(t, err)
	}
	p.putAll()
	require.Error(t, p.trim())
	again, err := p.get(10 << 10)
	require.NoError(t, err)
	require.Zero(t, freed[again], "what was freed is not handed out")
	require.NoError(t, p.trim())
	for block, times := range freed {
		require.Equal(t, 1, times, "block %d", block)
	}
}
