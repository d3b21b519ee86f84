package icebergsort

import (
	"fmt"
	"net/url"
	"os"
	"strings"

	"github.com/apache/iceberg-go/io"
)

// A location is what a table calls a file or a folder: a path, or a URI of scheme file. Writers differ in what %3A in a
// URI is: for those in Java and Python it is a part of the file's name, for iceberg-go a colon. So a URI is read as it
// is, if there is such a file, and else decoded, and new files are where iceberg-go looks for them.

// localPath returns the path of a file or a folder of this machine.
func localPath(location string) (string, error) {
	path, decoded, err := splitLocation(location)
	if _, missing := os.Stat(path); err != nil || missing == nil {
		return path, err
	}
	return decoded, nil
}

// checkFolder finds folders for new files that iceberg-go looks for in another place.
func checkFolder(location string) error {
	path, decoded, err := splitLocation(location)
	if _, missing := os.Stat(path); err == nil && path != decoded && missing == nil {
		err = fmt.Errorf("%w: %s is %s or %s, by the reader", ErrUnsupported, location, path, decoded)
	}
	return err
}

// splitLocation returns the path of a location as it is written, and decoded.
func splitLocation(location string) (path, decoded string, err error) {
	scheme, path, ok := strings.Cut(location, ":")
	if !ok || len(scheme) < 2 || strings.Contains(scheme, "/") {
		return location, location, nil
	}
	if !strings.EqualFold(scheme, "file") {
		return "", "", fmt.Errorf("%w: %s is in a store of scheme %s, and only files of this machine are supported",
			ErrUnsupported, location, scheme)
	}
	if rest, ok := strings.CutPrefix(path, "//"); ok {
		path = strings.TrimPrefix(rest, "localhost")
	}
	if !strings.HasPrefix(path, "/") || strings.ContainsAny(path, "?#") {
		return "", "", fmt.Errorf("%w: %s is no URI of a file of this machine", ErrUnsupported, location)
	}
	if decoded, err = url.PathUnescape(path); err != nil {
		return "", "", fmt.Errorf("%w: %s: %w", ErrUnsupported, location, err)
	}
	return path, decoded, nil
}

// folderOf returns the location of the folder of a file.
func folderOf(location string) string { return location[:max(0, strings.LastIndex(location, "/"))] }

// files is the file system of a table that opens locations as localPath has them.
type files struct{ io.IO }

// Open opens a file.
func (f files) Open(location string) (io.File, error) {
	path, err := localPath(location)
	if err != nil {
		return nil, err
	}
	return os.Open(path)
}
