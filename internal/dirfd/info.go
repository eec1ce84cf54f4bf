package dirfd

import (
	"io/fs"
	"path"
	"syscall"
	"time"
)

// Named returns the Info as a FileInfo of package fs. The path has slashes.
func (i Info) Named(name string) fs.FileInfo { return &namedInfo{i, path.Base(name)} }

type namedInfo struct {
	Info
	name string
}

func (n *namedInfo) Name() string       { return n.name }
func (n *namedInfo) Size() int64        { return n.Info.Size }
func (n *namedInfo) Mode() fs.FileMode  { return fs.FileMode(n.Info.Mode) }
func (n *namedInfo) ModTime() time.Time { return time.Unix(0, n.MTime) }
func (n *namedInfo) IsDir() bool        { return n.Mode().IsDir() }
func (n *namedInfo) Sys() any           { return nil }

// notRegular returns the error for reading a file of this mode, nil for a regular file: the error
// of Linux for opening such a file and reading at an offset.
func notRegular(mode fs.FileMode) error {
	switch mode.Type() {
	case 0:
		return nil
	case fs.ModeSymlink:
		return syscall.ELOOP
	case fs.ModeDir:
		return syscall.EISDIR
	case fs.ModeNamedPipe:
		return syscall.ESPIPE
	}
	return syscall.ENXIO
}
