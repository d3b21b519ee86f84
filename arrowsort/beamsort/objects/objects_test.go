package objects

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/log"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort"
	"github.com/arrowsort/arrowsort/arrowsort/beamsort"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
)

func TestMain(m *testing.M) {
	flag.Parse()
	log.SetupLogging("error", "text")
	beam.Init()
	os.Exit(m.Run())
}

// A server serves one object as S3 does: s3://bucket/in/a.parquet.
type server struct {
	mu       sync.Mutex
	object   []byte
	modified time.Time
	ranges   []string // that were asked for
}

// startServer starts a server and names it in the environment.
func startServer(t *testing.T) *server {
	s := &server{}
	at := httptest.NewServer(s)
	t.Cleanup(at.Close)
	for name, value := range map[string]string{"AWS_ENDPOINT_URL_S3": at.URL, "AWS_ACCESS_KEY_ID": "id",
		"AWS_SECRET_ACCESS_KEY": "key", "AWS_REGION": "us-east-1", "AWS_EC2_METADATA_DISABLED": "true"} {
		t.Setenv(name, value)
	}
	return s
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case r.URL.Query().Get("list-type") == "2":
		fmt.Fprint(w, "<ListBucketResult><Contents><Key>in/a.parquet</Key><Size>1</Size>"+
			"<LastModified>2026-01-01T00:00:00Z</LastModified></Contents></ListBucketResult>")
	case r.URL.Path == "/bucket/in/a.parquet":
		if r.Method == http.MethodGet {
			s.ranges = append(s.ranges, r.Header.Get("Range"))
		}
		http.ServeContent(w, r, "", s.modified, bytes.NewReader(s.object))
	default:
		http.NotFound(w, r)
	}
}

// put replaces the object by a file of random rows.
func (s *server) put(t *testing.T, rows int) {
	values := array.NewInt64Builder(memory.DefaultAllocator)
	for range rows {
		values.Append(rand.Int64())
	}
	schema := arrow.NewSchema([]arrow.Field{{Name: "key", Type: arrow.PrimitiveTypes.Int64}}, nil)
	table := array.NewTableFromSlice(schema, [][]arrow.Array{{values.NewArray()}})
	path := filepath.Join(t.TempDir(), "a.parquet")
	_, err := tablefile.Write(t.Context(), path, table, tablefile.WriteOptions{})
	require.NoError(t, err)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.object, err = os.ReadFile(path)
	require.NoError(t, err)
	s.modified = s.modified.Add(time.Hour)
}

// TestInputsOfS3 are read by ranges: an object as it is when the pipeline is built. One that is replaced later is an
// error that names it, and no error for the next pipeline.
func TestInputsOfS3(t *testing.T) {
	s, keys := startServer(t), []arrowsort.Key{{Path: "key"}}
	for _, replaced := range []bool{false, true, false} {
		const rows = 200_000
		s.put(t, rows)
		output := t.TempDir()
		p, scope := beam.NewPipelineWithRoot()
		_, err := beamsort.Sort(t.Context(), scope, []string{"s3://bucket/in/*.parquet"}, output, keys,
			beamsort.Options{Shards: 2})
		require.NoError(t, err)
		if replaced {
			s.put(t, rows+1)
		}
		_, err = prism.Execute(context.Background(), p)
		if replaced {
			require.ErrorContains(t, err, "s3://bucket/in/a.parquet: ")
			require.ErrorContains(t, err, "the object was replaced while it was read")
			continue
		}
		require.NoError(t, err)
		check, err := parquetsort.Check(t.Context(), []string{filepath.Join(output, "part-*")},
			parquetsort.CheckOptions{Keys: keys})
		require.NoError(t, err)
		require.Nil(t, check.Violation)
		require.EqualValues(t, rows, check.Rows)
	}
	require.False(t, slices.ContainsFunc(s.ranges, func(r string) bool { return !strings.HasPrefix(r, "bytes=") }))
	_, err := beamsort.Sort(t.Context(), beam.Scope{}, []string{"s3://bucket/b.parquet"}, t.TempDir(), keys,
		beamsort.Options{})
	require.ErrorContains(t, err, "s3://bucket/b.parquet: there is no such object")
}

// TestSchemes: inputs of three, and outputs of those that Beam has.
func TestSchemes(t *testing.T) {
	for _, scheme := range []string{"s3", "gs", "azblob"} {
		require.Panics(t, func() { beamsort.RegisterStore(nil, scheme) }, scheme)
	}
	filesystem.ValidateScheme("s3://bucket/x") // which panics for those that Beam has not
	filesystem.ValidateScheme("gs://bucket/x")
}
