//go:build unix

package command

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

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
	for _, name := range []string{"flights.parquet", "orders.arrow"} {
		data, err := filepath.Abs(filepath.Join("..", "..", "..", "examples", "data", name))
		require.NoError(t, err)
		require.NoError(t, os.Symlink(data, filepath.Join(folder, name)))
	}
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
