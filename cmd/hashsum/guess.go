package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/assetcook/assetcook/hashing"
)

// guesses are the functions of lines that do not name theirs. Several functions have the same number
// of digits; the function that last matched a file is tried first, and a mismatch counts only once
// all have been tried. So a SHA256SUMS and the list of b3sum are both read without -a, even in one
// file.
type guesses struct {
	// matched has the function that last matched, by the size of its sum. The goroutine that has
	// results writes it, and the goroutine that reads the list reads it.
	matched [len(entry{}.digest) + 1]atomic.Pointer[function]

	unmatched []int // digits of lines that no function matched
}

// first returns the function to try first for a line.
func (g *guesses) first(fn *function) *function {
	if f := g.matched[fn.Size].Load(); f != nil {
		return f
	}
	return fn
}

// second tries the other functions of an entry. It reports whether one matches, and makes it the
// function of e.
func (k *checking) second(e *entry) bool {
	last := k.guesses.matched[e.fn.Size].Load()
	if last != nil && k.matchedBy(e, last) {
		return true
	}
	for _, fn := range candidates(2 * e.fn.Size) {
		if fn != last && k.matchedBy(e, fn) {
			return true
		}
	}
	if n := 2 * e.fn.Size; last == nil && !slices.Contains(k.guesses.unmatched, n) {
		k.guesses.unmatched = append(k.guesses.unmatched, n)
	}
	return false
}

// matchedBy sums the file of e with another function, and compares.
func (k *checking) matchedBy(e *entry, fn *function) bool {
	if fn == e.fn || e.name == stdinName {
		return false
	}
	files := hashing.Files{Func: fn.Func, Workers: k.workers}
	matches := false
	err := files.Sum(k.ctx, func(yield func(string) bool) { yield(e.name) }, func(r hashing.FileResult) {
		matches = r.Err == nil && bytes.Equal(r.Sum.Bytes(), e.sum())
	})
	if err != nil || !matches {
		return false
	}
	e.fn = fn
	k.guesses.matched[fn.Size].Store(fn)
	return true
}

// doubt warns of digits that no function matched.
func (k *checking) doubt() {
	for _, n := range k.guesses.unmatched {
		if k.guesses.matched[n/2].Load() != nil {
			continue
		}
		var names []string
		for _, fn := range candidates(n) {
			names = append(names, fn.Name)
		}
		hint := ""
		if n == 128 { // sums of b2sum
			hint = "; BLAKE2b is not known here"
		}
		k.msg.warn(k.list, fmt.Sprintf("no line of %d digits matches; tried %s%s", n, strings.Join(names, ", "), hint))
	}
}

// glued reports whether a name seems to contain the next line of another list. That happens where lists
// are joined and the first lacks its last newline.
func glued(name string) bool {
	if _, after, ok := strings.Cut(name, ") = "); ok && strings.Contains(after, "(") {
		return true
	}
	for i := 1; i+2 < len(name); i++ {
		if name[i] != ' ' || name[i+1] != ' ' && name[i+1] != '*' {
			continue
		}
		before := name[:i]
		digits := len(before) - len(strings.TrimRight(before, "0123456789abcdefABCDEF"))
		if digits >= 8 {
			return true
		}
	}
	return false
}
