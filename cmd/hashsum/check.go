package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/frontend"
	"github.com/assetcook/assetcook/internal/pathname"
)

// checkLists checks all lists, one after the other.
func (c *command) checkLists(ctx context.Context) {
	for _, name := range c.lists {
		if ctx.Err() != nil {
			return
		}
		if name == stdinName {
			c.checkList(ctx, name, c.stdin)
			continue
		}
		f, err := os.Open(name)
		if err != nil {
			c.fail(err)
			continue
		}
		c.checkList(ctx, name, f)
		f.Close() // a file that was only read
	}
}

// checkList checks one list.
func (c *command) checkList(ctx context.Context, name string, in io.Reader) {
	k := &checking{command: c, ctx: ctx, list: name, lines: newLines(in, c.layout.end())}
	if err := k.all(); ctx.Err() == nil {
		k.conclude(err)
	}
}

// A checking checks one list. It reads the list while it sums files, so that only the present part of
// a long list is in memory.
type checking struct {
	*command
	ctx  context.Context
	list string

	// The goroutine that reads the list has these.
	lines    *lines
	held     *entry // the next one
	proper   int    // lines
	improper int
	refused  flood
	end      error // why reading ended, nil at the end of the list

	begun queue // entries whose files are being summed, in order

	// The goroutine that has results has these.
	matched, mismatched, unreadable int
	errors                          flood
	guesses                         guesses
	line                            []byte
}

// all checks the entries. Neighbors with the same function are summed at once.
func (k *checking) all() error {
	for e := k.peek(); e != nil; e = k.peek() {
		if e.name == stdinName {
			k.held = nil
			k.judge(e, k.checkedStdin(e.fn))
			continue
		}
		err := k.hasher(e.fn).Sum(k.ctx, k.together(e.fn), func(r hashing.FileResult) {
			k.progress.finished()
			begun := k.begun.pop()
			k.judge(&begun, r)
		})
		if err != nil {
			return err
		}
	}
	return k.end
}

// together yields the names up to the next entry with another function.
func (k *checking) together(fn *function) iter.Seq[string] {
	return func(yield func(string) bool) {
		for e := k.peek(); e != nil && e.fn == fn && e.name != stdinName; e = k.peek() {
			k.held = nil
			k.begun.push(*e)
			if !yield(e.name) {
				return
			}
		}
	}
}

// peek returns the next entry, nil at the end of the list.
func (k *checking) peek() *entry {
	for k.held == nil && k.end == nil {
		if k.end = k.ctx.Err(); k.end != nil {
			break
		}
		line, err := k.lines.next()
		if err == io.EOF {
			return nil
		}
		if err != nil && err != errTooLong {
			k.end = err
			return nil
		}
		var e entry
		if err == nil {
			e, err = dialect{fn: k.fn, zero: k.layout.zero}.parseLine(line)
		}
		switch {
		case err == nil:
			k.proper++
			e.line = k.lines.number
			if e.guessed {
				e.fn = k.guesses.first(e.fn)
			}
			k.held = &e
		case err == errNoEntry:
		default:
			k.improper++
			if k.warn && k.refused.allowsMessage(err.Error()) {
				k.complain(frontend.Warning, k.lines.number, err)
			}
		}
	}
	return k.held
}

// complain prints an error about a line.
func (k *checking) complain(severity frontend.Severity, line int, err error) {
	k.msg.print(frontend.Diagnostic{File: k.list, Line: line, Severity: severity, Text: err.Error()})
}

var errGlued = errors.New("no file of that name; two lines look glued together, put a newline between them")

// checkedStdin sums standard input, unless the list was read from there.
func (k *checking) checkedStdin(fn *function) hashing.FileResult {
	if k.list == stdinName {
		return hashing.FileResult{Err: &fs.PathError{Op: "read", Path: stdinName, Err: errors.New("the list was read from there")}}
	}
	sum, size, err := k.sumStdin(k.ctx, fn)
	return hashing.FileResult{Sum: sum, Size: size, Err: err}
}

// judge prints and counts the result of one entry.
func (k *checking) judge(e *entry, r hashing.FileResult) {
	var buf [len(e.digest)]byte
	missing := errors.Is(r.Err, fs.ErrNotExist)
	switch {
	case k.ctx.Err() != nil && r.Err != nil: // interrupted, not unreadable
	case missing && glued(e.name): // even with -ignore-missing: two files went unchecked
		k.unreadable++
		if k.errors.allowsMessage(errGlued.Error()) {
			k.complain(frontend.Err, e.line, errGlued)
		}
		k.result(e, "FAILED open or read")
	case missing && k.ignoreMissing:
	case r.Err != nil:
		k.unreadable++
		if k.errors.allowsMessage(causeOf(r.Err)) {
			k.msg.printError(r.Err)
		}
		k.result(e, "FAILED open or read")
	case bytes.Equal(r.Sum.Append(buf[:0]), e.sum()):
		if e.guessed {
			k.guesses.matched[e.fn.Size].Store(e.fn)
		}
		k.ok(e)
	case e.guessed && k.second(e):
		k.ok(e)
	case k.ctx.Err() != nil: // interrupted before all functions were tried
	default:
		k.mismatched++
		k.result(e, "FAILED")
	}
}

// ok prints that a file matches.
func (k *checking) ok(e *entry) {
	k.matched++
	if !k.quiet {
		k.result(e, "OK")
	}
}

// result prints the result of an entry.
func (k *checking) result(e *entry, text string) {
	if k.status {
		return
	}
	k.line = k.line[:0]
	escaped := needsEscape(e.name)
	if escaped {
		k.line = append(k.line, '\\')
	}
	// Results escape control characters even in files and pipes, unlike sums: build servers show
	// results in logs, which obey control characters.
	k.line = append(k.line, pathname.Escape(string(appendName(nil, e.name, escaped)))...)
	k.line = append(append(k.line, ": "...), text...)
	k.out.line(k.line, '\n')
}

// conclude prints the warnings about a list, and the error that ended it.
func (k *checking) conclude(end error) {
	k.out.flush() // results come before messages about them
	k.refused.rest("line", func(text string) { k.msg.warn(k.list, text) })
	k.errors.rest("file", func(text string) { k.msg.refuse(k.list, text) })
	switch {
	case end == errUTF16:
		k.msg.refuse(k.list, end.Error())
	case end != nil:
		k.msg.printError(end)
	case k.proper == 0:
		k.msg.refuse(k.list, "no properly formatted checksum lines found")
	}
	if k.proper > 0 && !k.status {
		k.warnIf(k.improper, "line is improperly formatted", "lines are improperly formatted")
		k.warnIf(k.unreadable, "listed file could not be read", "listed files could not be read")
		k.warnIf(k.mismatched, "computed checksum did NOT match", "computed checksums did NOT match")
		k.doubt()
		if k.ignoreMissing && k.matched == 0 {
			k.msg.refuse(k.list, "no file was verified")
		}
	}
	if end != nil || k.matched == 0 || k.mismatched > 0 || k.unreadable > 0 || k.strict && k.improper > 0 {
		k.failed.Store(true)
	}
}

// warnIf warns of a number of lines or files, unless it is 0.
func (k *checking) warnIf(n int, one, many string) {
	switch {
	case n == 1:
		k.msg.warn("", "1 "+one)
	case n > 1:
		k.msg.warn("", fmt.Sprintf("%d %s", n, many))
	}
}

// A queue passes entries from the goroutine that reads the list to the goroutine that has their
// results.
type queue struct {
	mu      sync.Mutex
	entries []entry
	head    int
}

func (q *queue) push(e entry) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.entries = append(q.entries, e)
}

func (q *queue) pop() entry {
	q.mu.Lock()
	defer q.mu.Unlock()
	e := q.entries[q.head]
	q.entries[q.head] = entry{}
	q.head++
	if 2*q.head >= len(q.entries) { // on average moves each entry at most once
		n := copy(q.entries, q.entries[q.head:])
		clear(q.entries[n:])
		q.entries, q.head = q.entries[:n], 0
	}
	return e
}

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
