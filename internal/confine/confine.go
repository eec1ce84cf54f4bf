// Package confine opens files of one folder and never any outside of it.
//
// It is os.Root with two differences that asset trees need: a symbolic link
// that names its target absolutely is followed as long as the target lies
// inside, and only regular files are opened, so that a pipe that took a file's
// place cannot make the cooker wait.
package confine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// A Dir is a folder that nothing opened through it can leave.
type Dir struct {
	root *os.Root
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
	return &Dir{root: root, real: real}, nil
}

// Name returns the folder's name: absolute, without symbolic links.
func (d *Dir) Name() string { return d.real }

// Root returns the os.Root under the folder, for what only writes.
func (d *Dir) Root() *os.Root { return d.root }

// Close closes the folder.
func (d *Dir) Close() error { return d.root.Close() }

// Stat describes a file, following links that stay inside. The path has
// slashes.
func (d *Dir) Stat(path string) (fs.FileInfo, error) {
	info, _, err := d.stat(path)
	return info, err
}

// OpenFile opens a regular file for reading.
func (d *Dir) OpenFile(path string) (*os.File, error) {
	info, path, err := d.stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &fs.PathError{Op: "open", Path: path, Err: fmt.Errorf("is %s, not a regular file", kind(info.Mode()))}
	}
	return d.root.Open(path)
}

// stat also returns the path by which os.Root reaches the file.
func (d *Dir) stat(path string) (fs.FileInfo, string, error) {
	info, err := d.root.Stat(path)
	if err == nil {
		return info, path, nil
	}
	// What would be below a file, or has a name longer than any, is not there.
	if errors.Is(err, syscall.ENOTDIR) || errors.Is(err, syscall.ENAMETOOLONG) {
		return nil, path, &fs.PathError{Op: "stat", Path: path, Err: fs.ErrNotExist}
	}
	inside, linkErr := d.resolve(path)
	if linkErr != nil {
		return nil, path, err
	}
	info, err = d.root.Stat(inside)
	return info, inside, err
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

func kind(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "a folder"
	case m&fs.ModeNamedPipe != 0:
		return "a pipe"
	case m&fs.ModeSocket != 0:
		return "a socket"
	case m&fs.ModeDevice != 0:
		return "a device"
	}
	return "special"
}
