// Package lazyregexp compiles regular expressions on first use, so that short runs of a program do
// not compile unused ones.
package lazyregexp

import (
	"regexp"
	"sync"
)

// New returns a function that compiles the expression on its first call. The call panics if the
// expression is invalid.
func New(expression string) func() *regexp.Regexp {
	return (&lazy{expression: expression}).compiledOnce
}

// A lazy is an expression that is compiled once. Creating it takes two allocations, one fewer than
// sync.OnceValue. This matters because packages create dozens of them before main.
type lazy struct {
	expression string
	once       sync.Once
	regexp     *regexp.Regexp
}

func (l *lazy) compiledOnce() *regexp.Regexp {
	l.once.Do(func() { l.regexp = regexp.MustCompile(l.expression) })
	return l.regexp
}
