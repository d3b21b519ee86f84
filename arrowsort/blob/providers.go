package blob

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"time"

	"cloud.google.com/go/storage"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
	"github.com/Azure/azure-sdk-for-go/sdk/azidentity"
	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go/logging"
	"github.com/googleapis/gax-go/v2"
	"gocloud.dev/blob"
	"gocloud.dev/blob/azureblob"
	"gocloud.dev/blob/fileblob"
	"gocloud.dev/blob/gcsblob"
	"gocloud.dev/blob/memblob"
	"gocloud.dev/blob/s3blob"
)

// A provider opens a bucket.
type provider func(ctx context.Context, s *Store, bucket string) (*blob.Bucket, error)

// providers are the providers by scheme.
var providers = map[string]provider{
	"s3": openS3, "gs": openGoogle, "azblob": openAzure, "file": openFiles,
	"mem": func(context.Context, *Store, string) (*blob.Bucket, error) { return memblob.OpenBucket(nil), nil },
}

// The wait before a request is made again doubles from the first up to the longest.
const (
	firstWait   = 100 * time.Millisecond
	longestWait = 5 * time.Second
)

// openS3 opens a bucket of S3, or of another server that AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL names. Such servers
// have no host names for buckets, and any region.
func openS3(ctx context.Context, s *Store, bucket string) (*blob.Bucket, error) {
	c, err := config.LoadDefaultConfig(ctx, config.WithLogger(logging.Nop{}), config.WithRetryer(func() aws.Retryer {
		return countingRetryer{retry.NewStandard(func(o *retry.StandardOptions) {
			o.MaxAttempts, o.MaxBackoff = s.opts.Attempts, longestWait
			o.RateLimiter = unlimited{} // attempts are limited by their number alone
		}), s}
	}))
	if err != nil {
		return nil, fmt.Errorf("the configuration of AWS: %w", err)
	}
	if _, err := c.Credentials.Retrieve(ctx); err != nil {
		return nil, errors.New("no credentials for S3: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE")
	}
	elsewhere := os.Getenv("AWS_ENDPOINT_URL_S3")+os.Getenv("AWS_ENDPOINT_URL") != "" || c.BaseEndpoint != nil
	if elsewhere && c.Region == "" {
		c.Region = "us-east-1"
	}
	if c.Region == "" {
		return nil, errors.New("no region for S3: set AWS_REGION to that of the bucket")
	}
	client := s3.NewFromConfig(c, func(o *s3.Options) { o.UsePathStyle = elsewhere })
	return s3blob.OpenBucket(ctx, client, bucket,
		&s3blob.Options{RequestChecksumCalculation: c.RequestChecksumCalculation})
}

// countingRetryer counts the requests that are made again.
type countingRetryer struct {
	aws.RetryerV2
	store *Store
}

func (r countingRetryer) RetryDelay(attempt int, err error) (time.Duration, error) {
	r.store.retries.Add(1)
	return r.RetryerV2.RetryDelay(attempt, err)
}

// unlimited never refuses another attempt.
type unlimited struct{}

func (unlimited) GetToken(context.Context, uint) (func() error, error) {
	return func() error { return nil }, nil
}

func (unlimited) AddTokens(uint) error { return nil }

// openGoogle opens a bucket of Google Cloud Storage, or of the emulator that STORAGE_EMULATOR_HOST names.
func openGoogle(ctx context.Context, s *Store, bucket string) (*blob.Bucket, error) {
	client, err := storage.NewClient(ctx)
	if err != nil {
		return nil, fmt.Errorf("no credentials for Google Cloud Storage: set GOOGLE_APPLICATION_CREDENTIALS (%w)", err)
	}
	client.SetRetry(storage.WithPolicy(storage.RetryAlways), storage.WithMaxAttempts(s.opts.Attempts),
		storage.WithBackoff(gax.Backoff{Initial: firstWait, Max: longestWait, Multiplier: 2}),
		storage.WithErrorFunc(func(err error) bool {
			again := storage.ShouldRetry(err)
			if again {
				s.retries.Add(1)
			}
			return again
		}))
	return gcsblob.OpenBucket(ctx, nil, bucket, &gcsblob.Options{Client: client})
}

// openAzure opens a container of Azure, or of another server that AZURE_STORAGE_CONNECTION_STRING names.
func openAzure(_ context.Context, s *Store, bucket string) (*blob.Bucket, error) {
	again := int32(s.opts.Attempts) - 1
	if again == 0 {
		again = -1 // 0 is the client's default
	}
	client, err := azureClient(bucket, &container.ClientOptions{ClientOptions: policy.ClientOptions{
		Retry:           policy.RetryOptions{MaxRetries: again, RetryDelay: firstWait, MaxRetryDelay: longestWait},
		PerCallPolicies: []policy.Policy{countingPolicy{s}}, PerRetryPolicies: []policy.Policy{countingPolicy{s}},
	}})
	if err != nil {
		return nil, fmt.Errorf("the credentials of Azure: %w", err)
	}
	return azureblob.OpenBucket(context.Background(), client, nil)
}

// azureClient makes a client with the credentials of the environment. It is azureblob.NewDefaultClient with options,
// which that does not take.
func azureClient(bucket string, opts *container.ClientOptions) (*container.Client, error) {
	connection, key := os.Getenv("AZURE_STORAGE_CONNECTION_STRING"), os.Getenv("AZURE_STORAGE_KEY")
	if connection != "" {
		return container.NewClientFromConnectionString(connection, bucket, opts)
	}
	server := azureblob.NewDefaultServiceURLOptions()
	if server.AccountName == "" {
		return nil, errors.New("there is no account: set AZURE_STORAGE_ACCOUNT and AZURE_STORAGE_KEY, or " +
			"AZURE_STORAGE_CONNECTION_STRING")
	}
	service, err := azureblob.NewServiceURL(server)
	if err != nil {
		return nil, err
	}
	address, err := url.JoinPath(string(service), bucket)
	if err != nil {
		return nil, err
	}
	if key != "" {
		shared, err := container.NewSharedKeyCredential(server.AccountName, key)
		if err != nil {
			return nil, err
		}
		return container.NewClientWithSharedKeyCredential(address, shared, opts)
	}
	if server.SASToken != "" {
		return container.NewClientWithNoCredential(address, opts)
	}
	identity, err := azidentity.NewDefaultAzureCredential(nil)
	if err != nil {
		return nil, err
	}
	return container.NewClient(address, identity, opts)
}

// countingPolicy counts the requests that are made again: it is called once for all attempts of a request, which gives
// the request a count, and then for each.
type countingPolicy struct{ store *Store }

func (p countingPolicy) Do(request *policy.Request) (*http.Response, error) {
	var attempts *int
	if !request.OperationValue(&attempts) {
		request.SetOperationValue(new(int))
		return request.Next()
	}
	if *attempts++; *attempts > 1 {
		p.store.retries.Add(1)
	}
	return request.Next()
}

// openFiles opens the file system of this machine.
func openFiles(context.Context, *Store, string) (*blob.Bucket, error) {
	return fileblob.OpenBucket("/", &fileblob.Options{NoTempDir: true, Metadata: fileblob.MetadataDontWrite})
}
