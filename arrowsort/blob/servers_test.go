package blob_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/blob"
)

// The servers are built once, in the folder build of the repository: their modules are none of this one.
var (
	versity = sync.OnceValues(func() (string, error) {
		return build("versitygw-v1.8.0", "github.com/versity/versitygw/cmd/versitygw@v1.8.0")
	})
	fakeGCS = sync.OnceValues(func() (string, error) {
		return build("fake-gcs-server-v1.56.1", "github.com/fsouza/fake-gcs-server@v1.56.1")
	})
)

func build(folder, program string) (string, error) {
	folder, err := filepath.Abs(filepath.Join("../../build/servers", folder))
	if err != nil {
		return "", err
	}
	if built, _ := filepath.Glob(filepath.Join(folder, "*")); len(built) == 1 {
		return built[0], nil
	}
	cmd := exec.Command("go", "install", "-trimpath", program)
	cmd.Env = append(os.Environ(), "GOBIN="+folder, "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	built, err := filepath.Glob(filepath.Join(folder, "*"))
	return built[0], err
}

// serve starts a program that listens at a free port of the loopback interface, and ends it with the test.
func serve(t *testing.T, program string, args func(port string) []string) (address string) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address = l.Addr().String()
	require.NoError(t, l.Close())
	_, port, _ := net.SplitHostPort(address)
	cmd := exec.Command(program, args(port)...)
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	require.Eventually(t, func() bool {
		c, err := net.Dial("tcp", address)
		if err == nil {
			c.Close()
		}
		return err == nil
	}, 30*time.Second, 20*time.Millisecond)
	return address
}

// A fault answers a request in place of the server, or changes how it is answered; it returns whether it did.
type fault func(w http.ResponseWriter, r *http.Request, forward http.Handler) bool

// An s3Server is a server of S3 with a bucket, and a proxy before it that makes faults.
type s3Server struct {
	folder string // of the bucket
	mu     sync.Mutex
	fault  fault
	seen   []string // methods and ranges
}

func (s *s3Server) set(f fault) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fault, s.seen = f, nil
}

func (s *s3Server) ServeHTTP(forward http.Handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		s.seen = append(s.seen, r.Method+" "+r.URL.Path+" "+r.Header.Get("Range"))
		f := s.fault
		s.mu.Unlock()
		if f == nil || !f(w, r, forward) {
			forward.ServeHTTP(w, r)
		}
	}
}

// startS3 starts versitygw with a bucket "bucket" on a folder, and names it in the environment.
func startS3(t *testing.T) *s3Server {
	program, err := versity()
	require.NoError(t, err)
	root, sidecar := t.TempDir(), t.TempDir()
	s := &s3Server{folder: filepath.Join(root, "bucket")}
	require.NoError(t, os.Mkdir(s.folder, 0o700))
	address := serve(t, program, func(port string) []string {
		return []string{"--port", "127.0.0.1:" + port, "--access", "key", "--secret", "secret", "--quiet", "posix",
			"--sidecar", sidecar, root}
	})
	forward := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: address})
	forward.ErrorLog = log.New(io.Discard, "", 0) // of requests that are cancelled
	proxy := httptest.NewServer(s.ServeHTTP(forward))
	t.Cleanup(proxy.Close)
	for name, value := range map[string]string{"AWS_ENDPOINT_URL_S3": proxy.URL, "AWS_ACCESS_KEY_ID": "key",
		"AWS_SECRET_ACCESS_KEY": "secret", "AWS_REGION": "us-east-1", "AWS_EC2_METADATA_DISABLED": "true"} {
		t.Setenv(name, value)
	}
	return s
}

// startGCS starts fake-gcs-server with a bucket "bucket", and names it in the environment.
func startGCS(t *testing.T) {
	program, err := fakeGCS()
	require.NoError(t, err)
	data := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(data, "bucket"), 0o700))
	address := serve(t, program, func(port string) []string {
		return []string{"-scheme", "http", "-host", "127.0.0.1", "-port", port, "-backend", "memory", "-data", data,
			"-public-host", "127.0.0.1:" + port, "-external-url", "http://127.0.0.1:" + port, "-log-level", "error"}
	})
	t.Setenv("STORAGE_EMULATOR_HOST", "http://"+address)
}

// newStore returns a store that retries at once and is closed with the test.
func newStore(t *testing.T, opts blob.Options) *blob.Store {
	s := blob.NewStore(opts)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

// put stores an object.
func put(t *testing.T, s *blob.Store, address string, content []byte) {
	w, err := s.Create(context.WithoutCancel(t.Context()), address)
	require.NoError(t, err)
	_, err = w.Write(content)
	require.NoError(t, err)
	require.NoError(t, w.Flush())
	require.NoError(t, w.Commit())
}

// get returns the content of an object.
func get(t *testing.T, s *blob.Store, address string) []byte {
	f, err := s.Open(t.Context(), address)
	require.NoError(t, err)
	defer f.Close()
	content := make([]byte, f.Size())
	n, err := f.ReadAt(content, 0)
	require.NoError(t, err)
	require.Equal(t, len(content), n)
	return content
}
