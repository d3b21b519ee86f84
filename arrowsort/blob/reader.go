package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"time"

	"gocloud.dev/blob"
	"gocloud.dev/gcerrors"

	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
)

// A reader is an object that is open for reading.
type reader struct {
	store   *Store
	bucket  *blob.Bucket
	key     string
	ctx     context.Context
	cancel  func()
	summary *summary

	// Under the lock of the fetcher.
	queue  []*part // announced, in the order in which they are read
	parts  []*part // fetched, or being fetched
	closed bool
}

var _ parquetsort.Announcer = (*reader)(nil)

// A summary is what is kept of an object that was opened, for the next time: a sort opens its inputs several times.
type summary struct {
	size     int64
	modified time.Time // which some stores have in seconds
	version  string    // that no other object at the address has
	head     []byte    // the first bytes
	tail     []byte    // the last bytes; of a small object all
}

// summaries are those of objects that were opened, by address. Their store replaces them as a whole when it is to
// forget, so that what was asked for before that is not kept after it.
type summaries struct {
	of    map[string]*summary
	bytes int64 // of all heads and tails
}

// Bytes of an object that are fetched when it is opened.
const (
	headBytes  = 4 << 10
	tailBytes  = 64 << 10
	smallBytes = 1 << 20 // of an object that is fetched as a whole
)

// Open opens an object for reading.
func (s *Store) Open(ctx context.Context, address string) (parquetsort.File, error) {
	b, o, err := s.open(ctx, address)
	if err != nil {
		return nil, err
	}
	r := &reader{store: s, bucket: b, key: o.key}
	r.ctx, r.cancel = context.WithCancel(ctx)
	s.mu.Lock()
	known := s.known
	r.summary = known.of[address]
	s.mu.Unlock()
	if r.summary != nil {
		return r, nil
	}
	if err := r.summarize(); err != nil {
		r.cancel()
		return nil, err
	}
	s.remember(known, address, r.summary)
	return r, nil
}

// summarize finds the size of an object, and fetches its first and last bytes.
func (r *reader) summarize() error {
	attributes, err := r.bucket.Attributes(r.ctx, r.key)
	if err != nil {
		return explain(err)
	}
	r.summary = &summary{size: attributes.Size, modified: attributes.ModTime,
		version: fmt.Sprint(attributes.ModTime.Unix(), " ", attributes.ETag)}
	tail := int64(tailBytes)
	if attributes.Size <= smallBytes {
		tail = attributes.Size
	}
	if r.summary.tail, err = r.fetch(attributes.Size-tail, attributes.Size); err != nil {
		return err
	}
	if tail < attributes.Size {
		if r.summary.head, err = r.fetch(0, headBytes); err != nil {
			return err
		}
	}
	return nil
}

// remember keeps a summary, unless many are kept already.
func (s *Store) remember(known *summaries, address string, of *summary) {
	s.mu.Lock()
	defer s.mu.Unlock()
	const most = 8 << 20
	if bytes := of.bytes(); known.bytes+bytes <= most && known.of[address] == nil {
		known.bytes += bytes
		known.of[address] = of
	}
}

func (s *summary) bytes() int64 { return int64(len(s.head) + len(s.tail)) }

// forget drops the summary of an object that is written.
func (s *Store) forget(address string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if of := s.known.of[address]; of != nil {
		s.known.bytes -= of.bytes()
		delete(s.known.of, address)
	}
}

// Forget drops what is kept of objects that were opened. A program that keeps a store calls it where others may have
// replaced objects since.
func (s *Store) Forget() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known = &summaries{of: map[string]*summary{}}
}

// Size returns the size of the object.
func (r *reader) Size() int64 { return r.summary.size }

// Version returns what no other object at the address does.
func (r *reader) Version() string { return r.summary.version }

// Close stops what is being fetched.
func (r *reader) Close() error {
	r.cancel()
	f := &r.store.fetcher
	f.mu.Lock()
	defer f.mu.Unlock()
	r.closed, r.queue = true, nil
	for len(r.parts) > 0 {
		f.drop(r, r.parts[0])
	}
	f.pump()
	return nil
}

// Announce fetches ranges ahead: those that lie next to each other, or almost, by one request, long ones by several.
func (r *reader) Announce(ranges []parquetsort.Range) {
	f := &r.store.fetcher
	f.mu.Lock()
	defer f.mu.Unlock()
	if r.closed {
		return
	}
	tail := r.summary.size - int64(len(r.summary.tail))
	var run []parquetsort.Range
	for _, next := range ranges {
		next.From, next.To = max(next.From, int64(len(r.summary.head))), min(next.To, tail)
		if next.From >= next.To {
			continue
		}
		if n := len(run); n > 0 && (next.From < run[n-1].From || next.From > run[n-1].To+gapBytes) {
			r.queue = append(r.queue, cut(run, f.part)...)
			run = nil
		}
		run = append(run, next)
	}
	r.queue = append(r.queue, cut(run, f.part)...)
	if !slices.Contains(f.waiting, r) {
		f.waiting = append(f.waiting, r)
	}
	f.pump()
}

// gapBytes are fetched with what is before and after them, in place of another request.
const gapBytes = 64 << 10

// cut makes parts of ranges that lie next to each other.
func cut(run []parquetsort.Range, most int64) (parts []*part) {
	if len(run) == 0 {
		return nil
	}
	from, to := run[0].From, run[0].To
	for _, r := range run {
		to = max(to, r.To)
	}
	n := (to - from + most - 1) / most
	for i := range n {
		p := &part{from: from + (to-from)*i/n, to: from + (to-from)*(i+1)/n, announced: true}
		for _, r := range run {
			p.wanted += max(min(r.To, p.to)-max(r.From, p.from), 0)
		}
		if p.wanted > 0 {
			parts = append(parts, p)
		}
	}
	return parts
}

// ReadAt reads bytes, which were fetched ahead or are fetched now.
func (r *reader) ReadAt(b []byte, off int64) (n int, err error) {
	for n < len(b) {
		if off+int64(n) >= r.summary.size {
			return n, io.EOF
		}
		k, err := r.readPart(b[n:], off+int64(n))
		n += k
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// readPart reads the first of some bytes from the part that has them.
func (r *reader) readPart(b []byte, off int64) (int, error) {
	if known := r.summary; off < int64(len(known.head)) {
		return copy(b, known.head[off:]), nil
	} else if start := known.size - int64(len(known.tail)); off >= start {
		return copy(b, known.tail[off-start:]), nil
	}
	p := r.partOf(off, int64(len(b)))
	select {
	case <-p.ready:
	case <-r.ctx.Done():
		return 0, context.Cause(r.ctx)
	}
	f := &r.store.fetcher
	f.mu.Lock()
	if p.err != nil {
		f.drop(r, p)
		f.mu.Unlock()
		return 0, p.err
	}
	n := copy(b, p.data[off-p.from:])
	f.clock++
	p.used = f.clock
	p.wanted -= int64(n)
	if p.announced && p.wanted <= 0 || !p.announced && off+int64(n) == p.to {
		f.drop(r, p)
		f.pump()
	}
	f.mu.Unlock()
	return n, nil
}

// partOf returns the part that has a byte, and starts it if it is not being fetched.
func (r *reader) partOf(off, needed int64) *part {
	f := &r.store.fetcher
	f.mu.Lock()
	defer f.mu.Unlock()
	has := func(p *part) bool { return p.has(off) }
	if i := slices.IndexFunc(r.parts, has); i >= 0 {
		return r.parts[i]
	}
	if i := slices.IndexFunc(r.queue, has); i >= 0 {
		p := r.queue[i]
		r.queue = slices.Delete(r.queue, i, i+1)
		f.startNow(r, p, off+needed-p.from)
		return p
	}
	p := &part{from: off, to: min(off+max(needed, unannounced), r.summary.size)}
	f.startNow(r, p, needed)
	return p
}

// unannounced is the number of bytes that are fetched at least for a read that was not announced: of the header of a
// page, for instance.
const unannounced = 16 << 10

// fetch fetches a range. A request that breaks off, or stalls, is made again for the rest.
func (r *reader) fetch(from, to int64) ([]byte, error) {
	data := make([]byte, to-from)
	have, wait := int64(0), firstWait
	for attempt := 1; ; attempt++ {
		n, err := r.request(data[have:], from+have)
		have += n
		if have == to-from {
			return data, nil
		}
		if r.ctx.Err() != nil {
			return nil, context.Cause(r.ctx)
		}
		if isFinal(err) {
			return nil, explain(err)
		}
		if attempt >= r.store.opts.Attempts {
			return nil, fmt.Errorf("%w; %d requests for the bytes from %d on have failed", explain(err), attempt,
				from+have)
		}
		r.store.retries.Add(1)
		select {
		case <-time.After(wait/2 + rand.N(wait)):
		case <-r.ctx.Done():
			return nil, context.Cause(r.ctx)
		}
		wait = min(2*wait, longestWait)
	}
}

// isFinal reports whether a request is refused for good.
func isFinal(err error) bool {
	switch gcerrors.Code(err) {
	case gcerrors.NotFound, gcerrors.PermissionDenied, gcerrors.InvalidArgument, gcerrors.FailedPrecondition,
		gcerrors.Unimplemented:
		return true
	}
	return errors.Is(err, errChanged) || reason(err) != "" // after the attempts of the client
}

var errChanged = errors.New("the object was replaced while it was read")

// request makes one request for bytes, and returns how many came.
func (r *reader) request(data []byte, from int64) (have int64, err error) {
	ctx, cancel := context.WithCancelCause(r.ctx)
	defer cancel(nil)
	stall := time.AfterFunc(r.store.opts.Stall, func() {
		cancel(fmt.Errorf("no byte for %v", r.store.opts.Stall))
	})
	defer stall.Stop()
	r.store.requests.Add(1)
	in, err := r.bucket.NewRangeReader(ctx, r.key, from, int64(len(data)), nil)
	if err != nil {
		return 0, causeOf(ctx, err)
	}
	defer in.Close()
	if in.Size() != r.summary.size || in.ModTime().Unix() != r.summary.modified.Unix() {
		return 0, errChanged
	}
	for have < int64(len(data)) {
		n, err := in.Read(data[have:])
		have += int64(n)
		r.store.bytes.Add(int64(n))
		stall.Reset(r.store.opts.Stall)
		if err == io.EOF && have < int64(len(data)) {
			return have, io.ErrUnexpectedEOF
		}
		if err != nil && err != io.EOF {
			return have, causeOf(ctx, err)
		}
	}
	return have, nil
}

// causeOf returns why a request was cancelled, or its error.
func causeOf(ctx context.Context, err error) error {
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}
