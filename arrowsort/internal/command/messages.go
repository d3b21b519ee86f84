package command

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/text"

	"github.com/arrowsort/arrowsort/arrowsort/internal/errkind"
	"github.com/arrowsort/arrowsort/arrowsort/internal/tablefile"
	"github.com/arrowsort/arrowsort/arrowsort/parquetsort"
)

// Exit codes.
const (
	exitOK        = 0
	exitError     = 1
	exitNotSorted = 1 // of check only, whose errors exit with exitUsage
	exitUsage     = 2

	exitInterrupted = 130 // 128 + SIGINT
	exitPipe        = 141 // 128 + SIGPIPE: standard output is a closed pipe
)

// errNotSorted ends check for a file that is not sorted. The reason has been printed already.
var errNotSorted = errors.New("not sorted")

// interrupted is printed after a signal.
const interrupted = "arrowsort: interrupted"

// usageError is a mistake on the command line.
type usageError struct{ text string }

func (e usageError) Error() string { return e.text }

func usagef(format string, args ...any) error { return usageError{fmt.Sprintf(format, args...)} }

// fileErrors are the errors of some files, each of which names its file.
type fileErrors []error

func (e fileErrors) Error() string { return errors.Join(e...).Error() }

func (e fileErrors) Unwrap() []error { return e }

// forCommandLine rewords an error of package parquetsort or arrowsort for users of the command.
func forCommandLine(err error) error {
	if err == nil {
		return nil
	}
	text := strings.TrimPrefix(strings.TrimPrefix(err.Error(), "parquetsort: "), "arrowsort: ")
	text = strings.TrimSuffix(text, "; use Key.At")
	if errors.Is(err, parquetsort.ErrOption) {
		text = strings.TrimPrefix(strings.TrimPrefix(text, "invalid option: "), "invalid argument: ")
		return usageError{withFlags(text)}
	}
	return errkind.Reword(err, text)
}

// withFlags replaces the names of options in an error by those of their flags, but not in quotes, nor in a path.
func withFlags(text string) string {
	return quotesAndOptions.ReplaceAllStringFunc(text, func(found string) string {
		if found[0] == '"' {
			return found
		}
		return optionFlags.Replace(found)
	})
}

var (
	quotesAndOptions = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|` +
		`(?:^| )(?:PartitionBy|with Overwrite|Curve:|Advise|Filter|RowGroupRows|CSVTypes|BloomFilters)(?:[:;, ]|$)`)
	optionFlags = strings.NewReplacer("PartitionBy", "--partition-by", "Overwrite", "--overwrite",
		"Curve:", "--curve:", "Advise", "--advise", "BloomFilters", "--bloom-filter", "Filter", "--filter",
		"RowGroupRows", "--row-group-rows", "CSVTypes", "--csv-type")
)

// withFormatFlag names the flag where an error wants a format.
func withFormatFlag(text, flag string) string {
	return strings.Replace(text, "name the format: ", "give "+flag+": ", 1)
}

// Names of commands that exit codes and messages depend on.
const (
	checkName   = "check"
	mergeName   = "merge"
	argsortName = "argsort"
)

// longName is the number of characters to which messages cut names.
const longName = 60

// quoted returns a name for a message: in quotes, and cut if it is long.
func quoted(name string) string { return strconv.Quote(text.Snip(name, longName, "…")) }

// unquote reverses the escapes of quotes and backslashes, which terminals can print.
var unquote = strings.NewReplacer(`\"`, `"`, `\\`, `\`)

// printable returns text for a terminal. Unprintable characters, such as escape sequences and line ends, are written as
// Go escapes them.
func printable(s string) string {
	quoted := strconv.Quote(s)
	return unquote.Replace(quoted[1 : len(quoted)-1])
}

// counted returns a number of things in words.
func counted(n int64, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%s %ss", grouped(n), thing)
}

// filesText describes some files in a few words.
func filesText(files []string) string {
	if len(files) > 1 {
		return counted(int64(len(files)), "file")
	}
	return displayName(files[0], "standard input")
}

// displayName returns the name of a file in progress and summary.
func displayName(path, pipe string) string {
	if path == tablefile.Pipe {
		return pipe
	}
	return filepath.Base(path)
}

// grouped formats a number with separators of thousands.
func grouped(n int64) string {
	s := strconv.FormatInt(n, 10)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// bytesText formats a size in decimal units.
func bytesText(n int64) string {
	units := []string{"B", "kB", "MB", "GB", "TB"}
	x, u := float64(n), 0
	for x >= 1000 && u < len(units)-1 {
		x, u = x/1000, u+1
	}
	if u == 0 {
		return fmt.Sprintf("%d B", n)
	}
	return fmt.Sprintf("%.1f %s", x, units[u])
}
