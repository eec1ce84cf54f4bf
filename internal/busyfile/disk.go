package busyfile

import (
	"io/fs"
	"os"
)

// Disk is the Folder of all files, with the paths of package os.
type Disk struct{}

func (Disk) Lstat(name string) (fs.FileInfo, error)       { return os.Lstat(name) }
func (Disk) MkdirAll(name string, perm fs.FileMode) error { return os.MkdirAll(name, perm) }
func (Disk) ReadDir(name string) ([]fs.DirEntry, error)   { return os.ReadDir(name) }
func (Disk) Remove(name string) error                     { return os.Remove(name) }
func (Disk) RemoveAll(name string) error                  { return os.RemoveAll(name) }
func (Disk) Rename(from, to string) error                 { return os.Rename(from, to) }

// Remove is os.Remove for a file that another program may have open.
func Remove(name string) error { return (&Files{In: Disk{}}).Remove(name) }

// RemoveAll is os.RemoveAll for files that other programs may have open.
func RemoveAll(name string) error { return (&Files{In: Disk{}}).RemoveAll(name) }

// Rename is os.Rename for files that other programs may have open.
func Rename(from, to string) error { return (&Files{In: Disk{}}).Rename(from, to) }
