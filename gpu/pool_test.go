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
	p.put(b)
	c, err := p.get(60<<10 - 5)
	require.NoError(t, err)
	require.Equal(t, b, c, "a spare block of the size is used again")
	p.put(c)
	require.Equal(t, blockBytes, p.used)
	d, err := p.get(90 << 10)
	require.NoError(t, err, "spare blocks make room")
	require.NotContains(t, memory.live, b)
	_, err = p.get(20 << 10)
	require.Error(t, err)
	p.put(d)
	p.putAll()
	require.Zero(t, p.used)
	require.NoError(t, p.trim())
	require.Equal(t, 100<<10, memory.left)
}

func TestSizeClass(t *testing.T) {
	for size := blockBytes; size < 1<<24; size += 997 {
		class := sizeClass(size)
		require.GreaterOrEqual(t, class, size)
		require.LessOrEqual(t, class, size+size/4+1)
		require.Zero(t, class%256, "size %d", size)
		require.Equal(t, class, sizeClass(class))
	}
	require.Zero(t, sizeClass(pinnedBytes)%4096, "whole pages are pinned")
}
