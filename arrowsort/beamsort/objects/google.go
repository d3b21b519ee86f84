package objects

import (
	"context"
	"io"

	"cloud.google.com/go/storage"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/gcs" // for gs://
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/gcsx"

	"github.com/arrowsort/arrowsort/arrowsort/beamsort"
)

// google is Google Cloud Storage.
type google struct{ client *storage.Client }

// openGoogle connects with the default credentials or, as Beam does, without any.
func openGoogle(ctx context.Context) (beamsort.RangeReader, error) {
	client, err := gcsx.NewClient(ctx, storage.ScopeReadOnly)
	if err != nil {
		if client, err = gcsx.NewUnauthenticatedClient(ctx); err != nil {
			return nil, err
		}
	}
	return google{client}, nil
}

func (g google) Close() error { return g.client.Close() }

func (g google) OpenRange(ctx context.Context, filename string, offset, length int64) (io.ReadCloser, error) {
	bucket, object, err := gcsx.ParseObject(filename)
	if err != nil {
		return nil, err
	}
	return g.client.Bucket(bucket).Object(object).NewRangeReader(ctx, offset, length)
}
