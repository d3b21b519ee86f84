package gpu

// A pool keeps blocks of memory for the next use, because the driver is slow to allocate. A block may be used again
// while the device still works on its last use: what the kernels' stream does next comes behind that by itself. Where
// another stream is next, or was last, whoever takes or gives the block has one wait for the other (markFree, retire).
type pool[P comparable] struct {
	alloc func(bytes int) (P, error)
	free  func(P) error
	spare map[int][]P // by size
	sizes map[P]int   // of the blocks in use
	used  int         // bytes of the blocks in use
	held  int         // and of those that are spare
	tight bool        // there is no memory to waste
}

// blockBytes is what the size of a block is a multiple of.
const blockBytes = 1 << 10

func newPool[P comparable](alloc func(int) (P, error), free func(P) error) *pool[P] {
	return &pool[P]{alloc: alloc, free: free, spare: map[int][]P{}, sizes: map[P]int{}}
}

// get returns a block of at least so many bytes: a spare one that is not much larger, or else one of that size. Where
// memory is tight none is larger, so that a sort takes no more than it needs.
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

// take takes one of the spare blocks of a size.
func (p *pool[P]) take(size int) P {
	blocks := p.spare[size]
	last := len(blocks) - 1
	if p.spare[size] = blocks[:last]; last == 0 {
		delete(p.spare, size)
	}
	return blocks[last]
}

// closest is the least size of spare blocks that have so many bytes, and no more than a quarter too many.
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

// fresh allocates memory. When it is full, what is spare is given back first.
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

// trim gives all spare blocks back.
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
