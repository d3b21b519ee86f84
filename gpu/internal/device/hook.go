package device

import "sync"

// A Memory allocates memory of a device in place of the driver: a pool that a program shares with other libraries. Its
// calls come from one goroutine at a time, in the context of the engine. It is in builds without GPU too: package gpu
// exports it.
type Memory interface {
	// Allocate returns the address of memory of the engine's device, a multiple of 256. The engine uses it in the
	// stream, by its handle of the driver, and later in others, when that use is complete. An error is a lack of
	// memory.
	Allocate(bytes int, stream uintptr) (address uint64, err error)
	// Free frees memory of Allocate. Work that is queued in the stream, which may be another one, may still use it.
	Free(address uint64, bytes int, stream uintptr) error
}

// InTurn returns a memory of one goroutine at a time: results are freed by any goroutine, also when their session has
// ended and another one is open.
func InTurn(m Memory) Memory { return &inTurn{memory: m} }

type inTurn struct {
	sync.Mutex
	memory Memory
}

func (m *inTurn) Allocate(bytes int, stream uintptr) (address uint64, err error) {
	m.Lock()
	defer m.Unlock()
	return m.memory.Allocate(bytes, stream)
}

func (m *inTurn) Free(address uint64, bytes int, stream uintptr) error {
	m.Lock()
	defer m.Unlock()
	return m.memory.Free(address, bytes, stream)
}
