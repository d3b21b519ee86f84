package gpu

import "math/bits"

// A pool keeps blocks of memory for the next use, because the driver is slow to allocate. All that uses them is in one
// stream, so a block may be used again as soon as its last use is in the stream.
type pool[P comparable] struct {
	alloc func(bytes int) (P, error)
	free  func(P) error
	spare map[int][]P // by size
	sizes map[P]int   // of the blocks in use
	used  int         // bytes of the blocks in use
}

// blockBytes is the least size of a block.
const blockBytes = 1 << 10

func newPool[P comparable](alloc func(int) (P, error), free func(P) error) *pool[P] {
	return &pool[P]{alloc: alloc, free: free, spare: map[int][]P{}, sizes: map[P]int{}}
}

// get returns a block of at least so many bytes. When the memory is full, what is spare is given back first.
func (p *pool[P]) get(bytes int) (block P, err error) {
	size := sizeClass(max(bytes, blockBytes))
	if s := p.spare[size]; len(s) > 0 {
		block, p.spare[size] = s[len(s)-1], s[:len(s)-1]
	} else if block, err = p.alloc(size); err != nil {
		if err = p.trim(); err == nil {
			block, err = p.alloc(size)
		}
	}
	if err == nil {
		p.sizes[block] = size
		p.used += size
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
	for size, blocks := range p.spare {
		for _, b := range blocks {
			if err := p.free(b); err != nil {
				return err
			}
		}
		delete(p.spare, size)
	}
	return nil
}

// sizeClass rounds a size up to one of four steps between powers of two: at most a quarter too much.
func sizeClass(size int) int {
	step := 1 << (bits.Len(uint(size-1)) - 3)
	return (size + step - 1) &^ (step - 1)
}
