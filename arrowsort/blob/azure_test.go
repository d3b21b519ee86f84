package blob_test

import (
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

	"github.com/stretchr/testify/require"

	"github.com/arrowsort/arrowsort/arrowsort/blob"
	"github.com/arrowsort/arrowsort/internal/testrun"
)

// Requests to Azure that fail are made again and counted. Refusals, and failures that stay, are errors that name the
// object and leave none of the output.
func TestFaultsOfAzure(t *testing.T) {
	p := startAzure(t)
	if p == nil {
		return
	}
	r := rand.New(rand.NewPCG(testrun.Seed(), 3))
	store := newStore(t, blob.Options{})
	for i := range 2 {
		file := filepath.Join(t.TempDir(), "large.parquet")
		write(t, file, table(r, 60_000, 5), 20_000)
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		put(t, store, fmt.Sprintf("azblob://bucket/large%d.parquet", i), content)
	}
	_, err := sorting(t, store, "azblob://bucket/want.parquet")
	require.NoError(t, err)
	require.Zero(t, store.Stats().Retries)
	want := get(t, store, "azblob://bucket/want.parquet")

	var requests atomic.Int64
	p.set(func(w http.ResponseWriter, _ *http.Request, _ http.Handler) bool {
		fails := requests.Add(1)%5 == 0
		if fails {
			http.Error(w, "broken", http.StatusInternalServerError)
		}
		return fails
	})
	again := newStore(t, blob.Options{})
	_, err = sorting(t, again, "azblob://bucket/sorted.parquet")
	require.NoError(t, err)
	require.Positive(t, again.Stats().Retries)
	require.LessOrEqual(t, again.Stats().Retries, requests.Load()/5) // less: what the end of the sort cancels
	p.set(nil)
	require.Equal(t, want, get(t, store, "azblob://bucket/sorted.parquet"))

	refuse := func(code int, why, method string) fault {
		return func(w http.ResponseWriter, r *http.Request, _ http.Handler) bool {
			if r.Method != method || r.URL.Query().Get("comp") == "list" {
				return false
			}
			w.Header().Set("x-ms-error-code", why)
			w.WriteHeader(code)
			_, _ = io.WriteString(w, "<Error><Code>"+why+"</Code></Error>")
			return true
		}
	}
	for _, test := range []struct {
		fault  fault
		output string
		text   string
	}{
		{refuse(403, "AuthenticationFailed", "GET"), "out.parquet",
			"azblob://bucket/large0.parquet: no access, check the credentials (403: AuthenticationFailed)"},
		{refuse(500, "InternalError", "PUT"), "out.parquet", "azblob://bucket/out.parquet"},
		{refuse(404, "ContainerNotFound", "PUT"), "out.parquet", "azblob://bucket/out.parquet"},
	} {
		p.set(test.fault)
		_, err := sorting(t, newStore(t, blob.Options{Attempts: 2}), "azblob://bucket/"+test.output)
		p.set(nil)
		require.ErrorContains(t, err, test.text)
		_, err = store.Open(t.Context(), "azblob://bucket/"+test.output)
		require.ErrorIs(t, err, os.ErrNotExist)
	}
	_, err = sorting(t, store, "azblob://other/sorted.parquet")
	require.ErrorContains(t, err, "azblob://other/sorted.parquet: there is no bucket other")
}

// Without credentials, or with ones that cannot be read, the error names what to set.
func TestCredentialsOfAzure(t *testing.T) {
	for _, name := range []string{"ACCOUNT", "KEY", "SAS_TOKEN", "CONNECTION_STRING", "DOMAIN"} {
		t.Setenv("AZURE_STORAGE_"+name, "")
	}
	for set, text := range map[string]string{
		"":                                "set AZURE_STORAGE_ACCOUNT",
		"ACCOUNT=mine KEY=?":              "illegal base64",
		"CONNECTION_STRING=nonsense":      "connection string",
		"ACCOUNT=mine DOMAIN=example.com": `"example.com" not allowed`,
	} {
		for name, value := range pairs(set) {
			t.Setenv("AZURE_STORAGE_"+name, value)
		}
		err := newStore(t, blob.Options{}).Check(t.Context(), "azblob://bucket/x.parquet")
		require.ErrorContains(t, err, text)
		require.ErrorContains(t, err, "azblob://bucket/x.parquet: the credentials of Azure")
		for name := range pairs(set) {
			t.Setenv("AZURE_STORAGE_"+name, "")
		}
	}
}

// An error has neither the signature of an address nor many lines, and a server that cannot be found is no missing
// object. A request is made as often as the options say.
func TestErrorsOfAzure(t *testing.T) {
	var requests atomic.Int64
	broken := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requests.Add(1)
		w.WriteHeader(http.StatusInternalServerError)
	}))
	defer broken.Close()
	for _, name := range []string{"ACCOUNT", "KEY", "SAS_TOKEN", "DOMAIN"} {
		t.Setenv("AZURE_STORAGE_"+name, "")
	}
	for server, text := range map[string]string{
		"http://127.0.0.1:1":                        "the request failed: dial tcp 127.0.0.1:1",
		"http://no-such.invalid":                    "there is no server no-such.invalid",
		"http://" + broken.Listener.Addr().String(): "(500: Internal Server Error)",
	} {
		t.Setenv("AZURE_STORAGE_CONNECTION_STRING",
			"BlobEndpoint="+server+"/mine;SharedAccessSignature=sv=2022&sig=SECRET")
		store := newStore(t, blob.Options{Attempts: 1})
		_, err := store.Open(t.Context(), "azblob://bucket/x.parquet")
		for _, err := range []error{err, store.Check(t.Context(), "azblob://bucket/x.parquet")} {
			require.ErrorContains(t, err, text)
			require.NotContains(t, err.Error(), "SECRET")
			require.NotErrorIs(t, err, os.ErrNotExist)
		}
		require.Zero(t, store.Stats().Retries)
	}
	require.EqualValues(t, 2, requests.Load())
}

func pairs(text string) map[string]string {
	m := map[string]string{}
	for _, pair := range strings.Fields(text) {
		name, value, _ := strings.Cut(pair, "=")
		m[name] = value
	}
	return m
}
