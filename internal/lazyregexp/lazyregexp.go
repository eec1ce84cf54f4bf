// Package lazyregexp puts off compiling regular expressions until they are used: a
// program whose runs are short pays for each of them otherwise.
package lazyregexp

import (
	"regexp"
	"sync"
)

// New returns a function that compiles the expression on its first call. That call panics
// if the expression is invalid.
func New(expression string) func() *regexp.Regexp {
	return (&lazy{expression: expression}).compiled
}

// A lazy is an expression that is compiled once. It takes two allocations, one fewer than
// sync.OnceValue: packages make dozens of them before main.
type lazy struct {
	expression string
	once       sync.Once
	regexp     *regexp.Regexp
}

func (l *lazy) compiled() *regexp.Regexp {
	l.once.Do(func() { l.regexp = regexp.MustCompile(l.expression) })
	return l.regexp
}
