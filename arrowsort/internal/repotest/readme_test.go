package repotest

import (
	"os"
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

// TestReadmeSamples looks for every line of README's Go code in compiled examples.
func TestReadmeSamples(t *testing.T) {
	compiled := map[string]bool{}
	for _, file := range withSuffix(sources(t), "example_test.go") {
		for line := range strings.Lines(file.text) {
			compiled[strings.TrimSpace(line)] = true
		}
	}
	for _, block := range blocks(t, "go") {
		for _, line := range block {
			require.True(t, compiled[strings.TrimSpace(line)], "no compiled example holds %q", line)
		}
	}
}
