package gpu

// A pool keeps blocks of memory for reuse, because the driver is slow to allocate. A block may be used again while the
// device still works on its last use, if the same stream uses it. If another stream does, the caller makes one stream
// wait for the other (markFree, retire).
type pool[P comparable] struct {
	alloc func(bytes int) (P, error)
	free  func(P) error
	spare map[int][]P // by size
	sizes map[P]int   // of the blocks in use
	used  int         // bytes of the blocks in use
	held  int         // and of those that are spare
	tight bool        // memory is short: no block larger than needed
}

// blockBytes divides the size of each block.
const blockBytes = 1 << 10

func newPool[P comparable](alloc func(int) (P, error), free func(P) error) *pool[P] {
	return &pool[P]{alloc: alloc, free: free, spare: map[int][]P{}, sizes: map[P]int{}}
}

// get returns a block of at least the given bytes: a spare one that is at most a quarter larger, else a new one of that
// size. If memory is tight the size is exact, so that a sort takes no more than it needs.
func (p *pool[P]) get(bytes int) (block P, err error) {
	size := max(1, (bytes+blockBytes-1)/blockBytes) * blockBytes
	if spare, ok := p.closest(size); ok {
		size = spare
		block = p.take(size)
	} else {
		if block, err = p.fresh(size); err != nil {
			return block, err
		}
		p.held += size
	}
	p.sizes[block] = size
	p.used += size
	return block, nil
}

// take removes a spare block of a size from the pool.
func (p *pool[P]) take(size int) P {
	blocks := p.spare[size]
	last := len(blocks) - 1
	if p.spare[size] = blocks[:last]; last == 0 {
		delete(p.spare, size)
	}
	return blocks[last]
}

// closest is the least size of spare blocks of at least the given bytes, and at most a quarter more.
func (p *pool[P]) closest(bytes int) (size int, ok bool) {
	most := bytes + bytes/4
	if p.tight {
		most = bytes
	}
	for s := range p.spare {
		if s >= bytes && s <= most && (!ok || s < size) {
			size, ok = s, true
		}
	}
	return size, ok
}

// fresh allocates memory. If that fails it frees the spare blocks and tries again.
func (p *pool[P]) fresh(bytes int) (block P, err error) {
	if block, err = p.alloc(bytes); err != nil {
		p.tight = true
		if err = p.trim(); err == nil {
			block, err = p.alloc(bytes)
		}
	}
	return block, err
}

// put makes a block spare.
func (p *pool[P]) put(block P) {
	size := p.sizes[block]
	delete(p.sizes, block)
	p.used -= size
	p.spare[size] = append(p.spare[size], block)
}

// putAll makes all blocks spare.
func (p *pool[P]) putAll() {
	for block := range p.sizes {
		p.put(block)
	}
}

// trim frees all spare blocks.
func (p *pool[P]) trim() error {
	for size := range p.spare {
		for len(p.spare[size]) > 0 {
			p.held -= size
			if err := p.free(p.take(size)); err != nil {
				return err
			}
		}
	}
	return nil
}
