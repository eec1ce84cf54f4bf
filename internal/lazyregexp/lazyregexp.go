// Package lazyregexp puts off compiling regular expressions until they are used: a
// program whose runs are short pays for each of them otherwise.
package lazyregexp

import (
	"regexp"
	"sync"
)

// New returns a function that compiles the expression when it is first called. It
// panics then if that is none.
func New(expression string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expression) })
}
