// Package confine opens files of one folder and never any outside of it.
//
// It is os.Root with two differences that asset trees need: a symbolic link
// that names its target absolutely is followed as long as the target lies
// inside, and only regular files are opened, so that a pipe that took a file's
// place cannot make the cooker wait.
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

// A Dir is a folder that nothing opened through it can leave.
type Dir struct {
	root Root
	real string // the folder's name, absolute and without links
}

// Open opens an existing folder.
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

// Name returns the folder's name: absolute, without symbolic links.
func (d *Dir) Name() string { return d.real }

// Root returns the os.Root under the folder, for what only writes.
func (d *Dir) Root() Root { return d.root }

// MoveBusyTo names the directory in the folder that takes files which are to be removed or
// replaced while another program has them open. Call it before the methods of Root.
func (d *Dir) MoveBusyTo(trash string) { d.root.busy.Trash = trash }

// Sub opens a folder inside as one that nothing can leave either.
func (d *Dir) Sub(path string) (*Dir, error) {
	root, err := d.root.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	return &Dir{root: newRoot(root), real: filepath.Join(d.real, filepath.FromSlash(path))}, nil
}

// Outward returns the first folder on the way to a file that is a link which leads
// outside, "" if there is none. It is for messages.
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

// Close closes the folder.
func (d *Dir) Close() error { return d.root.Close() }

// Stat describes a file, following links that stay inside. The path has
// slashes.
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

// ReadDir lists a folder in any order, following links that stay inside.
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

// reach calls do with a path by which os.Root can reach a file.
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

// resolve follows links that os.Root does not, and says where inside the
// folder they end.
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
