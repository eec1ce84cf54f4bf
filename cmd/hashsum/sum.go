package main

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/assetcook/assetcook/hashing"
)

// printSums prints the sums of all files.
func (c *command) printSums(ctx context.Context) {
	var line []byte
	show := func(name string, sum hashing.Sum, size int64) {
		e := entry{fn: c.fn, name: name, size: size}
		sum.Append(e.digest[:0])
		line = c.layout.appendEntry(line[:0], &e)
		c.out.writeLine(line, c.layout.lineEnd())
	}
	for files := c.files; ctx.Err() == nil; {
		i := slices.Index(files, stdinName)
		if i < 0 {
			c.sumFiles(ctx, files, show)
			return
		}
		c.sumFiles(ctx, files[:i], show)
		if sum, size, err := c.sumStdin(ctx, c.fn); err != nil {
			c.failUnlessEnded(ctx, err)
		} else {
			show(stdinName, sum, size)
		}
		files = files[i+1:]
	}
}

// sumFiles prints the sums of files.
func (c *command) sumFiles(ctx context.Context, args []string, show func(string, hashing.Sum, int64)) {
	err := c.hasher(c.fn).Sum(ctx, c.walkedFiles(ctx, args), func(r hashing.FileResult) {
		c.progress.finished()
		if r.Err != nil {
			c.failUnlessEnded(ctx, r.Err)
			return
		}
		show(r.Name, r.Sum, r.Size)
	})
	if err != nil {
		c.failUnlessEnded(ctx, err)
	}
}

// walkedFiles yields the names of all files that the arguments name or contain.
func (c *command) walkedFiles(ctx context.Context, args []string) iter.Seq[string] {
	return func(yield func(string) bool) {
		w := walker{
			file:    yield,
			failed:  func(err error) { c.failUnlessEnded(ctx, err) },
			skipped: func(name, why string) { c.msg.warnAbout(name, "skipped: "+why) },
		}
		w.walkArguments(ctx, args)
	}
}

// hasher returns a [hashing.Files] that sums with the given function.
func (c *command) hasher(fn *function) hashing.Files {
	files := hashing.Files{Func: fn.Func, Workers: c.workers}
	if c.progress != nil {
		files.Progress = c.progress.countBytes
	}
	return files
}

// sumStdin sums standard input. It first writes all finished sums, because the input may take
// long.
func (c *command) sumStdin(ctx context.Context, fn *function) (hashing.Sum, int64, error) {
	c.out.flushOutput()
	sum, size, err := hashing.SumReader(ctx, fn.Func, countedReader{c.stdin, c.progress})
	c.progress.finished()
	return sum, size, err
}

// A countedReader adds the number of bytes read to the progress display.
type countedReader struct {
	io.Reader
	progress *progressDisplay
}

func (c countedReader) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	c.progress.countBytes(int64(n))
	return n, err
}

// measureTotal adds the sizes of the files to the total of the progress display. The sizes of
// standard input and of the files in a list are unknown.
func (c *command) measureTotal(ctx context.Context) {
	if c.lists != nil || slices.Contains(c.files, stdinName) {
		return
	}
	var total int64
	w := walker{
		file: func(name string) bool {
			if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() {
				total += info.Size()
			}
			return true
		},
		failed:  func(error) {}, // the error is reported later, when the file is summed
		skipped: func(string, string) {},
	}
	if w.walkArguments(ctx, c.files); ctx.Err() == nil {
		c.progress.total.Store(total)
	}
}

// failUnlessEnded prints an error, unless the run was interrupted.
func (c *command) failUnlessEnded(ctx context.Context, err error) {
	if ctx.Err() == nil {
		c.printFailure(err)
	}
}

// stdinName is the name of standard input on the command line and in lists.
const stdinName = "-"

// A walker turns arguments into the names of files. The names come in the order of the arguments,
// and within a directory in the byte order of the names.
type walker struct {
	// file is called with each name. If it returns false, the walk ends.
	file func(name string) bool
	// failed is called with each error, which contains the path.
	failed func(error)
	// skipped is called with each name that is not a file, and the reason.
	skipped func(name, why string)
}

// walkArguments walks all arguments. It follows a link that is an argument or leads to a file. It
// does not follow a link from a directory to a directory, so that the walk ends. A dangling link is
// an error as an argument, but is skipped in a directory.
func (w *walker) walkArguments(ctx context.Context, args []string) {
	for _, arg := range args {
		if ctx.Err() != nil || !w.argument(ctx, arg) {
			return
		}
	}
}

func (w *walker) argument(ctx context.Context, arg string) bool {
	if arg == stdinName {
		return w.file(arg)
	}
	info, err := os.Stat(arg)
	switch {
	case err != nil:
		w.failed(err)
		return true
	case info.IsDir():
		dir := filepath.ToSlash(arg)
		if !strings.HasSuffix(dir, "/") {
			dir += "/"
		}
		return w.walkFolder(ctx, dir)
	}
	return w.file(filepath.ToSlash(arg)) // pipes and devices are also summed if they are arguments
}

// walkFolder walks a directory. The name must end with a slash.
func (w *walker) walkFolder(ctx context.Context, dir string) bool {
	entries, err := readSortedFolder(dir)
	if err != nil {
		w.failed(err) // the entries that were read before the error are still summed
	}
	for _, e := range entries {
		if ctx.Err() != nil {
			return false
		}
		name := dir + e.Name()
		ok := true
		switch kind := e.Type(); {
		case kind.IsRegular():
			ok = w.file(name)
		case kind.IsDir():
			ok = w.walkFolder(ctx, name+"/")
		case kind&fs.ModeSymlink != 0:
			ok = w.walkLink(name)
		default:
			w.skipped(name, "not a regular file")
		}
		if !ok {
			return false
		}
	}
	return true
}

func (w *walker) walkLink(name string) bool {
	switch info, err := os.Stat(name); {
	case leadsNowhere(err):
		w.skipped(name, "the target of the link does not exist")
	case err != nil:
		w.failed(err)
	case info.IsDir():
		w.skipped(name, "a link to a directory")
	case !info.Mode().IsRegular():
		w.skipped(name, "not a regular file")
	default:
		return w.file(name)
	}
	return true
}

// leadsNowhere reports whether a link is dangling. Its target may be missing, be below a file, or
// be part of a cycle of links.
func leadsNowhere(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ELOOP)
}

// readSortedFolder reads a directory and sorts its entries. It may return entries together with
// an error.
func readSortedFolder(dir string) ([]fs.DirEntry, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	entries, err := f.ReadDir(-1)
	err = errors.Join(err, f.Close())
	slices.SortFunc(entries, compareEntries)
	return entries, err
}

// compareEntries orders the entries of a directory like all paths below it: a directory sorts as
// its name with a slash, so that "a.b" comes before "a/b".
func compareEntries(a, b fs.DirEntry) int {
	an, bn := a.Name(), b.Name()
	n := min(len(an), len(bn))
	if c := strings.Compare(an[:n], bn[:n]); c != 0 {
		return c
	}
	return byteAt(a, n) - byteAt(b, n)
}

// byteAt returns byte i of a name, or -1 if i is beyond its end.
func byteAt(e fs.DirEntry, i int) int {
	switch name := e.Name(); {
	case i < len(name):
		return int(name[i])
	case i == len(name) && e.IsDir():
		return '/'
	}
	return -1
}
