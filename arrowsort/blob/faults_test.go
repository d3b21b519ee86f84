package blob_test

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/blob"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
	"github.com/arrowsort/arrowsort/internal/testrun"
)

// sorting sorts the objects of the store of an output that match large*.parquet.
func sorting(t *testing.T, store *blob.Store, output string) (*parquetsort.Result, error) {
	opts := byKey
	opts.Memory.Budget, opts.Memory.SpillDir = objectBudget, t.TempDir()
	opts.Output.RowGroupRows, opts.Run.Store = 10_000, store
	scheme, _, _ := strings.Cut(output, ":")
	return parquetsort.Sort(t.Context(), []string{scheme + "://bucket/large*.parquet"}, output, opts)
}

// startLarge starts a server with objects that take several requests, and returns what a sort of them is.
func startLarge(t *testing.T) (s *s3Server, want []byte) {
	s = startS3(t)
	r := rand.New(rand.NewPCG(testrun.Seed(), 2))
	for i := range 2 {
		write(t, filepath.Join(s.folder, fmt.Sprintf("large%d.parquet", i)), table(r, 60_000, 5), 20_000)
	}
	store := newStore(t, blob.Options{})
	_, err := sorting(t, store, "s3://bucket/want.parquet")
	require.NoError(t, err)
	require.Zero(t, store.Stats().Retries)
	want, err = os.ReadFile(filepath.Join(s.folder, "want.parquet"))
	require.NoError(t, err)
	require.NoError(t, os.Remove(filepath.Join(s.folder, "want.parquet")))
	return s, want
}

// Requests that fail are made again, those that break off or stall for the rest; what comes out is the same, and the
// store counts them.
func TestFaultsThatPass(t *testing.T) {
	s, want := startLarge(t)
	var stalled atomic.Int64
	for name, f := range map[string]func(n int64) fault{
		"error 500": func(n int64) fault {
			return func(w http.ResponseWriter, _ *http.Request, _ http.Handler) bool {
				if n%5 == 0 {
					http.Error(w, "broken", http.StatusInternalServerError)
				}
				return n%5 == 0
			}
		},
		"cut in the middle": func(n int64) fault {
			return func(w http.ResponseWriter, r *http.Request, forward http.Handler) bool {
				if n%3 != 0 || r.Method != http.MethodGet || r.Header.Get("Range") == "" {
					return false
				}
				cutAnswer(w, r, forward, nil)
				return true
			}
		},
		"stalled": func(int64) fault {
			return func(w http.ResponseWriter, r *http.Request, forward http.Handler) bool {
				if r.Method != http.MethodGet || r.Header.Get("Range") == "" || stalled.Add(1) != 5 {
					return false
				}
				cutAnswer(w, r, forward, r.Context().Done())
				return true
			}
		},
		"slow": func(int64) fault {
			return func(_ http.ResponseWriter, _ *http.Request, _ http.Handler) bool {
				time.Sleep(20 * time.Millisecond)
				return false
			}
		},
	} {
		var requests atomic.Int64
		s.set(func(w http.ResponseWriter, r *http.Request, forward http.Handler) bool {
			return f(requests.Add(1))(w, r, forward)
		})
		store := newStore(t, blob.Options{Stall: 2 * time.Second})
		_, err := sorting(t, store, "s3://bucket/sorted.parquet")
		require.NoError(t, err, name)
		got, err := os.ReadFile(filepath.Join(s.folder, "sorted.parquet"))
		require.NoError(t, err, name)
		require.Equal(t, want, got, name)
		require.Equal(t, name != "slow", store.Stats().Retries > 0, name)
		s.set(nil)
	}
}

// cutAnswer passes on half of an answer, and then ends the connection, after something has happened.
func cutAnswer(w http.ResponseWriter, r *http.Request, forward http.Handler, after <-chan struct{}) {
	answer := httptest.NewRecorder()
	forward.ServeHTTP(answer, r)
	for name, values := range answer.Header() {
		w.Header()[name] = values
	}
	w.WriteHeader(answer.Code)
	body := answer.Body.Bytes()
	_, _ = w.Write(body[:len(body)/2])
	w.(http.Flusher).Flush()
	if after != nil {
		<-after
	}
	panic(http.ErrAbortHandler)
}

// Faults that stay are errors that name the object and what to do. Nothing of the output is left: no object, and no
// upload that waits to be completed.
func TestFaultsThatStay(t *testing.T) {
	s, _ := startLarge(t)
	answer := func(code int, body string, methods string) fault {
		return func(w http.ResponseWriter, r *http.Request, _ http.Handler) bool {
			if !strings.Contains(methods, r.Method+" ") || methods == "GET " && r.Header.Get("Range") == "" {
				return false
			}
			w.Header().Set("Content-Type", "application/xml")
			w.WriteHeader(code)
			_, _ = io.WriteString(w, body)
			return true
		}
	}
	expired := "<Error><Code>ExpiredToken</Code><Message>The provided token has expired.</Message></Error>"
	for _, test := range []struct {
		fault  fault
		output string
		text   []string
	}{
		{answer(500, "", "GET "), "s3://bucket/sorted.parquet", []string{"s3://bucket/large0.parquet"}},
		{answer(403, expired, "GET HEAD PUT POST "), "s3://bucket/sorted.parquet",
			[]string{"s3://bucket/", "ExpiredToken"}},
		{answer(403, expired, "GET "), "s3://bucket/sorted.parquet",
			[]string{"s3://bucket/large0.parquet", "ExpiredToken", "credentials"}},
		{answer(500, "", "PUT "), "s3://bucket/sorted.parquet", []string{"s3://bucket/sorted.parquet"}},
		{nil, "s3://other/sorted.parquet", []string{"s3://other/sorted.parquet", "no bucket other"}},
		{nil, "s3:///x.parquet", []string{"names no bucket"}},
	} {
		s.set(test.fault)
		store := newStore(t, blob.Options{Attempts: 2})
		_, err := sorting(t, store, test.output)
		s.set(nil)
		for _, text := range test.text {
			require.ErrorContains(t, err, text)
		}
		requireNothingLeft(t, s)
	}
	store := newStore(t, blob.Options{})
	require.ErrorContains(t, store.Check(t.Context(), "s3://bucket/folder/"), "names no object")
	opts := byKey
	opts.Run.Store = store
	for input, text := range map[string]string{
		"s3://bucket/none.parquet": "no such object", "s3://none/*.parquet": "no such object or bucket",
		"s3://bucket/none*.parquet": "no file matches", "s3://bucket/none/": "no Parquet or Arrow file",
	} {
		_, err := parquetsort.Sort(t.Context(), []string{input}, "s3://bucket/sorted.parquet", opts)
		require.ErrorContains(t, err, strings.TrimSuffix(input, "*.parquet"))
		require.ErrorContains(t, err, text)
	}
	requireNothingLeft(t, s)
}

// requireNothingLeft makes sure that the bucket has its two inputs only.
func requireNothingLeft(t *testing.T, s *s3Server) {
	t.Helper()
	var files []string
	require.NoError(t, filepath.WalkDir(s.folder, func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			files = append(files, filepath.Base(path))
		}
		return err
	}))
	require.Equal(t, []string{"large0.parquet", "large1.parquet"}, files)
}

// Several outputs appear in order. A failure names those that stand, and they are complete.
func TestAFailureListsTheOutputsThatStand(t *testing.T) {
	s, _ := startLarge(t)
	s.set(func(w http.ResponseWriter, r *http.Request, _ http.Handler) bool {
		if r.Method != http.MethodGet && strings.Contains(r.URL.Path, "-00003") {
			http.Error(w, "full", http.StatusInsufficientStorage)
			return true
		}
		return false
	})
	opts := byKey
	opts.Memory.Budget, opts.Memory.SpillDir = objectBudget, t.TempDir()
	opts.Output.RowGroupRows, opts.Output.RowsPerFile = 10_000, 25_000
	opts.Run.Store = newStore(t, blob.Options{Attempts: 2})
	_, err := parquetsort.Sort(t.Context(), []string{"s3://bucket/large*.parquet"}, "s3://bucket/out.parquet", opts)
	require.ErrorContains(t, err, "s3://bucket/out-00003.parquet")
	require.ErrorContains(t, err,
		"these 2 outputs are complete and stay: s3://bucket/out-00001.parquet to s3://bucket/out-00002.parquet")
	for i, there := range []bool{true, true, false, false, false} {
		_, err := os.Stat(filepath.Join(s.folder, fmt.Sprintf("out-%05d.parquet", i+1)))
		require.Equal(t, there, err == nil, i)
	}
	s.set(nil)
	opts.Run.Store = newStore(t, blob.Options{})
	_, err = parquetsort.Sort(t.Context(), []string{"s3://bucket/large*.parquet"}, "s3://bucket/out.parquet", opts)
	require.ErrorIs(t, err, parquetsort.ErrOption)
	require.ErrorContains(t, err, "s3://bucket/out-00001.parquet is there already")
}

// What is kept of an object is never of one that was replaced: not what was asked for before Forget, and not what was
// opened while the object was written.
func TestObjectsThatAreReplacedAreOpenedAgain(t *testing.T) {
	const address = "s3://bucket/a"
	s, store, other := startS3(t), newStore(t, blob.Options{}), newStore(t, blob.Options{})
	put(t, other, address, []byte("first"))
	s.set(func(_ http.ResponseWriter, r *http.Request, _ http.Handler) bool {
		if r.Method == http.MethodGet {
			store.Forget()
		}
		return false
	})
	require.Equal(t, "first", string(get(t, store, address)))
	s.set(nil)
	put(t, other, address, []byte("second"))
	require.Equal(t, "second", string(get(t, store, address)))
	s.set(func(_ http.ResponseWriter, r *http.Request, _ http.Handler) bool {
		if r.Method != http.MethodPut {
			return false
		}
		if f, err := store.Open(context.Background(), address); err == nil {
			f.Close()
		}
		return false
	})
	put(t, store, address, []byte("third"))
	require.Equal(t, "third", string(get(t, store, address)))
}

// A sort reads the footers, and the columns that it needs, by few requests.
func TestOnlyWhatIsNeededIsFetched(t *testing.T) {
	s, _ := startLarge(t)
	size := int64(0)
	for i := range 2 {
		info, err := os.Stat(filepath.Join(s.folder, fmt.Sprintf("large%d.parquet", i)))
		require.NoError(t, err)
		size += info.Size()
	}
	store := newStore(t, blob.Options{})
	opts := byKey
	opts.Columns, opts.Run.Store = []string{"row"}, store
	_, err := parquetsort.Sort(t.Context(), []string{"s3://bucket/large*.parquet"}, "s3://bucket/row.parquet", opts)
	require.NoError(t, err)
	stats := store.Stats()
	require.Less(t, stats.BytesFetched, size/10, "of the %d bytes of the objects", size)
	require.Less(t, stats.Requests, int64(20))

	store = newStore(t, blob.Options{})
	_, err = sorting(t, store, "s3://bucket/sorted.parquet")
	require.NoError(t, err)
	stats = store.Stats()
	require.Less(t, stats.BytesFetched, size+size/20)
	require.Less(t, stats.Requests, size/(1<<20)+20, "requests of 1 MiB or more")
}
