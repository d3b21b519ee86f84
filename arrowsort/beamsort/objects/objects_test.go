package objects

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A store serves one object as both stores do, for requests of a range.
type store struct {
	*httptest.Server
	mu     sync.Mutex
	ranges []string
}

func newStore(t *testing.T, path string, object []byte) *store {
	s := &store{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.ranges = append(s.ranges, r.Header.Get("Range"))
		s.mu.Unlock()
		if r.URL.Path != path {
			http.NotFound(w, r)
			return
		}
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(object))
	}))
	t.Cleanup(s.Close)
	return s
}

var object = []byte("0123456789abcdef")

func TestAmazon(t *testing.T) {
	s := newStore(t, "/bucket/folder/a.parquet", object)
	for name, value := range map[string]string{"AWS_ENDPOINT_URL_S3": s.URL, "AWS_ACCESS_KEY_ID": "id",
		"AWS_SECRET_ACCESS_KEY": "key", "AWS_REGION": "us-east-1", "AWS_EC2_METADATA_DISABLED": "true"} {
		t.Setenv(name, value)
	}
	r, err := openAmazon(t.Context())
	require.NoError(t, err)
	defer r.Close()
	part, err := r.OpenRange(t.Context(), "s3://bucket/folder/a.parquet", 3, 5)
	require.NoError(t, err)
	requireText(t, "34567", part)
	require.Equal(t, []string{"bytes=3-7"}, s.ranges)
	_, err = r.OpenRange(t.Context(), "s3://bucket/folder/b.parquet", 3, 5)
	require.ErrorContains(t, err, "404")
	_, err = r.OpenRange(t.Context(), "s3://bucket", 3, 5)
	require.ErrorContains(t, err, "s3://bucket names no object")
}

func TestGoogle(t *testing.T) {
	s := newStore(t, "/bucket/folder/a.parquet", object)
	t.Setenv("STORAGE_EMULATOR_HOST", strings.TrimPrefix(s.URL, "http://"))
	r, err := openGoogle(t.Context())
	require.NoError(t, err)
	defer r.Close()
	part, err := r.OpenRange(t.Context(), "gs://bucket/folder/a.parquet", 3, 5)
	require.NoError(t, err)
	requireText(t, "34567", part)
	require.Equal(t, []string{"bytes=3-7"}, s.ranges)
	_, err = r.OpenRange(t.Context(), "gs://bucket/folder/b.parquet", 3, 5)
	require.Error(t, err)
	_, err = r.OpenRange(t.Context(), "other://x", 3, 5)
	require.Error(t, err)
}

func requireText(t *testing.T, want string, r io.ReadCloser) {
	t.Helper()
	b, err := io.ReadAll(r)
	require.NoError(t, err)
	require.NoError(t, r.Close())
	require.Equal(t, want, string(b))
}
