package objects

import (
	"context"
	"fmt"
	"io"
	"strings"

	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/s3" // registers it
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/arrowsort/arrowsort/arrowsort/beamsort"
)

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
