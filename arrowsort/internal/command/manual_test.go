package command

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
	"github.com/spf13/pflag"
	"github.com/stretchr/testify/require"
)

// The release has this test write its files.
var manual = flag.String("manual", "", "write the man pages and the completion into this folder")

// TestManual writes a man page for each command and the completion for each shell: what an archive of a release has in
// the folders man and completion.
func TestManual(t *testing.T) {
	folder := *manual
	if folder == "" {
		folder = t.TempDir()
	}
	pages, shells := filepath.Join(folder, "man"), filepath.Join(folder, "completion")
	require.NoError(t, os.MkdirAll(pages, 0o755))
	require.NoError(t, os.MkdirAll(shells, 0o755))

	started := false
	root := newRoot(streams{}, nil, &started)
	complete := func(shell string, write func(path string) error) {
		path := filepath.Join(shells, shell)
		require.NoError(t, write(path))
		text := readFile(t, path)
		require.Contains(t, string(text), "arrowsort", path)
	}
	complete("arrowsort.bash", func(path string) error { return root.GenBashCompletionFileV2(path, true) })
	complete("_arrowsort", root.GenZshCompletionFile)
	complete("arrowsort.fish", func(path string) error { return root.GenFishCompletionFile(path, true) })
	complete("arrowsort.ps1", root.GenPowerShellCompletionFileWithDesc)

	root.DisableAutoGenTag = true
	escape(root)
	header := &doc.GenManHeader{Section: "1", Source: "arrowsort", Manual: "arrowsort"}
	require.NoError(t, doc.GenManTree(root, header, pages))
	for _, command := range []string{"", "-sort", "-merge", "-argsort", "-check", "-explain", "-layout", "-info"} {
		path := filepath.Join(pages, "arrowsort"+command+".1")
		text := readFile(t, path)
		require.Contains(t, string(text), `.TH "ARROWSORT`, path)
	}
	text := readFile(t, filepath.Join(pages, "arrowsort-sort.1"))
	for _, want := range []string{`'data/**/*\&.parquet'`, "'#2' is the second column", `\fB-k\fP, \fB--key\fP`} {
		require.Contains(t, string(text), want)
	}
}

// TestReleasesHaveTheManual: the script of the release runs TestManual, and the archives have what it writes.
func TestReleasesHaveTheManual(t *testing.T) {
	for name, wants := range map[string][]string{
		".ci/release":      {`-run 'TestManual$' -args -manual "$PWD/build/manual"`},
		".goreleaser.yaml": {"build/manual/man/*", "build/manual/completion/*"},
	} {
		text := readFile(t, filepath.Join("..", "..", "..", filepath.FromSlash(name)))
		for _, want := range wants {
			require.Contains(t, string(text), want, name)
		}
	}
}

// escape has the texts of the commands read as plain text where package doc expects Markdown.
func escape(cmd *cobra.Command) {
	markdown := strings.NewReplacer(`\`, `\\`, "*", `\*`, "_", `\_`, "#", `\#`, "<", `\<`, "[", `\[`)
	cmd.Long = markdown.Replace(cmd.Long)
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		f.Usage = markdown.Replace(strings.ReplaceAll(f.Usage, "`", ""))
	})
	for _, c := range cmd.Commands() {
		escape(c)
	}
}
