package repotest

import (
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
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

var (
	heading  = regexp.MustCompile(`(?m)^#+ (.*)$`)
	anchored = regexp.MustCompile(`\]\(([^)#:\s]*\.md)?#([^)\s]+)\)`)
	dropped  = regexp.MustCompile(`[^\w\- ]`)
)

// anchor is the name that a heading gets on GitHub.
func anchor(heading string) string {
	return strings.ReplaceAll(dropped.ReplaceAllString(strings.ToLower(heading), ""), " ", "-")
}

func TestAnchorsAreHeadings(t *testing.T) {
	anchors := map[string]bool{} // path#anchor
	documents := withSuffix(sources(t), ".md")
	for _, file := range documents {
		for _, match := range heading.FindAllStringSubmatch(file.text, -1) {
			anchors[file.path+"#"+anchor(match[1])] = true
		}
	}
	for _, file := range documents {
		for _, match := range anchored.FindAllStringSubmatch(file.text, -1) {
			target := file.path
			if match[1] != "" {
				target = path.Join(path.Dir(file.path), match[1])
			}
			assert.True(t, anchors[target+"#"+match[2]], "%s links to %s#%s", file.path, target, match[2])
		}
	}
}

// TestPackagesLinkWithEitherVersionOfParquet builds and runs programs with the Parquet package of one version of
// Arrow. No program has both: they define the same symbols, which the linker refuses, and register the same messages.
func TestPackagesLinkWithEitherVersionOfParquet(t *testing.T) {
	for name, imports := range map[string][]string{
		"v15": {parquet + "/pqarrow"},
		"v18": {pqarrow, module + "/arrowsort/parquetsort"},
	} {
		t.Run(name, func(t *testing.T) {
			source, program := filepath.Join(t.TempDir(), "main.go"), filepath.Join(t.TempDir(), "program.exe")
			imports = append(imports, module+"/arrowsort", module+"/arrowsort/computefn", gpu)
			text := "package main\nimport _ \"" + strings.Join(imports, "\"\nimport _ \"") + "\"\nfunc main() {}\n"
			require.NoError(t, os.WriteFile(source, []byte(text), 0o600))
			build := exec.CommandContext(t.Context(), "go", "build", "-o", program, source)
			build.Dir = root
			out, err := build.CombinedOutput()
			require.NoError(t, err, string(out))
			out, err = exec.CommandContext(t.Context(), program).CombinedOutput()
			require.NoError(t, err, string(out))
		})
	}
}

const cookbookExamples = "cookbook_example_test.go"

// TestCookbookSamples compares the Go functions of docs/cookbook.md and the output below each with the compiled
// examples, which are in the order of the page. The commands of the page are tested in arrowsort/cmd/arrowsort.
func TestCookbookSamples(t *testing.T) {
	source, err := os.ReadFile(cookbookExamples)
	require.NoError(t, err)
	tree, err := parser.ParseFile(token.NewFileSet(), cookbookExamples, source, parser.ParseComments)
	require.NoError(t, err)
	outputs := map[string]string{} // by name
	for _, example := range doc.Examples(tree) {
		outputs[example.Name] = example.Output
	}

	recipe := regexp.MustCompile("(?ms)^```go\n(.*?)^```\n\n```text\n(.*?)^```$")
	named := regexp.MustCompile(`func Example(\w+)`)
	shown := recipe.FindAllStringSubmatch(read(t, "docs/cookbook.md"), -1)
	require.Len(t, shown, len(outputs))
	for _, match := range shown {
		_, below, found := strings.Cut(string(source), match[1])
		require.True(t, found, "%s does not hold\n%s", cookbookExamples, match[1])
		example := named.FindStringSubmatch(below)
		require.NotEmpty(t, example)
		require.Equal(t, outputs[example[1]], match[2])
	}
}
