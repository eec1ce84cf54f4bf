package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// stdinName is the name of standard input on the command line and in lists.
const stdinName = "-"

// A walker turns arguments into the names of files, in the order of the printed sums: the order of
// the arguments, and within a directory the byte order of the names.
type walker struct {
	// file takes each name. Returning false ends the walk.
	file func(name string) bool
	// failed takes errors, with the path in the error.
	failed func(error)
	// skipped takes names that are no files, and why.
	skipped func(name, why string)
}

// walk goes through all arguments. It follows a link that is an argument or leads to a file. It
// does not follow a link in a directory to a directory, so that the walk ends. A dangling link is a
// failure as an argument, and skipped in a directory.
func (w *walker) walk(ctx context.Context, args []string) {
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
		return w.folder(ctx, dir)
	}
	return w.file(filepath.ToSlash(arg)) // pipes and devices as well, if they are arguments
}

// directory goes through a directory whose name ends with a slash.
func (w *walker) folder(ctx context.Context, dir string) bool {
	entries, err := list(dir)
	if err != nil {
		w.failed(err) // entries before the error are summed nevertheless
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
			ok = w.folder(ctx, name+"/")
		case kind&fs.ModeSymlink != 0:
			ok = w.link(name)
		default:
			w.skipped(name, "not a regular file")
		}
		if !ok {
			return false
		}
	}
	return true
}

func (w *walker) link(name string) bool {
	switch info, err := os.Stat(name); {
	case leadsNowhere(err):
		w.skipped(name, "link leads nowhere")
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

// leadsNowhere reports whether a link is dangling: its target is missing, below a file, or a link
// in a circle.
func leadsNowhere(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ELOOP)
}

// list reads a directory. It may return entries beside an error.
func list(dir string) ([]fs.DirEntry, error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	entries, err := f.ReadDir(-1)
	err = errors.Join(err, f.Close())
	slices.SortFunc(entries, compare)
	return entries, err
}

// compare orders the entries of a directory like all paths below it: a directory counts as its name
// with a slash, so that "a.b" comes before "a/b".
func compare(a, b fs.DirEntry) int {
	an, bn := a.Name(), b.Name()
	n := min(len(an), len(bn))
	if c := strings.Compare(an[:n], bn[:n]); c != 0 {
		return c
	}
	return byteAt(a, n) - byteAt(b, n)
}

// byteAt returns byte i of a name, or -1 after its end.
func byteAt(e fs.DirEntry, i int) int {
	switch name := e.Name(); {
	case i < len(name):
		return int(name[i])
	case i == len(name) && e.IsDir():
		return '/'
	}
	return -1
}
