package icebergsort

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/catalog"
	"github.com/apache/iceberg-go/catalog/rest"
	icebergsql "github.com/apache/iceberg-go/catalog/sql"
	_ "modernc.org/sqlite" // the driver of SQLite, in Go
)

// CatalogOptions say how a catalog is opened.
type CatalogOptions struct {
	// Name is the name of a catalog in a database, which may hold several; empty is the only one there is.
	Name string
	// Warehouse is where the catalog puts new tables; empty is what the catalog says.
	Warehouse string
	// Properties are passed to iceberg-go: credentials for instance, as "token" of a REST catalog.
	Properties map[string]string
	// Create has the file of a SQLite catalog created where it is missing.
	Create bool
}

// OpenCatalog opens a catalog: sqlite:PATH, or sqlite:///PATH as SQLAlchemy and pyiceberg write it, is a SQLite
// database, http:// or https:// a REST catalog.
func OpenCatalog(ctx context.Context, address string, opts CatalogOptions) (catalog.Catalog, error) {
	scheme, rest, ok := strings.Cut(address, ":")
	switch {
	case ok && scheme == "sqlite":
		return openSQLite(ctx, strings.TrimPrefix(rest, "///"), opts)
	case ok && (scheme == "http" || scheme == "https"):
		return openREST(ctx, address, opts)
	}
	return nil, fmt.Errorf("%w: catalog %q: give sqlite:PATH, or the http:// or https:// address of a REST catalog",
		ErrOption, address)
}

func openREST(ctx context.Context, address string, opts CatalogOptions) (catalog.Catalog, error) {
	name := opts.Name
	if name == "" {
		name = "rest"
	}
	options := []rest.Option{rest.WithAdditionalProps(iceberg.Properties(maps.Clone(opts.Properties)))}
	if opts.Warehouse != "" {
		options = append(options, rest.WithWarehouseLocation(opts.Warehouse))
	}
	if token := opts.Properties["token"]; token != "" {
		options = append(options, rest.WithOAuthToken(token))
	}
	if credential := opts.Properties["credential"]; credential != "" {
		options = append(options, rest.WithCredential(credential))
	}
	return rest.NewCatalog(ctx, name, address, options...)
}

// openSQLite opens a database. Another process that has it locked is waited for, up to 10 s.
func openSQLite(ctx context.Context, path string, opts CatalogOptions) (catalog.Catalog, error) {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) && !opts.Create {
		return nil, fmt.Errorf("%w: there is no catalog %s", ErrOption, path)
	}
	file := url.URL{Path: filepath.ToSlash(filepath.Clean(path))} // a URI of SQLite: it decodes the path
	db, err := sql.Open("sqlite", "file:"+file.EscapedPath()+"?_pragma=busy_timeout(10000)&_txlock=immediate")
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1) // SQLite has one writer
	if opts.Name == "" && !opts.Create {
		if opts.Name, err = onlyCatalog(ctx, db, path); err != nil {
			return nil, errors.Join(err, db.Close())
		}
	}
	properties := iceberg.Properties{}
	maps.Copy(properties, opts.Properties)
	if opts.Warehouse != "" {
		properties["warehouse"] = opts.Warehouse
	}
	if opts.Create {
		properties["init_catalog_tables"] = "true"
	} else {
		properties["init_catalog_tables"] = "false"
	}
	return icebergsql.NewCatalog(opts.Name, db, icebergsql.SQLite, properties)
}

// onlyCatalog returns the name of the catalog in a database.
func onlyCatalog(ctx context.Context, db *sql.DB, path string) (string, error) {
	rows, err := db.QueryContext(ctx, "SELECT catalog_name FROM iceberg_tables UNION "+
		"SELECT catalog_name FROM iceberg_namespace_properties")
	if err != nil {
		return "", fmt.Errorf("%w: %s is no catalog of Iceberg: %w", ErrOption, path, err)
	}
	defer rows.Close()
	names := map[string]bool{}
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return "", err
		}
		names[name] = true
	}
	found := slices.Sorted(maps.Keys(names))
	switch {
	case rows.Err() != nil:
		return "", rows.Err()
	case len(found) == 1:
		return found[0], nil
	case len(found) == 0:
		return "", fmt.Errorf("%w: catalog %s has no tables", ErrOption, path)
	}
	return "", fmt.Errorf("%w: %s holds the catalogs %s: name one of them", ErrOption, path,
		strings.Join(found, ", "))
}
