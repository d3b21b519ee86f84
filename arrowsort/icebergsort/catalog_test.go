package icebergsort

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestCatalogAddresses(t *testing.T) {
	folder := t.TempDir()
	for address, want := range map[string]string{
		"":                           "give sqlite:PATH",
		"catalog.db":                 "give sqlite:PATH",
		"glue:":                      "give sqlite:PATH",
		"sqlite:" + folder + "/x.db": "there is no catalog",
		"sqlite:":                    "there is no catalog",
	} {
		_, err := OpenCatalog(t.Context(), address, CatalogOptions{})
		require.ErrorIs(t, err, ErrOption, address)
		require.ErrorContains(t, err, want, address)
	}
	require.NoFileExists(t, folder+"/x.db")

	text := filepath.Join(folder, "text.db")
	require.NoError(t, os.WriteFile(text, []byte(strings.Repeat("no database ", 100)), 0o666))
	_, err := OpenCatalog(t.Context(), "sqlite:"+text, CatalogOptions{})
	require.ErrorIs(t, err, ErrOption)
	require.ErrorContains(t, err, "text.db is no catalog of Iceberg")

	two := "sqlite:///" + filepath.Join(folder, "two.db")
	for _, name := range []string{"first", "second"} {
		cat, err := OpenCatalog(t.Context(), two, CatalogOptions{Name: name, Create: true})
		require.NoError(t, err)
		require.NoError(t, cat.CreateNamespace(t.Context(), []string{"demo"}, nil))
		_, err = OpenCatalog(t.Context(), two, CatalogOptions{})
		if name == "first" {
			require.NoError(t, err)
		} else {
			require.ErrorIs(t, err, ErrOption)
			require.ErrorContains(t, err, "holds the catalogs first, second")
		}
	}
	_, err = OpenCatalog(t.Context(), two, CatalogOptions{Name: "second"})
	require.NoError(t, err)
}

// The name of a database is a path of the machine, whatever characters are in it.
func TestNamesOfDatabases(t *testing.T) {
	for _, name := range []string{"a b.db", "a#b.db", "a?b.db", "a%20b.db", "a%b.db", "a&b=c.db", "ä+:.db"} {
		folder := t.TempDir()
		address := "sqlite:" + filepath.Join(folder, name)
		cat, err := OpenCatalog(t.Context(), address, CatalogOptions{Name: "demo", Create: true})
		require.NoError(t, err, name)
		require.NoError(t, cat.CreateNamespace(t.Context(), []string{"demo"}, nil))
		require.Contains(t, filesBelow(t, folder), filepath.Join(folder, name))
		_, err = OpenCatalog(t.Context(), address, CatalogOptions{})
		require.NoError(t, err, name)
	}
}
