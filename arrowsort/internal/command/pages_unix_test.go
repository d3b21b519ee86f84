//go:build unix

package command

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"
	"github.com/stretchr/testify/require"
)

// console is a block of commands of a page. A command begins with "$ "; lines that begin with "> " continue it; all
// other lines are its standard output.
var console = regexp.MustCompile("(?ms)^```console\n(.*?)^```$")

// TestPages runs the commands of the user pages and compares their standard output with what the page shows. Each
// section has its own folder, with the flights of the examples.
func TestPages(t *testing.T) {
	for _, page := range []string{"README.md", "docs/cookbook.md"} {
		text := readFile(t, filepath.Join("..", "..", "..", page))
		for _, section := range regexp.MustCompile("(?m)^## ").Split(string(text), -1) {
			title, _, _ := strings.Cut(section, "\n")
			if console.MatchString(section) {
				t.Run(title, func(t *testing.T) { checkSection(t, section) })
			}
		}
	}
}

// checkSection runs the commands of a section in one shell.
func checkSection(t *testing.T, section string) {
	folder := t.TempDir()
	bin := filepath.Join(folder, ".bin")
	require.NoError(t, os.Mkdir(bin, 0o755))
	require.NoError(t, os.Symlink(built(t), filepath.Join(bin, "arrowsort")))
	flights, err := filepath.Abs(filepath.Join("..", "..", "..", "examples", "data", "flights.parquet"))
	require.NoError(t, err)
	require.NoError(t, os.Symlink(flights, filepath.Join(folder, "flights.parquet")))
	writeOrders(t, filepath.Join(folder, "orders.arrow"))
	// The stand-in for Python writes the Arrow stream that the script of the page writes.
	python := "#!/bin/sh\nexec arrowsort sort -q -k delay:desc --limit 100 -o - flights.parquet\n"
	require.NoError(t, os.WriteFile(filepath.Join(bin, "python3"), []byte(python), 0o755))

	script, want := commands(section)
	shell := exec.CommandContext(t.Context(), "sh", "-u")
	shell.Dir, shell.Stdin = folder, strings.NewReader(script)
	shell.Env = append(os.Environ(), "LC_ALL=C", "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	var stderr strings.Builder
	shell.Stderr = &stderr
	got, err := shell.Output()
	require.NoError(t, err, "%s%s", got, stderr.String())
	require.Equal(t, want, string(got))
}

// commands returns the commands of a section as a script that ends at the first failure, unless the next command prints
// its exit code, and the output that the section shows.
func commands(section string) (script, output string) {
	const exitCode = "echo $?"
	for _, block := range console.FindAllStringSubmatch(section, -1) {
		for line := range strings.Lines(block[1]) {
			command, starts := strings.CutPrefix(line, "$ ")
			more, continues := strings.CutPrefix(line, "> ")
			switch {
			case starts && strings.TrimSpace(command) != exitCode:
				script += "[ $? = 0 ] || exit 1\n" + command
			case starts:
				script += command
			case continues:
				script += more
			default:
				output += line
			}
		}
	}
	return script + "[ $? = 0 ] || exit 1\n", output
}

// writeOrders writes a table with a nested column.
func writeOrders(t *testing.T, path string) {
	customer := arrow.StructOf(arrow.Field{Name: "name", Type: arrow.BinaryTypes.String},
		arrow.Field{Name: "city", Type: arrow.BinaryTypes.String})
	schema := arrow.NewSchema([]arrow.Field{{Name: "customer", Type: customer},
		{Name: "total", Type: arrow.PrimitiveTypes.Int64}}, nil)
	record, _, err := array.RecordFromJSON(memory.DefaultAllocator, schema, strings.NewReader(`[
		{"customer": {"name": "Ada", "city": "Rome"}, "total": 40},
		{"customer": {"name": "Bob", "city": "Oslo"}, "total": 15},
		{"customer": {"name": "Cid", "city": "Rome"}, "total": 65}]`))
	require.NoError(t, err)
	defer record.Release()
	file, err := os.Create(path)
	require.NoError(t, err)
	defer file.Close()
	writer, err := ipc.NewFileWriter(file, ipc.WithSchema(schema))
	require.NoError(t, err)
	require.NoError(t, writer.Write(record))
	require.NoError(t, writer.Close())
}
