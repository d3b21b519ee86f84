package blob

import (
	"context"
	"fmt"

	"gocloud.dev/blob"

	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
)

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
	u.store.forget(u.address)
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
