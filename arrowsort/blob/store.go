package blob

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"gocloud.dev/blob"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
)

// Options are the options of a Store. The zero value is right.
type Options struct {
	// Stall is how long a request may go without a byte before it is made again; 0 is 30 s.
	Stall time.Duration
	// Attempts is how often a request is made at most; 0 is 5.
	Attempts int
}

// Stats are what a Store did so far.
type Stats struct {
	Requests     int64 // for ranges of objects
	Retries      int64 // requests, of any kind, that were made again
	BytesFetched int64
}

// A Store has the objects of all schemes, by addresses such as s3://bucket/key. Its methods may be called by several
// goroutines. Close it at the end.
type Store struct {
	opts    Options
	fetcher fetcher

	mu      sync.Mutex
	buckets map[string]*blob.Bucket // by scheme and name
	known   *summaries

	requests, retries, bytes atomic.Int64
}

var _ parquetsort.Store = (*Store)(nil)

// NewStore returns a store, which connects to nothing yet.
func NewStore(opts Options) *Store {
	if opts.Stall == 0 {
		opts.Stall = 30 * time.Second
	}
	if opts.Attempts == 0 {
		opts.Attempts = 5
	}
	s := &Store{opts: opts, buckets: map[string]*blob.Bucket{}}
	s.Forget()
	s.Limit(defaultMemory)
	return s
}

// defaultMemory is the memory of a store to which nobody gives another.
const defaultMemory = 128 << 20

// Limit sets how many bytes of memory the store takes, about, of which a quarter is for uploads.
func (s *Store) Limit(bytes int64) { s.fetcher.setLimit(bytes) }

// Stats returns what the store did so far.
func (s *Store) Stats() Stats {
	return Stats{Requests: s.requests.Load(), Retries: s.retries.Load(), BytesFetched: s.bytes.Load()}
}

// Schemes are the schemes of addresses that a Store has.
var Schemes = []string{"s3", "gs", "azblob", "mem", "file"}

// Has reports whether an address is one of the store.
func (s *Store) Has(address string) bool { return providers[tablefile.Scheme(address)] != nil }

// An object is the place of an object.
type object struct {
	scheme, bucket, key string
}

// place takes an address apart. The bucket of files is the root of the file system.
func place(address string) (o object, err error) {
	scheme, rest, _ := strings.Cut(address, "://")
	o.scheme = scheme
	o.bucket, o.key, _ = strings.Cut(rest, "/")
	switch {
	case scheme == "file" && o.bucket != "":
		return o, errors.New("file:// is followed by an absolute path")
	case scheme != "file" && o.bucket == "":
		return o, errors.New("the address names no bucket")
	}
	return o, nil
}

// address returns the address of another key in the bucket.
func (o *object) address(key string) string { return o.scheme + "://" + o.bucket + "/" + key }

// open returns the bucket of an address, and the key in it.
func (s *Store) open(ctx context.Context, address string) (*blob.Bucket, object, error) {
	o, err := place(address)
	if err != nil {
		return nil, o, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	name := o.scheme + "://" + o.bucket
	if b := s.buckets[name]; b != nil {
		return b, o, nil
	}
	b, err := providers[o.scheme](context.WithoutCancel(ctx), s, o.bucket)
	if err != nil {
		return nil, o, err
	}
	s.buckets[name] = b
	return b, o, nil
}

// List returns the addresses of all objects that begin with a prefix.
func (s *Store) List(ctx context.Context, prefix string) (addresses []string, err error) {
	b, o, err := s.open(ctx, prefix)
	if err != nil {
		return nil, named(prefix, err)
	}
	for all := b.List(&blob.ListOptions{Prefix: o.key}); ; {
		entry, err := all.Next(ctx)
		if err == io.EOF {
			return addresses, nil
		}
		if err != nil {
			return nil, named(prefix, explain(err))
		}
		if !strings.HasSuffix(entry.Key, "/") { // what consoles make to show an empty folder
			addresses = append(addresses, o.address(entry.Key))
		}
	}
}

// Check returns why no object can be created at an address: its bucket is missing, or cannot be reached.
func (s *Store) Check(ctx context.Context, address string) error {
	b, o, err := s.open(ctx, address)
	if err != nil {
		return named(address, err)
	}
	if o.key == "" || strings.HasSuffix(o.key, "/") {
		return named(address, errors.New("the address names no object: add a name, such as sorted.parquet"))
	}
	_, _, err = b.ListPage(ctx, blob.FirstPageToken, 1, nil)
	switch err = explain(err); {
	case errors.Is(err, fs.ErrNotExist):
		return named(address, fmt.Errorf("there is no bucket %s, or no access to it", o.bucket))
	case err != nil:
		return named(address, err)
	}
	return nil
}

// Close closes the connections.
func (s *Store) Close() error {
	s.Forget()
	s.mu.Lock()
	defer s.mu.Unlock()
	var errs []error
	for _, b := range s.buckets {
		errs = append(errs, b.Close())
	}
	s.buckets = map[string]*blob.Bucket{}
	return errors.Join(errs...)
}

// An upload is an object that is written. Its parts are uploaded while the next are written.
type upload struct {
	store   *Store
	bucket  *blob.Bucket
	address string
	key     string
	ctx     context.Context
	cancel  func()
	w       *blob.Writer
	bytes   int64
}

// The parts of uploads: S3 takes 5 MiB at least, and 10,000 of them.
const (
	leastUpload, mostUpload = 5 << 20, 32 << 20
	uploadsAtOnce           = 2
)

// Create begins an object, which appears with Commit.
func (s *Store) Create(ctx context.Context, address string) (parquetsort.NewFile, error) {
	b, o, err := s.open(ctx, address)
	if err != nil {
		return nil, err
	}
	u := &upload{store: s, bucket: b, address: address, key: o.key}
	u.ctx, u.cancel = context.WithCancel(ctx)
	size := min(max(s.fetcher.uploads()/(uploadsAtOnce+1), leastUpload), mostUpload)
	u.w, err = b.NewWriter(u.ctx, o.key, &blob.WriterOptions{BufferSize: int(size), MaxConcurrency: uploadsAtOnce,
		ContentType: "application/octet-stream", DisableContentTypeDetection: true})
	if err != nil {
		u.cancel()
		return nil, explain(err)
	}
	return u, nil
}

func (u *upload) Write(b []byte) (int, error) {
	n, err := u.w.Write(b)
	u.bytes += int64(n)
	return n, explain(err)
}

// Flush does nothing: parts are uploaded when they are full, and the last with Commit.
func (u *upload) Flush() error { return nil }

// Commit uploads the last part, and makes the object appear. It compares the size.
func (u *upload) Commit() error {
	defer u.cancel()
	defer u.store.forget(u.address) // at last, as the object may be opened before it is replaced
	if err := u.w.Close(); err != nil {
		return explain(causeOf(u.ctx, err))
	}
	stored, err := u.bucket.Attributes(u.ctx, u.key)
	if err != nil {
		return fmt.Errorf("the object is stored, and cannot be looked at: %w", explain(err))
	}
	if stored.Size != u.bytes {
		return fmt.Errorf("the object has %d of the %d bytes that were written", stored.Size, u.bytes)
	}
	return nil
}

// Abort ends the upload, and leaves nothing.
func (u *upload) Abort() {
	u.cancel()
	_ = u.w.Close() // fails, as it was cancelled
}
