package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"iter"
	"os"
	"sync"

	"github.com/assetcook/assetcook/hashing"
)

// check checks all lists, one after the other.
func (c *command) check(ctx context.Context) {
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
		f.Close() // it was only read: nothing to say
	}
}

func (c *command) checkList(ctx context.Context, name string, in io.Reader) {
	k := &checking{command: c, ctx: ctx, list: name, lines: newLines(in, c.layout.end()), guessed: map[*function]bool{}}
	if err := k.all(); ctx.Err() == nil {
		k.conclude(err)
	}
}

// checking is the check of one list. The list is read as files are begun, so
// that of a long one only what is in work is in memory.
type checking struct {
	*command
	ctx  context.Context
	list string

	// Of the goroutine that reads the list.
	lines    *lines
	held     *entry // read, but not begun
	proper   int    // lines
	improper int
	end      error // why reading ended, nil at the end of the list

	// begun holds the entries whose files are in work, in order.
	begun queue

	// Of the goroutine that has a result.
	matched, mismatched, unreadable int
	// guessed are the functions that nothing but the number of digits speaks
	// for, and whether an entry matched, so that the guess was right.
	guessed map[*function]bool
	line    []byte
}

// all checks the entries, as many at once as stand together and are of one
// function.
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

// together gives the names up to the next entry of another function.
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

// peek returns the entry that is next, or nil at the end of the list.
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
		var undecided *undecidedError
		switch {
		case err == nil:
			k.proper++
			k.held = &e
		case err == errNoEntry:
		case errors.As(err, &undecided):
			k.end = err
		default:
			k.improper++
			if k.warn {
				k.complain(err)
			}
		}
	}
	return k.held
}

// complain prints what is wrong with the line that was read last.
func (k *checking) complain(err error) {
	k.msg.printf("%s: %d: %v", shown(k.list), k.lines.number, err)
}

func (k *checking) checkedStdin(fn *function) hashing.FileResult {
	if k.list == stdinName {
		return hashing.FileResult{Err: &fs.PathError{Op: "read", Path: stdinName, Err: errors.New("the list was read from there")}}
	}
	sum, size, err := k.sumStdin(k.ctx, fn)
	return hashing.FileResult{Sum: sum, Size: size, Err: err}
}

// judge prints what became of one entry, and counts it.
func (k *checking) judge(e *entry, r hashing.FileResult) {
	var buf [32]byte
	switch {
	case k.ctx.Err() != nil && r.Err != nil: // interrupted, not unreadable
	case r.Err != nil && k.ignoreMissing && errors.Is(r.Err, fs.ErrNotExist):
	case r.Err != nil:
		k.unreadable++
		k.msg.error(r.Err)
		k.result(e, "FAILED open or read")
	case !bytes.Equal(r.Sum.Append(buf[:0]), e.sum()):
		k.mismatched++
		if e.guessed && !k.guessed[e.fn] {
			k.guessed[e.fn] = false // wrong so far
		}
		k.result(e, "FAILED")
	default:
		k.matched++
		if e.guessed {
			k.guessed[e.fn] = true
		}
		if !k.quiet {
			k.result(e, "OK")
		}
	}
}

func (k *checking) result(e *entry, text string) {
	if k.status {
		return
	}
	k.line = k.line[:0]
	escaped := needsEscape(e.name)
	if escaped {
		k.line = append(k.line, '\\')
	}
	k.line = appendName(k.line, e.name, escaped)
	k.line = append(append(k.line, ": "...), text...)
	k.out.line(k.line, '\n')
}

// conclude prints the warnings about a list that was read, and what ended it
// early.
func (k *checking) conclude(end error) {
	k.out.flush() // results before what is said of them
	var undecided *undecidedError
	list := shown(k.list)
	switch {
	case errors.As(end, &undecided):
		k.complain(end)
	case end != nil:
		k.msg.error(end)
	case k.proper == 0:
		k.msg.printf("%s: no properly formatted checksum lines found", list)
	}
	if k.proper > 0 && !k.status {
		k.warnIf(k.improper, "line is improperly formatted", "lines are improperly formatted")
		k.warnIf(k.unreadable, "listed file could not be read", "listed files could not be read")
		k.warnIf(k.mismatched, "computed checksum did NOT match", "computed checksums did NOT match")
		k.doubtGuesses(list)
		if k.ignoreMissing && k.matched == 0 {
			k.msg.printf("%s: no file was verified", list)
		}
	}
	if end != nil || k.matched == 0 || k.mismatched > 0 || k.unreadable > 0 || k.strict && k.improper > 0 {
		k.failed.Store(true)
	}
}

// md5Size is the length of MD5 sums in bytes.
const md5Size = 16

// doubtGuesses reports guesses that no entry confirmed.
func (k *checking) doubtGuesses(list string) {
	for i := range functions {
		f := &functions[i]
		right, guessed := k.guessed[f]
		if right || !guessed {
			continue
		}
		hint := ""
		if f.Size == md5Size { // what most lists with so many digits are of
			hint = "; MD5 is not known here"
		}
		k.msg.printf("%s: lines without a tag were taken for %s by their %d digits; if they are of another function, name it with -a%s",
			list, f.Name, 2*f.Size, hint)
	}
}

func (k *checking) warnIf(n int, one, many string) {
	switch {
	case n == 1:
		k.msg.printf("WARNING: %d %s", n, one)
	case n > 1:
		k.msg.printf("WARNING: %d %s", n, many)
	}
}

// A queue hands entries from the goroutine that reads the list to the one that
// has their results.
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
	if 2*q.head >= len(q.entries) { // moves each entry once at most, on average
		n := copy(q.entries, q.entries[q.head:])
		clear(q.entries[n:])
		q.entries, q.head = q.entries[:n], 0
	}
	return e
}
