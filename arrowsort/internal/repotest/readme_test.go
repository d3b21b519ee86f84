package repotest

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	sortCommand = "go run ./arrowsort/cmd/arrowsort sort -k delay:desc -k date -o sorted.parquet " +
		"examples/data/flights.parquet"
	testCommand = "go test ./..."

	sample      = "examples/data/flights.parquet"
	sampleLimit = 5_000_000 // bytes
	screen      = 25        // lines

	programLines = 25
)

func read(t *testing.T, path string) string {
	text, err := os.ReadFile(filepath.Join(root, path))
	require.NoError(t, err)
	return string(text)
}

// blocks are the lines of README's code blocks of a language.
func blocks(t *testing.T, language string) [][]string {
	var all [][]string
	fence := regexp.MustCompile("(?ms)^```" + language + "\n(.*?)\n```$")
	for _, match := range fence.FindAllStringSubmatch(read(t, "README.md"), -1) {
		all = append(all, strings.Split(match[1], "\n"))
	}
	require.NotEmpty(t, all, "README has no block of %s", language)
	return all
}

// TestReadmeCommands also holds for .ci/run, which takes its commands from the same block.
func TestReadmeCommands(t *testing.T) {
	require.Equal(t, []string{sortCommand, testCommand}, blocks(t, "sh")[0])
	first := strings.Join(strings.SplitN(read(t, "README.md"), "\n", screen+1)[:screen], "\n")
	require.Contains(t, first, sortCommand+"\n"+testCommand, "the commands are not on the first screen")

	info, err := os.Stat(filepath.Join(root, sample))
	require.NoError(t, err)
	require.LessOrEqual(t, info.Size(), int64(sampleLimit), "%s is too large to be cloned by everybody", sample)
}

// TestReadmeProgram runs README's first Go code, a complete program, whose last statement has its output as a comment.
func TestReadmeProgram(t *testing.T) {
	program := blocks(t, "go")[0]
	require.Equal(t, "package main", program[0])
	require.LessOrEqual(t, len(program), programLines)
	_, want, found := strings.Cut(program[len(program)-2], " // ")
	require.True(t, found, "the last statement of README's program shows no output")

	path := filepath.Join(t.TempDir(), "main.go")
	require.NoError(t, os.WriteFile(path, []byte(strings.Join(program, "\n")+"\n"), 0o600))
	command := exec.Command("go", "run", path)
	command.Dir = root
	got, err := command.CombinedOutput()
	require.NoError(t, err, "%s", got)
	require.Equal(t, want+"\n", string(got))
}

// TestReadmeSamples looks for every line of README's other Go code in compiled examples.
func TestReadmeSamples(t *testing.T) {
	compiled := map[string]bool{}
	for _, file := range withSuffix(sources(t), "example_test.go") {
		for line := range strings.Lines(file.text) {
			compiled[strings.TrimSpace(line)] = true
		}
	}
	for _, block := range blocks(t, "go")[1:] {
		for _, line := range block {
			require.True(t, compiled[strings.TrimSpace(line)], "no compiled example holds %q", line)
		}
	}
}
