package beamsort

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"

	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile/atomicfile"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
)

// absolute returns a path that is valid in workers with another working folder.
func absolute(path string) (string, error) {
	if path == "" || isRemote(path) {
		return path, nil
	}
	return filepath.Abs(path)
}

// join returns the path of a file in a folder.
func join(folder, name string) string {
	if isRemote(folder) {
		return strings.TrimSuffix(folder, "/") + "/" + name
	}
	return filepath.Join(folder, name)
}

// listInputs returns the files that inputs stand for: files, patterns, folders.
func listInputs(ctx context.Context, inputs []string) (paths []string, err error) {
	for _, input := range inputs {
		if input == "-" {
			return nil, fmt.Errorf("%w: standard input cannot be read by workers; give files", errOption)
		}
		found, err := expand(ctx, input)
		if err != nil {
			return nil, err
		}
		paths = append(paths, found...)
	}
	return paths, nil
}

// expand lists the files that an input stands for.
func expand(ctx context.Context, input string) (paths []string, err error) {
	if store := storeOf(input); store != nil || !isRemote(input) {
		if paths, _, err = parquetsort.List(ctx, []string{input}, store); err != nil {
			return nil, err
		}
		for i := range paths {
			if paths[i], err = absolute(paths[i]); err != nil {
				return nil, err
			}
		}
		return paths, nil
	}
	if !strings.ContainsAny(input, "*?[") {
		return []string{input}, nil
	}
	fs, err := fileSystem(ctx, input)
	if err != nil {
		return nil, err
	}
	defer fs.Close()
	paths, err = fs.List(ctx, input)
	if err == nil && len(paths) == 0 {
		err = fmt.Errorf("%s: no file matches", input)
	}
	slices.Sort(paths)
	return paths, err
}

// fileSystem returns that of Beam which has a path.
func fileSystem(ctx context.Context, path string) (filesystem.Interface, error) {
	fs, err := filesystem.New(ctx, path)
	if err == nil {
		return fs, nil
	}
	remedy := "give a local or shared path, or import Beam's file system for it"
	if storeOf(path) != nil {
		remedy = "such addresses are inputs only; give a local or shared folder, or one of gs:// or s3://"
	}
	return nil, fmt.Errorf("%w: %w: %s", errOption, err, remedy)
}

// publish calls write for a local file, which gets its name when it is complete. A remote file is uploaded under
// another name first. Two workers that publish the same shard at the same time write the same bytes.
func publish(ctx context.Context, path, folder string, write func(local string) error) error {
	if !isRemote(path) {
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		return write(path) // which renames
	}
	temp, err := atomicfile.NewTempDir(cmp.Or(folder, os.TempDir()), "arrowsort-shard-")
	if err != nil {
		return err
	}
	defer temp.Remove()
	local := temp.Next(".parquet")
	if err := write(local); err != nil {
		return err
	}
	fs, err := fileSystem(ctx, path)
	if err != nil {
		return err
	}
	defer fs.Close()
	dir, name := path[:strings.LastIndexByte(path, '/')+1], path[strings.LastIndexByte(path, '/')+1:]
	unfinished := dir + ".tmp-" + rand.Text() + "-" + name
	if err := upload(ctx, fs, local, unfinished); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if err := filesystem.Rename(ctx, fs, unfinished, path); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

func upload(ctx context.Context, fs filesystem.Interface, local, path string) error {
	from, err := os.Open(local)
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := fs.OpenWrite(ctx, path)
	if err != nil {
		return err
	}
	if _, err := io.Copy(to, from); err != nil {
		to.Close()
		return err
	}
	return to.Close()
}

// checkOutput finds shards of another number of files among the old ones in the output, and inputs that are shards of
// it.
func checkOutput(inputs, old []string, output string, shards int) error {
	own := make(map[string]bool, shards)
	for i := range shards {
		own[join(output, shardName(i, shards))] = true
	}
	for _, path := range inputs {
		if own[path] {
			return fmt.Errorf("%w: %s is an input and would be replaced; give another folder", errOption, path)
		}
	}
	for _, path := range old {
		if !own[path] {
			return fmt.Errorf("%w: %s is a shard of an output with another number of shards; remove it, or give "+
				"another folder", errOption, path)
		}
	}
	return nil
}

// shardsIn lists the files in a folder that have the name of a shard.
func shardsIn(ctx context.Context, output string) ([]string, error) {
	const pattern = "part-*-of-*.parquet"
	if output == "" {
		return nil, fmt.Errorf("%w: no output folder", errOption)
	}
	if !isRemote(output) {
		entries, err := os.ReadDir(output)
		if errors.Is(err, os.ErrNotExist) {
			return nil, nil
		}
		var shards []string
		for _, e := range entries {
			if found, _ := filepath.Match(pattern, e.Name()); found {
				shards = append(shards, join(output, e.Name()))
			}
		}
		return shards, err
	}
	fs, err := fileSystem(ctx, output)
	if err != nil {
		return nil, err
	}
	defer fs.Close()
	return fs.List(ctx, join(output, pattern))
}

// A Shard is an output file.
type Shard struct {
	Number int64  // from 1
	Path   string // of the file
	Rows   int64
	Bytes  int64 // of the file
}

// shardName returns the name of a shard, by its number from 0.
func shardName(number, shards int) string {
	return fmt.Sprintf("part-%05d-of-%05d.parquet", number+1, shards)
}
