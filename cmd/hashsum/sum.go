package main

import (
	"context"
	"io"
	"iter"
	"os"
	"slices"

	"github.com/assetcook/assetcook/hashing"
)

// sum prints the sums of all files.
func (c *command) sum(ctx context.Context) {
	var line []byte
	show := func(name string, sum hashing.Sum, size int64) {
		e := entry{fn: c.fn, name: name, size: size}
		sum.Append(e.digest[:0])
		line = c.layout.append(line[:0], &e)
		c.out.line(line, c.layout.end())
	}
	// Read standard input in its place between other files.
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
	err := c.hasher(c.fn).Sum(ctx, c.walked(ctx, args), func(r hashing.FileResult) {
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

// walked yields the names of all files of the arguments.
func (c *command) walked(ctx context.Context, args []string) iter.Seq[string] {
	return func(yield func(string) bool) {
		w := walker{
			file:    yield,
			failed:  func(err error) { c.failUnlessEnded(ctx, err) },
			skipped: func(name, why string) { c.msg.warn(name, "skipped: "+why) },
		}
		w.walk(ctx, args)
	}
}

// hasher returns the means to sum files with a function.
func (c *command) hasher(fn *function) hashing.Files {
	files := hashing.Files{Func: fn.Func, Workers: c.workers}
	if c.progress != nil {
		files.Progress = c.progress.countBytes
	}
	return files
}

// sumStdin sums standard input. It first writes all known sums, because the input may come late.
func (c *command) sumStdin(ctx context.Context, fn *function) (hashing.Sum, int64, error) {
	c.out.flush()
	sum, size, err := hashing.SumReader(ctx, fn.Func, counted{c.stdin, c.progress})
	c.progress.finished()
	return sum, size, err
}

// A counted reader counts its bytes as progress.
type counted struct {
	io.Reader
	progress *progress
}

func (c counted) Read(b []byte) (int, error) {
	n, err := c.Reader.Read(b)
	c.progress.countBytes(int64(n))
	return n, err
}

// measure sums up the sizes of the files, for progress. Lists and standard input have no known size.
func (c *command) measure(ctx context.Context) {
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
		failed:  func(error) {}, // summing reports it
		skipped: func(string, string) {},
	}
	if w.walk(ctx, c.files); ctx.Err() == nil {
		c.progress.total.Store(total)
	}
}

// failUnlessEnded reports an error, unless the run was interrupted.
func (c *command) failUnlessEnded(ctx context.Context, err error) {
	if ctx.Err() == nil {
		c.fail(err)
	}
}
