// Package confine opens files of one directory and never any outside.
//
// It differs from os.Root in two ways that asset trees need. It follows an absolute symbolic link
// if the target is inside. And it opens only regular files, so that a pipe in place of a file
// cannot block the cooker.
package confine

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/internal/regular"
)

// A Dir is a directory that no path opened through it can leave.
type Dir struct {
	root Root
	real string // the directory's path, absolute and without symbolic links
}

// Open opens an existing directory.
func Open(name string) (*Dir, error) {
	abs, err := filepath.Abs(name)
	if err != nil {
		return nil, err
	}
	real, err := filepath.EvalSymlinks(abs)
	if err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(real)
	if err != nil {
		return nil, err
	}
	return &Dir{root: newRoot(root), real: real}, nil
}

// Name returns the directory's path: absolute, without symbolic links.
func (d *Dir) Name() string { return d.real }

// Root returns the os.Root of the directory, for code that only writes.
func (d *Dir) Root() Root { return d.root }

// MoveBusyTo names the trash directory for files that are removed or replaced while another program
// has them open. Call it before the methods of Root.
func (d *Dir) MoveBusyTo(trash string) { d.root.busy.Trash = trash }

// Sub opens a directory inside as a Dir.
func (d *Dir) Sub(path string) (*Dir, error) {
	root, err := d.root.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	return &Dir{root: newRoot(root), real: filepath.Join(d.real, filepath.FromSlash(path))}, nil
}

// Outward returns the first parent directory of a file that is a symbolic link to the outside, or
// "". It is for messages.
func (d *Dir) Outward(path string) string {
	for i := range path {
		if path[i] != '/' {
			continue
		}
		info, err := d.root.Lstat(path[:i])
		if err != nil {
			return ""
		}
		if info.Mode()&fs.ModeSymlink != 0 {
			if _, err := d.root.Stat(path[:i]); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return path[:i]
			}
		}
	}
	return ""
}

// Close closes the directory.
func (d *Dir) Close() error { return d.root.Close() }

// Stat describes a file, following symbolic links that stay inside. Paths are slash-separated.
func (d *Dir) Stat(path string) (fs.FileInfo, error) {
	var info fs.FileInfo
	err := d.reach(path, func(path string) (err error) {
		info, err = d.root.Stat(path)
		return err
	})
	return info, err
}

// OpenFile opens a regular file for reading.
func (d *Dir) OpenFile(path string) (*os.File, error) {
	var f *os.File
	err := d.reach(path, func(path string) (err error) {
		f, err = d.root.OpenFile(path, os.O_RDONLY|regular.NoWait, 0)
		return err
	})
	return regular.Check(f, err)
}

// ReadDir lists a directory in any order, following symbolic links that stay inside.
func (d *Dir) ReadDir(path string) (entries []fs.DirEntry, err error) {
	err = d.reach(path, func(path string) error {
		f, err := d.root.Root.OpenFile(path, os.O_RDONLY|regular.NoWait, 0)
		if err != nil {
			return err
		}
		defer f.Close()
		entries, err = f.ReadDir(-1)
		return err
	})
	return entries, err
}

// reach calls do with a path through which os.Root can reach the file.
func (d *Dir) reach(path string, do func(path string) error) error {
	err := do(path)
	switch {
	case err == nil || errors.Is(err, fs.ErrNotExist):
		return err
	case pathname.IsAbsent(err):
		return &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
	inside, linkErr := d.resolve(path)
	if linkErr != nil || inside == path {
		return err
	}
	return do(inside)
}

// resolve follows symbolic links that os.Root refuses, and returns their target inside the
// directory.
func (d *Dir) resolve(path string) (string, error) {
	target, err := filepath.EvalSymlinks(filepath.Join(d.real, filepath.FromSlash(path)))
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(d.real, target)
	if err != nil {
		return "", err
	}
	if rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return "", errors.New("leads outside")
	}
	return filepath.ToSlash(rel), nil
}
