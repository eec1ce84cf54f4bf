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

// checkLists checks all checksum files, one after the other.
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
			c.printFailure(err)
			continue
		}
		c.checkList(ctx, name, f)
		f.Close() // the file was only read, so a Close error loses nothing
	}
}

// checkList checks one checksum file.
func (c *command) checkList(ctx context.Context, name string, in io.Reader) {
	k := &checking{command: c, ctx: ctx, list: name, lines: newLines(in, c.layout.lineEnd())}
	if err := k.checkEntries(); ctx.Err() == nil {
		k.printTotals(err)
	}
}

// A checking checks one checksum file, which is called a list below. It reads the list while it
// sums files, so that a long list does not fill memory.
type checking struct {
	*command
	ctx  context.Context
	list string

	// The following fields are used only by the goroutine that reads the list.
	lines    *lines
	held     *entry
	proper   int // number of well-formed lines
	improper int
	refused  flood
	end      error // reason for the end of reading; nil at the end of the list

	begun entryQueue // entries whose files are being summed, in order

	// The following fields are used only by the goroutine that receives results.
	matched, mismatched, unreadable int
	errors                          flood
	guesses                         guesses
	line                            []byte
}

// checkEntries checks the entries. Consecutive entries with the same function are summed in one
// call.
func (k *checking) checkEntries() error {
	for e := k.nextEntry(); e != nil; e = k.nextEntry() {
		if e.name == stdinName {
			k.held = nil
			k.compareSum(e, k.checkedStdin(e.fn))
			continue
		}
		err := k.hasher(e.fn).Sum(k.ctx, k.entriesOfFunction(e.fn), func(r hashing.FileResult) {
			k.progress.finished()
			begun := k.begun.popEntry()
			k.compareSum(&begun, r)
		})
		if err != nil {
			return err
		}
	}
	return k.end
}

// entriesOfFunction yields the names of the entries up to the next entry with another function.
func (k *checking) entriesOfFunction(fn *function) iter.Seq[string] {
	return func(yield func(string) bool) {
		for e := k.nextEntry(); e != nil && e.fn == fn && e.name != stdinName; e = k.nextEntry() {
			k.held = nil
			k.begun.pushEntry(*e)
			if !yield(e.name) {
				return
			}
		}
	}
}

// nextEntry returns the next entry, or nil at the end of the list.
func (k *checking) nextEntry() *entry {
	for k.held == nil && k.end == nil {
		if k.end = k.ctx.Err(); k.end != nil {
			break
		}
		line, err := k.lines.readNextLine()
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
				e.fn = k.guesses.guessFor(e.fn)
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
	k.msg.printDiagnostic(frontend.Diagnostic{File: k.list, Line: line, Severity: severity, Text: err.Error()})
}

var errGlued = errors.New("there is no such file; two lines of the list seem joined, so put a newline between them")

// checkedStdin sums standard input, unless the list was read from standard input.
func (k *checking) checkedStdin(fn *function) hashing.FileResult {
	if k.list == stdinName {
		return hashing.FileResult{Err: &fs.PathError{Op: "read", Path: stdinName, Err: errors.New("standard input contains the list, so it cannot also be a listed file")}}
	}
	sum, size, err := k.sumStdin(k.ctx, fn)
	return hashing.FileResult{Sum: sum, Size: size, Err: err}
}

// compareSum prints and counts the result of one entry.
func (k *checking) compareSum(e *entry, r hashing.FileResult) {
	var buf [len(e.digest)]byte
	missing := errors.Is(r.Err, fs.ErrNotExist)
	switch {
	case k.ctx.Err() != nil && r.Err != nil: // the read failed because the run was interrupted
	case missing && glued(e.name): // an error even with -ignore-missing: the name probably contains a second line
		k.unreadable++
		if k.errors.allowsMessage(errGlued.Error()) {
			k.complain(frontend.Err, e.line, errGlued)
		}
		k.printResult(e, "FAILED open or read")
	case missing && k.ignoreMissing:
	case r.Err != nil:
		k.unreadable++
		if k.errors.allowsMessage(causeOfError(r.Err)) {
			k.msg.printError(r.Err)
		}
		k.printResult(e, "FAILED open or read")
	case bytes.Equal(r.Sum.Append(buf[:0]), e.sum()):
		if e.guessed {
			k.guesses.matched[e.fn.Size].Store(e.fn)
		}
		k.ok(e)
	case e.guessed && k.matchesOther(e):
		k.ok(e)
	case k.ctx.Err() != nil: // the run was interrupted before all functions were tried
	default:
		k.mismatched++
		k.printResult(e, "FAILED")
	}
}

// ok prints that a file matches.
func (k *checking) ok(e *entry) {
	k.matched++
	if !k.quiet {
		k.printResult(e, "OK")
	}
}

func (k *checking) printResult(e *entry, text string) {
	if k.status {
		return
	}
	k.line = k.line[:0]
	escaped := needsEscape(e.name)
	if escaped {
		k.line = append(k.line, '\\')
	}
	// Results escape control characters even in files and pipes, unlike printed sums. Build servers
	// show results in logs, and log viewers interpret control characters.
	k.line = append(k.line, pathname.Escape(string(appendName(nil, e.name, escaped)))...)
	k.line = append(append(k.line, ": "...), text...)
	k.out.writeLine(k.line, '\n')
}

// printTotals prints the warnings about a list and the error that ended reading it.
func (k *checking) printTotals(end error) {
	k.out.flushOutput() // results come before messages about them
	k.refused.printRest("line", func(text string) { k.msg.warnAbout(k.list, text) })
	k.errors.printRest("file", func(text string) { k.msg.refuseList(k.list, text) })
	switch {
	case end == errUTF16:
		k.msg.refuseList(k.list, end.Error())
	case end != nil:
		k.msg.printError(end)
	case k.proper == 0:
		k.msg.refuseList(k.list, "no properly formatted checksum lines found")
	}
	if k.proper > 0 && !k.status {
		k.warnIf(k.improper, "line is improperly formatted", "lines are improperly formatted")
		k.warnIf(k.unreadable, "listed file could not be read", "listed files could not be read")
		k.warnIf(k.mismatched, "computed checksum did NOT match", "computed checksums did NOT match")
		k.warnOfGuess()
		if k.ignoreMissing && k.matched == 0 {
			k.msg.refuseList(k.list, "no file was verified")
		}
	}
	if end != nil || k.matched == 0 || k.mismatched > 0 || k.unreadable > 0 || k.strict && k.improper > 0 {
		k.failed.Store(true)
	}
}

// warnIf prints a warning with a number of lines or files. It prints nothing if the number is 0.
func (k *checking) warnIf(n int, one, many string) {
	switch {
	case n == 1:
		k.msg.warnAbout("", "1 "+one)
	case n > 1:
		k.msg.warnAbout("", fmt.Sprintf("%d %s", n, many))
	}
}

// An entryQueue passes entries from the goroutine that reads the list to the goroutine that
// receives results.
type entryQueue struct {
	mu      sync.Mutex
	entries []entry
	head    int
}

func (q *entryQueue) pushEntry(e entry) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.entries = append(q.entries, e)
}

func (q *entryQueue) popEntry() entry {
	q.mu.Lock()
	defer q.mu.Unlock()
	e := q.entries[q.head]
	q.entries[q.head] = entry{}
	q.head++
	if 2*q.head >= len(q.entries) { // amortized cost: each entry moves at most once on average
		n := copy(q.entries, q.entries[q.head:])
		clear(q.entries[n:])
		q.entries, q.head = q.entries[:n], 0
	}
	return e
}

// guesses determine the hash functions of lines that do not name one. Several functions have sums
// with the same number of digits. The function that last matched a file is tried first, then all
// others with this number of digits. So SHA256SUMS files and the output of b3sum are both read
// without -a.
type guesses struct {
	// matched has the function that last matched, indexed by the size of its sum. The goroutine
	// that receives results writes it. The goroutine that reads the list reads it.
	matched [len(entry{}.digest) + 1]atomic.Pointer[function]

	unmatched []int // digest lengths in hex digits that matched no function
}

// guessFor returns the function to try first for a line.
func (g *guesses) guessFor(fn *function) *function {
	if f := g.matched[fn.Size].Load(); f != nil {
		return f
	}
	return fn
}

// matchesOther tries the other possible functions of an entry. If one matches, it stores the
// function in e.fn and returns true.
func (k *checking) matchesOther(e *entry) bool {
	last := k.guesses.matched[e.fn.Size].Load()
	if last != nil && k.matchedBy(e, last) {
		return true
	}
	for _, fn := range functionsWithDigits(2 * e.fn.Size) {
		if fn != last && k.matchedBy(e, fn) {
			return true
		}
	}
	if n := 2 * e.fn.Size; last == nil && !slices.Contains(k.guesses.unmatched, n) {
		k.guesses.unmatched = append(k.guesses.unmatched, n)
	}
	return false
}

// matchedBy sums the file of e with another function and compares the sum.
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

// warnOfGuess prints a warning about numbers of digits without a matching function.
func (k *checking) warnOfGuess() {
	for _, n := range k.guesses.unmatched {
		if k.guesses.matched[n/2].Load() != nil {
			continue
		}
		var names []string
		for _, fn := range functionsWithDigits(n) {
			names = append(names, fn.Name)
		}
		hint := ""
		if n == 128 { // b2sum writes sums of this size
			hint = "; hashsum does not support BLAKE2b"
		}
		k.msg.warnAbout(k.list, fmt.Sprintf("no sum of %d digits in the list matches its file; tried %s%s", n, strings.Join(names, ", "), hint))
	}
}

// glued reports whether a name seems to contain the next line of another list. That happens when
// lists are concatenated and the first has no newline at its end.
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
