package blob_test

import (
	"bytes"
	"encoding/json"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/internal/testrun"
)

// A command is the built command with object stores.
type command string

func buildCommand(t *testing.T) command {
	path := filepath.Join(t.TempDir(), "arrowsort")
	out, err := exec.CommandContext(t.Context(), "go", "build", "-o", path, "./cmd/arrowsort").CombinedOutput()
	require.NoError(t, err, string(out))
	return command(path)
}

// run runs the command and returns what it prints, and the exit code.
func (c command) run(t *testing.T, args ...string) (out, errors string, code int) {
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(t.Context(), string(c), args...)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		require.ErrorAs(t, err, new(*exec.ExitError))
	}
	return stdout.String(), stderr.String(), cmd.ProcessState.ExitCode()
}

// The server that docs/objects.md starts has the flights of the examples, which the command sorts.
func TestTheServerForATry(t *testing.T) {
	_, err := versity()
	require.NoError(t, err)
	folder, err := os.MkdirTemp("../../build", "objects")
	require.NoError(t, err)
	t.Cleanup(func() { os.RemoveAll(folder) })
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	_, port, err := net.SplitHostPort(l.Addr().String())
	require.NoError(t, err)
	require.NoError(t, l.Close())
	cmd := exec.CommandContext(t.Context(), "bash", "-c", `. arrowsort/blob/server.sh "build/$1" "$2" && shift 2 &&
		"$@" && kill %1`, "bash", filepath.Base(folder), port, string(buildCommand(t)), "sort", "-k", "delay:desc",
		"-o", "s3://bucket/sorted.parquet", "s3://bucket/flights.parquet")
	cmd.Dir = "../.."
	cmd.Env = append(os.Environ(), "AWS_REGION=", "AWS_PROFILE=")
	out, err := cmd.CombinedOutput()
	require.NoError(t, err, string(out))
	require.FileExists(t, filepath.Join(folder, "data/bucket/sorted.parquet"))
}

// All commands take addresses, --json counts requests and those that were made again, and messages are one line.
func TestCommandsTakeAddresses(t *testing.T) {
	s, cmd := startS3(t), buildCommand(t)
	write(t, filepath.Join(s.folder, "in.parquet"), table(rand.New(rand.NewPCG(testrun.Seed(), 3)), 60_000, 3), 20_000)
	local := filepath.Join(t.TempDir(), "local.parquet")
	_, errors, code := cmd.run(t, "sort", "-q", "-k", "key", "-o", local, filepath.Join(s.folder, "in.parquet"))
	require.Zero(t, code, errors)

	var requests atomic.Int64
	s.set(func(w http.ResponseWriter, r *http.Request, _ http.Handler) bool {
		if r.Method == http.MethodGet && requests.Add(1)%4 == 0 {
			http.Error(w, "broken", http.StatusServiceUnavailable)
			return true
		}
		return false
	})
	out, errors, code := cmd.run(t, "sort", "--json", "-k", "key", "-o", "s3://bucket/sorted.parquet",
		"s3://bucket/*.parquet")
	s.set(nil)
	require.Zero(t, code, errors)
	var report struct {
		Objects struct {
			Requests     int64 `json:"requests"`
			Retries      int64 `json:"retries"`
			BytesFetched int64 `json:"bytes_fetched"`
		} `json:"objects"`
	}
	require.NoError(t, json.Unmarshal([]byte(out), &report))
	require.Positive(t, report.Objects.Retries)
	require.Positive(t, report.Objects.Requests)
	require.Positive(t, report.Objects.BytesFetched)
	requireSameFile(t, local, filepath.Join(s.folder, "sorted.parquet"))

	for _, args := range [][]string{
		{"check", "-k", "key", "s3://bucket/sorted.parquet"}, {"check", "s3://bucket/sorted.parquet"},
		{"explain", "-k", "row", "s3://bucket/sorted.parquet"}, {"info", "s3://bucket/sorted.parquet"},
		{"layout", "s3://bucket/sorted.parquet"},
		{"merge", "-q", "-o", "s3://bucket/all.parquet", "s3://bucket/s*.parquet"},
		{"argsort", "-q", "-k", "key", "-o", "s3://bucket/order.arrow", "s3://bucket/in.parquet"},
		{"sort", "-k", "key", "--preview", "3", "s3://bucket/in.parquet"},
		{"sort", "-q", "-k", "key", "-o", filepath.Join(t.TempDir(), "x.csv"), "s3://bucket/in.parquet"},
	} {
		_, errors, code := cmd.run(t, args...)
		require.Zero(t, code, "%v: %s", args, errors)
	}
	for text, args := range map[string][]string{
		"ftp://h/x.parquet is an address":       {"-o", "x.parquet", "ftp://h/x.parquet"},
		"-o ftp://h/x.parquet is an address":    {"-o", "ftp://h/x.parquet", local},
		"s3://none/x.parquet: there is no":      {"-o", "s3://none/x.parquet", local},
		"s3://bucket/no.parquet: there is no":   {"-o", "x.parquet", "s3://bucket/no.parquet"},
		"--partition-by writes folders of this": {"--partition-by", "row", "-o", "s3://bucket/folder", local},
		"64":                                    {"--memory", "20MiB", "-o", "s3://bucket/x.parquet", local},
	} {
		_, errors, code := cmd.run(t, append([]string{"sort", "-k", "key"}, args...)...)
		require.Contains(t, errors, text)
		require.Equal(t, 1, strings.Count(errors, "\n"), errors)
		require.Contains(t, []int{1, 2}, code, errors)
	}
}

func requireSameFile(t *testing.T, want, got string) {
	t.Helper()
	a, err := os.ReadFile(want)
	require.NoError(t, err)
	b, err := os.ReadFile(got)
	require.NoError(t, err)
	require.True(t, bytes.Equal(a, b), "%s is not %s", got, want)
}

// Without credentials the error says which are missing, before any work.
func TestMissingCredentials(t *testing.T) {
	s, cmd := startS3(t), buildCommand(t)
	write(t, filepath.Join(s.folder, "in.parquet"), table(rand.New(rand.NewPCG(1, 3)), 10, 1), 10)
	t.Setenv("AWS_ACCESS_KEY_ID", "")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "")
	t.Setenv("HOME", t.TempDir())
	_, errors, code := cmd.run(t, "sort", "-k", "key", "-o", "x.parquet", "s3://bucket/in.parquet")
	require.Equal(t, 1, code)
	require.Equal(t, "arrowsort: s3://bucket/in.parquet: no credentials for S3: set AWS_ACCESS_KEY_ID and "+
		"AWS_SECRET_ACCESS_KEY, or AWS_PROFILE\n", errors)
	require.Equal(t, 0, len(s.seen), "requests")
}

// The first commands of docs/objects.md start a server and sort in it.
func TestCommandsOfTheDocuments(t *testing.T) {
	root, err := filepath.Abs("../..")
	require.NoError(t, err)
	page, err := os.ReadFile(filepath.Join(root, "docs/objects.md"))
	require.NoError(t, err)
	block := regexp.MustCompile("(?ms)^```bash\n(.*?)^```$").FindStringSubmatch(string(page))[1]
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	_, port, _ := net.SplitHostPort(l.Addr().String())
	require.NoError(t, l.Close())
	script := strings.Replace(block, "build/objects", t.TempDir()+" "+port, 1)
	output, err := os.Create(filepath.Join(t.TempDir(), "output"))
	require.NoError(t, err)
	defer output.Close()
	cmd := exec.CommandContext(t.Context(), "bash", "-ec", script)
	cmd.Dir, cmd.Stdout, cmd.Stderr = root, output, output
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // the server stays
	err = cmd.Run()
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	text, _ := os.ReadFile(output.Name())
	require.NoError(t, err, string(text))
	require.Contains(t, string(text), "sorted by delay (descending)")
}
