// Package objects registers the object stores of Google and Amazon, gs:// and s3://, with Beam, and with package
// beamsort, which then reads of an input what it needs. It is imported for that alone. Credentials are those that
// Beam's own file systems find.
package objects

import (
	"context"
	"fmt"
	"io"
	"strings"

	"cloud.google.com/go/storage"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/gcs" // for gs://
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/s3"  // registers it
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/gcsx"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/arrowsort/arrowsort/arrowsort/beamsort"
)

func init() {
	beamsort.RegisterRanges("gs", openGoogle)
	beamsort.RegisterRanges("s3", openAmazon)
}

// amazon is Amazon S3, or a store with its interface.
type amazon struct{ client *s3.Client }

func openAmazon(ctx context.Context) (beamsort.RangeReader, error) {
	c, err := config.LoadDefaultConfig(ctx)
	if err != nil {
		return nil, err
	}
	return amazon{s3.NewFromConfig(c)}, nil
}

func (amazon) Close() error { return nil }

func (a amazon) OpenRange(ctx context.Context, filename string, offset, length int64) (io.ReadCloser, error) {
	bucket, key, ok := strings.Cut(strings.TrimPrefix(filename, "s3://"), "/")
	if !ok {
		return nil, fmt.Errorf("%s names no object", filename)
	}
	object, err := a.client.GetObject(ctx, &s3.GetObjectInput{Bucket: aws.String(bucket), Key: aws.String(key),
		Range: aws.String(fmt.Sprintf("bytes=%d-%d", offset, offset+length-1))})
	if err != nil {
		return nil, err
	}
	return object.Body, nil
}

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
