package repotest

import (
	"path"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

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
