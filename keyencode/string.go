package keyencode

import (
	"fmt"
	"strings"
)

// String describes the plan in words.
func (p *Plan) String() string {
	var b strings.Builder
	for i := range p.keys {
		fmt.Fprintf(&b, "%s; ", p.describe(i))
	}
	fmt.Fprintf(&b, "%d words", p.words)
	return b.String()
}

func (p *Plan) describe(k int) string {
	kp := &p.keys[k]
	return fmt.Sprintf("%s: %s", kp.Name, kp.Type)
}
