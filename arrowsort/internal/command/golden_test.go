package command

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var updateGolden = flag.Bool("update", false, "write testdata/messages.txt anew, from its command lines")

// changing are the parts of a report that differ from run to run.
var changing = regexp.MustCompile(`("(?:[a-z]+_)?(?:seconds|per_second)":)[0-9.e+-]+`)

// TestMessages runs the command lines of testdata/messages.txt, in order and in one folder, and compares what they
// print and their exit codes with the lines below each. Standard input has the people.
func TestMessages(t *testing.T) {
	path, err := filepath.Abs(filepath.Join("testdata", "messages.txt"))
	require.NoError(t, err)
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	want := strings.ReplaceAll(string(content), "\r\n", "\n")

	t.Chdir(t.TempDir())
	for name, rows := range map[string]string{
		"people.csv": people, "people.txt": people, "narrow.csv": "name,age\nzoe,1\n", "empty.csv": "",
		"typed.csv": "name,age,score,born\nzoe,old,1,2000-01-01\n", "short.csv": "a,b\n1\n",
		"cut.arrow": "ARROW1\x00\x00", "text.parquet": people,
	} {
		require.NoError(t, os.WriteFile(name, []byte(rows), 0o644))
	}
	require.NoError(t, os.Mkdir("folder", 0o755))

	var got strings.Builder
	for line := range strings.Lines(want) {
		command, ok := strings.CutPrefix(strings.TrimSpace(line), "$ arrowsort ")
		if !ok {
			continue
		}
		r := cli(t, strings.NewReader(people), strings.Fields(command)...)
		fmt.Fprintf(&got, "$ arrowsort %s\n%s%sexit %d\n", command, changing.ReplaceAllString(r.out, "${1}0"),
			changing.ReplaceAllString(r.err, "${1}0"), r.code)
	}
	if *updateGolden {
		require.NoError(t, os.WriteFile(path, []byte(got.String()), 0o644))
		return
	}
	require.Equal(t, want, got.String())
}
