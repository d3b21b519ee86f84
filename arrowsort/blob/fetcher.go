package blob

import (
	"slices"
	"sync"
)

// A fetcher limits what all objects of a store fetch ahead: by bytes of memory, and by the number of requests. Objects
// with announced parts take turns.
type fetcher struct {
	mu       sync.Mutex
	limit    int64 // bytes of parts in memory
	part     int64 // bytes of a part at most
	most     int   // requests in flight
	resident int64 // bytes of parts that are fetched, or being fetched
	inFlight int
	waiting  []*reader // that have announced parts
	clock    int64     // counts reads, for which part was used last
}

// What a part takes, and how many are fetched at once: as the memory allows.
const (
	leastPart, mostPart         = 1 << 20, 8 << 20
	leastInFlight, mostInFlight = 8, 32
	uploadShare                 = 4 // of the memory of a store
)

func (f *fetcher) setLimit(bytes int64) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.limit = bytes - bytes/uploadShare
	f.part = min(max(f.limit/(2*leastInFlight), leastPart), mostPart)
	f.most = int(min(max(f.limit/f.part, leastInFlight), mostInFlight))
}

// uploads returns the memory for uploads.
func (f *fetcher) uploads() int64 {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.limit / (uploadShare - 1)
}

// A part is bytes of an object that one request fetches.
type part struct {
	from, to  int64
	announced bool
	wanted    int64 // announced bytes that nobody has read yet
	ready     chan struct{}
	data      []byte
	err       error
	used      int64 // by the clock of the fetcher
	dropped   bool
}

func (p *part) size() int64 { return p.to - p.from }

func (p *part) has(off int64) bool { return p.from <= off && off < p.to }

// pump starts announced parts while there is memory and a free request. The lock is held.
func (f *fetcher) pump() {
	for len(f.waiting) > 0 && f.inFlight < f.most {
		r := f.waiting[0]
		f.waiting = f.waiting[1:]
		if len(r.queue) == 0 || r.closed {
			continue
		}
		p := r.queue[0]
		if f.resident > 0 && f.resident+p.size() > f.limit {
			f.waiting = slices.Insert(f.waiting, 0, r)
			return
		}
		r.queue = r.queue[1:]
		f.start(r, p)
		f.waiting = append(f.waiting, r)
	}
}

// start starts to fetch a part. The lock is held.
func (f *fetcher) start(r *reader, p *part) {
	p.ready = make(chan struct{})
	r.parts = append(r.parts, p)
	f.resident += p.size()
	f.inFlight++
	go func() {
		data, err := r.fetch(p.from, p.to)
		f.mu.Lock()
		defer f.mu.Unlock()
		p.data, p.err = data, err
		f.inFlight--
		close(p.ready)
		f.pump()
	}()
}

// startNow starts a part that somebody waits for, whatever the memory: of a long one the beginning, if there is none.
// Parts of the same object that were read longest ago make room. The lock is held.
func (f *fetcher) startNow(r *reader, p *part, needed int64) {
	for f.resident+p.size() > f.limit {
		oldest := (*part)(nil)
		for _, other := range r.parts {
			if other.data != nil && other.used > 0 && (oldest == nil || other.used < oldest.used) {
				oldest = other
			}
		}
		if oldest == nil {
			break
		}
		f.drop(r, oldest)
	}
	if end := p.from + max(needed, leastPart); f.resident+p.size() > f.limit && end < p.to {
		rest := &part{from: end, to: p.to, announced: p.announced, wanted: min(p.wanted, p.to-end)}
		p.to, p.wanted = end, max(p.wanted-rest.wanted, 1)
		r.queue = slices.Insert(r.queue, 0, rest)
	}
	f.start(r, p)
}

// drop forgets a part. The lock is held.
func (f *fetcher) drop(r *reader, p *part) {
	if p.dropped {
		return
	}
	p.dropped = true
	r.parts = slices.DeleteFunc(r.parts, func(other *part) bool { return other == p })
	f.resident -= p.size()
}
