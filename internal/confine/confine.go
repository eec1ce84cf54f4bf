// Package confine opens files in one directory and never outside of it.
//
// It differs from os.Root in two ways that asset trees need. It follows an absolute symbolic link
// if the target is inside the directory. It opens only regular files, so that a named pipe cannot
// block the caller.
package confine

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/assetcook/assetcook/internal/busyfile"
	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/internal/regular"
)

// A Dir is a directory that confines all paths opened through it.
type Dir struct {
	root Root
	real string // absolute path of the directory, without symbolic links
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

// Name returns the directory's path, which is absolute and has no symbolic links.
func (d *Dir) Name() string { return d.real }

// Root returns the Root of the directory, for code that only writes.
func (d *Dir) Root() Root { return d.root }

// MoveBusyTo sets the trash directory for files that are removed or replaced while another program
// has them open. Call it before the methods of Root.
func (d *Dir) MoveBusyTo(trash string) { d.root.busy.Trash = trash }

// Sub opens a directory inside d as a Dir.
func (d *Dir) Sub(path string) (*Dir, error) {
	root, err := d.root.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	return &Dir{root: newRoot(root), real: filepath.Join(d.real, filepath.FromSlash(path))}, nil
}

// Outward returns the first parent directory in path that is a symbolic link to a target outside d,
// or "" if there is none. Use it for messages only.
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

// Stat describes a file, following symbolic links that stay inside the directory. Paths are
// slash-separated.
func (d *Dir) Stat(path string) (fs.FileInfo, error) {
	var info fs.FileInfo
	err := d.reachInside(path, func(path string) (err error) {
		info, err = d.root.Stat(path)
		return err
	})
	return info, err
}

// OpenFile opens a regular file for reading.
func (d *Dir) OpenFile(path string) (*os.File, error) {
	var f *os.File
	err := d.reachInside(path, func(path string) (err error) {
		f, err = d.root.OpenFile(path, os.O_RDONLY|regular.NoWait, 0)
		return err
	})
	return regular.Check(f, err)
}

// ReadDir lists a directory in unspecified order, following symbolic links that stay inside d.
func (d *Dir) ReadDir(path string) (entries []fs.DirEntry, err error) {
	err = d.reachInside(path, func(path string) error {
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

// reachInside calls do with an equivalent path that os.Root can follow.
func (d *Dir) reachInside(path string, do func(path string) error) error {
	err := do(path)
	switch {
	case err == nil || errors.Is(err, fs.ErrNotExist):
		return err
	case pathname.IsAbsent(err):
		return &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
	inside, linkErr := d.resolveInside(path)
	if linkErr != nil || inside == path {
		return err
	}
	return do(inside)
}

// resolveInside resolves symbolic links that os.Root refuses to follow, and returns the target
// inside the directory.
func (d *Dir) resolveInside(path string) (string, error) {
	target, err := filepath.EvalSymlinks(filepath.Join(d.real, filepath.FromSlash(path)))
	if err != nil {
		return "", err
	}
	rel, err := filepath.Rel(d.real, target)
	if err != nil {
		return "", err
	}
	if rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
		return "", errors.New("the link leads out of the directory; remove the link")
	}
	return filepath.ToSlash(rel), nil
}

// A Root is an os.Root with two additions. It repeats every call that a signal interrupted, while
// os.Root repeats only some. Its errors distinguish a directory that is not empty from one that
// cannot be removed. If the system can resolve a whole path in one call, Root uses this call.
//
// Remove, RemoveAll and Rename also work while another program has the file open (see package
// busyfile), and on systems without the POSIX deletion that os.Root uses.
//
// [os.SameFile] accepts the results of LstatOS, but not the results of Stat and Lstat.
type Root struct {
	*os.Root
	quick *beneath        // nil if the system lacks such calls
	busy  *busyfile.Files // repeats calls that fail because of busy files
}

// errAsk is the error of beneath that asks the caller to use os.Root.
var errAsk = errors.New("ask os.Root")

func newRoot(root *os.Root) Root {
	return Root{root, openBeneath(root), &busyfile.Files{In: callOnce{root}}}
}

func (r Root) Close() error { return errors.Join(r.quick.Close(), r.Root.Close()) }

func (r Root) OpenFile(name string, flag int, perm fs.FileMode) (*os.File, error) {
	f, err := r.quick.openFile(name, flag, perm)
	if err == errAsk {
		return r.Root.OpenFile(name, flag, perm)
	}
	return f, err
}

func (r Root) Stat(name string) (info fs.FileInfo, err error) {
	if info, err := r.quick.lstat(name); err == nil && info.Mode()&fs.ModeSymlink == 0 || err != nil && err != errAsk {
		return info, err
	}
	err = repeatInterrupted(func() error { info, err = r.Root.Stat(name); return err })
	return info, err
}

func (r Root) Lstat(name string) (info fs.FileInfo, err error) {
	if info, err := r.quick.lstat(name); err != errAsk {
		return info, err
	}
	return r.LstatOS(name)
}

// LstatOS is like Lstat, but [os.SameFile] accepts its results.
func (r Root) LstatOS(name string) (info fs.FileInfo, err error) {
	err = repeatInterrupted(func() error { info, err = r.Root.Lstat(name); return err })
	return info, err
}

// Rename renames a file. Unlike os.Root, it can replace an empty directory by a directory.
func (r Root) Rename(from, to string) error {
	if err := r.quick.rename(from, to); err != errAsk {
		return err
	}
	return r.busy.Rename(from, to)
}

func (r Root) MkdirAll(name string, perm fs.FileMode) error {
	return repeatInterrupted(func() error { return r.Root.MkdirAll(name, perm) })
}

// RemoveEmpty removes a directory if it is empty, and reports whether name does not exist
// afterwards. It does not remove files or directories with content.
func (r Root) RemoveEmpty(name string) (gone bool, err error) {
	info, err := r.Lstat(name)
	switch {
	case pathname.IsAbsent(err):
		return true, nil
	case err != nil:
		return false, err
	case !info.IsDir():
		return false, nil
	}
	switch err = r.Remove(name); {
	case err == nil, errors.Is(err, fs.ErrNotExist):
		return true, nil
	case isNotEmpty(err):
		return false, nil
	}
	return false, err
}

// repeatInterrupted repeats a call while signals interrupt it.
func repeatInterrupted(call func() error) error {
	for {
		if err := call(); !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

// A Folder is a directory of a Root that is looked up once for several calls. If the directory
// could not be opened, for example because it does not exist, calls use its path.
//
// If the directory is moved while it is open, calls affect the moved directory.
type Folder struct {
	root   Root
	path   string
	open   openFolder
	absent bool
}

// Folder opens the directory at a slash-separated path; "." is the root itself.
func (r Root) Folder(path string) Folder {
	open, err := r.quick.openSubfolder(path)
	return Folder{r, path, open, errors.Is(err, fs.ErrNotExist)}
}

// Close closes the directory.
func (f *Folder) Close() { f.open.closeFolder() }

// Absent reports whether the directory did not exist when Root.Folder looked it up.
func (f *Folder) Absent() bool { return f.absent }

// Lstat describes a file of the directory.
func (f *Folder) Lstat(name string) (fs.FileInfo, error) {
	at := path.Join(f.path, name)
	if info, err := f.open.lstatName(name, at); err != errAsk {
		return info, err
	}
	return f.root.Lstat(at)
}

// Rename moves a file to another directory of the same Root.
func (f *Folder) Rename(name string, to *Folder, toName string) error {
	from, dest := path.Join(f.path, name), path.Join(to.path, toName)
	if err := f.open.renameName(name, to.open, toName, from, dest); err != errAsk {
		return err
	}
	return f.root.Rename(from, dest)
}

// RenameToNew is Rename, but returns an error that wraps fs.ErrExist if there is already a file or
// directory with the new name. The error wraps errors.ErrUnsupported if the system cannot check this
// in the same step.
func (f *Folder) RenameToNew(name string, to *Folder, toName string) error {
	return f.open.renameToNew(name, to.open, toName, path.Join(f.path, name), path.Join(to.path, toName))
}

// A LastFolder keeps the directory open that was used last, for callers that visit files in the order
// of their paths. The zero LastFolder is ready to use.
type LastFolder struct{ folder Folder }

// Open returns the directory at a path. It opens the directory unless that is the last one.
func (l *LastFolder) Open(root Root, path string) *Folder {
	if l.folder.path != path || l.folder.absent {
		l.Close()
		l.folder = root.Folder(path)
	}
	return &l.folder
}

// Close closes the directory. The next Open opens it again.
func (l *LastFolder) Close() {
	l.folder.Close()
	l.folder = Folder{}
}

// callOnce implements busyfile.Folder. It does not repeat a call that fails because of a busy file.
type callOnce struct{ *os.Root }

func (c callOnce) ReadDir(name string) ([]fs.DirEntry, error) { return fs.ReadDir(c.FS(), name) }

func (c callOnce) Remove(name string) error {
	err := repeatInterrupted(func() error { return c.Root.Remove(name) })
	if busyfile.LacksPosixDeletion(err) {
		return removeByHandle(c.Root, name)
	}
	return err
}

func (c callOnce) RemoveAll(name string) error {
	return repeatInterrupted(func() error { return c.Root.RemoveAll(name) })
}

func (c callOnce) Rename(from, to string) error {
	return repeatInterrupted(func() error { return c.Root.Rename(from, to) })
}

// Remove removes a file or an empty directory.
func (r Root) Remove(name string) error { return r.busy.Remove(name) }

// RemoveAll removes a file or a directory with its content. It continues after errors.
func (r Root) RemoveAll(name string) error { return r.busy.RemoveAll(name) }
