// Package memory has memory of the device that is kept between sorts, and pinned memory of the host.
package memory

import "cmp"

// A Pool keeps blocks of memory for reuse, because the driver is slow to allocate. A block may be used again while the
// device still works on its last use, if the same stream uses it. If another stream does, the caller makes one stream
// wait for the other (Columns.markFree, Downloads.Retire).
type Pool[P comparable] struct {
	alloc func(bytes int) (P, error)
	free  func(P) error
	Spare map[int][]P // by size
	sizes map[P]int   // of the blocks in use
	kept  map[P]int   // and of those that Keep has taken out
	Used  int         // bytes of the blocks in use
	Held  int         // and of those that are spare
	Tight bool        // memory is short: no block larger than needed
}

// blockBytes divides the size of each block.
const blockBytes = 1 << 10

// NewPool returns a pool that allocates and frees blocks by the given functions.
func NewPool[P comparable](alloc func(int) (P, error), free func(P) error) *Pool[P] {
	return &Pool[P]{alloc: alloc, free: free, Spare: map[int][]P{}, sizes: map[P]int{}, kept: map[P]int{}}
}

// Get returns a block of at least the given bytes: a spare one that is at most a quarter larger, else a new one of that
// size. If memory is tight the size is exact, so that a sort takes no more than it needs.
func (p *Pool[P]) Get(bytes int) (block P, err error) {
	size := max(1, (bytes+blockBytes-1)/blockBytes) * blockBytes
	if spare, ok := p.closest(size); ok {
		size = spare
		block = p.take(size)
	} else {
		if block, err = p.Fresh(size); err != nil {
			return block, err
		}
		p.Held += size
	}
	p.sizes[block] = size
	p.Used += size
	return block, nil
}

// take removes a spare block of a size from the pool.
func (p *Pool[P]) take(size int) P {
	blocks := p.Spare[size]
	last := len(blocks) - 1
	if p.Spare[size] = blocks[:last]; last == 0 {
		delete(p.Spare, size)
	}
	return blocks[last]
}

// closest is the least size of spare blocks of at least the given bytes, and at most a quarter more.
func (p *Pool[P]) closest(bytes int) (size int, ok bool) {
	most := bytes + bytes/4
	if p.Tight {
		most = bytes
	}
	for s := range p.Spare {
		if s >= bytes && s <= most && (!ok || s < size) {
			size, ok = s, true
		}
	}
	return size, ok
}

// Fresh allocates memory. If that fails it frees the spare blocks and tries again.
func (p *Pool[P]) Fresh(bytes int) (block P, err error) {
	if block, err = p.alloc(bytes); err != nil {
		p.Tight = true
		if err = p.Trim(); err == nil {
			block, err = p.alloc(bytes)
		}
	}
	return block, err
}

// Put makes a block spare.
func (p *Pool[P]) Put(block P) {
	size := p.sizes[block]
	delete(p.sizes, block)
	p.Used -= size
	p.Spare[size] = append(p.Spare[size], block)
}

// Keep takes a block in use out of those that PutAll makes spare, until Return.
func (p *Pool[P]) Keep(block P) {
	size := p.sizes[block]
	delete(p.sizes, block)
	p.Used -= size
	p.kept[block] = size
}

// Return makes a block spare that Keep has taken out.
func (p *Pool[P]) Return(block P) {
	size := p.kept[block]
	delete(p.kept, block)
	p.Spare[size] = append(p.Spare[size], block)
}

// Forget gives a block away that Keep has taken out.
func (p *Pool[P]) Forget(block P) {
	p.Held -= p.kept[block]
	delete(p.kept, block)
}

// PutAll makes all blocks spare, but for those that Keep has taken out.
func (p *Pool[P]) PutAll() {
	for block := range p.sizes {
		p.Put(block)
	}
}

// FreeAll frees all blocks.
func (p *Pool[P]) FreeAll() error {
	for block := range p.kept {
		p.Return(block)
	}
	p.PutAll()
	return p.Trim()
}

// Discard frees a block that Fresh has allocated.
func (p *Pool[P]) Discard(block P) error { return p.free(block) }

// Trim frees all spare blocks, also after an error, and returns the first one.
func (p *Pool[P]) Trim() (err error) {
	for size := range p.Spare {
		for len(p.Spare[size]) > 0 {
			p.Held -= size
			err = cmp.Or(err, p.free(p.take(size)))
		}
	}
	return err
}
