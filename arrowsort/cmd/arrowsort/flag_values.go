package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/arrowsort/arrowsort/arrowsort/internal/sizetext"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/csv"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
)

// into is a flag's function that sets a variable to the value that it parses. Errors follow the flag's name and value.
func into[T any](to *T, parse func(string) (T, error)) func(string) error {
	return func(text string) (err error) {
		*to, err = parse(text)
		return err
	}
}

// asTyped keeps the text of a value that can be parsed.
func asTyped[T any](parse func(string) (T, error)) func(string) (string, error) {
	return func(text string) (string, error) {
		_, err := parse(text)
		return text, err
	}
}

// oneOf keeps the text of a value that is in a list.
func oneOf(values ...string) func(string) (string, error) {
	return func(text string) (string, error) {
		if slices.Contains(values, text) {
			return text, nil
		}
		last := len(values) - 1
		return "", fmt.Errorf("use %s or %s", strings.Join(values[:last], ", "), values[last])
	}
}

// wholeNumber reads a number of 0 or more.
func wholeNumber[T int | int64](text string) (T, error) {
	n, err := strconv.ParseInt(text, 10, 0)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, errors.New("out of range")
	case err != nil:
		return 0, errors.New("not a whole number")
	case n < 0:
		return 0, errors.New("give a number of 0 or more")
	}
	return T(n), nil
}

// parseBudget reads a size that files can be sorted in.
func parseBudget(s string) (int64, error) {
	n, err := sizetext.Parse(s)
	if err == nil && s != "" && n < parquetsort.MinMemory {
		return 0, fmt.Errorf("give at least %d MiB", parquetsort.MinMemory>>20)
	}
	return n, err
}

// parseDelimiter reads what separates the values of CSV; 0 is the default.
func parseDelimiter(text string) (rune, error) {
	switch text {
	case "":
		return 0, nil
	case "tab", `\t`:
		return '\t', nil
	}
	r, n := utf8.DecodeRuneInString(text)
	if n != len(text) || r == utf8.RuneError || strings.ContainsRune("\"\r\n\x00", r) {
		return 0, errors.New("give one character, such as ';', or tab")
	}
	return r, nil
}

// addType adds the type that COLUMN=TYPE gives to a column, whose name may have equal signs.
func addType(o *parquetsort.Options, text string) error {
	column, typ, found := strings.Cut(text, "=")
	if !found || column == "" {
		return errors.New("give COLUMN=TYPE, such as date=date:%d/%m/%Y or price=float64:1.234,5")
	}
	_, err := csv.ParseType(typ)
	for at := len(column); err != nil; {
		next := strings.IndexByte(text[at+1:], '=')
		if next < 0 {
			return err
		}
		at += 1 + next
		if _, other := csv.ParseType(text[at+1:]); other == nil {
			column, typ, err = text[:at], text[at+1:], nil
		}
	}
	if o.CSVTypes == nil {
		o.CSVTypes = map[string]string{}
	}
	if _, twice := o.CSVTypes[column]; twice {
		return fmt.Errorf("column %s has two types", quoted(column))
	}
	o.CSVTypes[column] = typ
	return nil
}

// parseFolder makes sure that a folder is there.
func parseFolder(path string) (string, error) {
	if info, err := os.Stat(path); path != "" && (err != nil || !info.IsDir()) {
		return "", errors.New("there is no such folder")
	}
	return path, nil
}

// checkOutputPath returns why a path cannot be that of an output, where its text or what is there gives the reason.
func checkOutputPath(path string) error {
	info, err := os.Stat(path)
	in := filepath.Join(path, "sorted.parquet")
	switch {
	case err == nil && info.IsDir():
		return usagef("-o %s is a folder: name a file in it, such as %s", path, in)
	case err == nil:
		return nil
	case addressScheme(path) == "file":
		return usagef("-o %s is an address: give the path of the file, as in %s", path,
			strings.TrimPrefix(path, "file://"))
	case addressScheme(path) != "":
		return usagef("-o %s is an address, and only files of this machine are written: write a file and copy it "+
			"there, or pipe it there from -o -%s", path, beamHint(path))
	case os.IsPathSeparator(path[len(path)-1]):
		return usagef("-o %s is the name of a folder, which is not there: make it, and name a file in it, such as %s",
			path, in)
	}
	return nil
}

// checkInputPaths returns why one of the paths cannot be that of an input.
func checkInputPaths(paths []string) error {
	for _, path := range paths {
		_, err := os.Stat(path)
		switch scheme := addressScheme(path); {
		case err == nil || scheme == "":
		case scheme == "file":
			return usagef("%s is an address: give the path of the file, as in %s", path,
				strings.TrimPrefix(path, "file://"))
		default:
			return usagef("%s is an address, and only files of this machine are read: copy it here first, or pipe it "+
				"to the input - with --format%s", path, beamHint(path))
		}
	}
	return nil
}

// addressScheme is the scheme of an address such as s3://bucket/x.parquet; empty for the path of a file, which may
// begin with the letter of a drive.
func addressScheme(path string) string {
	scheme, _, found := strings.Cut(path, "://")
	if !found || len(scheme) < 2 || strings.Trim(scheme, schemeLetters) != "" {
		return ""
	}
	return scheme
}

// schemeLetters are the characters of schemes of addresses (RFC 3986).
const schemeLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-."

// beamHint names the command for object stores after an address in one.
func beamHint(path string) string {
	if scheme := addressScheme(path); scheme == "s3" || scheme == "gs" {
		return "; arrowsort-beam reads and writes object stores"
	}
	return ""
}
