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

	"github.com/Azure/azure-sdk-for-go/sdk/storage/azblob/container"
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

// azurite returns a program of node, from the registry of npm.
var azurite = sync.OnceValues(func() (string, error) {
	folder, err := filepath.Abs("../../build/servers/azurite-3.37.0")
	if err != nil {
		return "", err
	}
	program := filepath.Join(folder, "node_modules/.bin/azurite-blob")
	if _, err := os.Stat(program); err == nil {
		return program, nil
	}
	out, err := exec.Command("npm", "install", "--no-fund", "--no-audit", "--prefix", folder,
		"azurite@3.37.0").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return program, nil
})

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

// A faultProxy passes requests on to a server, and makes faults.
type faultProxy struct {
	address string
	mu      sync.Mutex
	fault   fault
	seen    []string // methods and ranges
}

func (p *faultProxy) set(f fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.fault, p.seen = f, nil
}

func startProxy(t *testing.T, server string) *faultProxy {
	p := &faultProxy{}
	forward := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: server})
	forward.ErrorLog = log.New(io.Discard, "", 0) // of requests that are cancelled
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		p.seen = append(p.seen, r.Method+" "+r.URL.Path+" "+r.Header.Get("Range"))
		f := p.fault
		p.mu.Unlock()
		if f == nil || !f(w, r, forward) {
			forward.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(proxy.Close)
	p.address = proxy.URL
	return p
}

// An s3Server is a server of S3 with a bucket.
type s3Server struct {
	*faultProxy
	folder string // of the bucket
}

// startS3 starts versitygw with a bucket "bucket" on a folder, and names it in the environment.
func startS3(t *testing.T) *s3Server {
	program, err := versity()
	require.NoError(t, err)
	root, sidecar := t.TempDir(), t.TempDir()
	folder := filepath.Join(root, "bucket")
	require.NoError(t, os.Mkdir(folder, 0o700))
	address := serve(t, program, func(port string) []string {
		return []string{"--port", "127.0.0.1:" + port, "--access", "key", "--secret", "secret", "--quiet", "posix",
			"--sidecar", sidecar, root}
	})
	p := startProxy(t, address)
	for name, value := range map[string]string{"AWS_ENDPOINT_URL_S3": p.address, "AWS_ACCESS_KEY_ID": "key",
		"AWS_SECRET_ACCESS_KEY": "secret", "AWS_REGION": "us-east-1", "AWS_EC2_METADATA_DISABLED": "true"} {
		t.Setenv(name, value)
	}
	return &s3Server{p, folder}
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

// startAzure starts azurite with a container "bucket", and a proxy before it that makes faults, and names it in the
// environment. Where there is no node it returns nil.
func startAzure(t *testing.T) *faultProxy {
	if _, err := exec.LookPath("npm"); err != nil {
		t.Log("Azure needs node and npm for its server: NOT RUN")
		return nil
	}
	program, err := azurite()
	require.NoError(t, err)
	folder := t.TempDir()
	address := serve(t, program, func(port string) []string {
		return []string{"--blobHost", "127.0.0.1", "--blobPort", port, "--location", folder, "--silent",
			"--disableTelemetry", "--skipApiVersionCheck"}
	})
	p := startProxy(t, address)
	// The account and the key that every emulator has, as they are documented.
	const account = "devstoreaccount1"
	connection := "DefaultEndpointsProtocol=http;AccountName=" + account + ";AccountKey=" +
		"Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw==;" +
		"BlobEndpoint=" + p.address + "/" + account + ";"
	t.Setenv("AZURE_STORAGE_CONNECTION_STRING", connection)
	client, err := container.NewClientFromConnectionString(connection, "bucket", nil)
	require.NoError(t, err)
	_, err = client.Create(t.Context(), nil)
	require.NoError(t, err)
	return p
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
