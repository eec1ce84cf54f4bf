package confine

import (
	"errors"
	"io/fs"
	"path"
)

// A Folder is a folder of a Root that is looked up once for several calls. It does not
// have to exist: whatever cannot be done by an open folder is done by its path.
//
// Should the folder be moved while it is open, the calls concern it where it is then.
type Folder struct {
	root   Root
	path   string
	open   openFolder
	absent bool
}

// Folder opens the folder of a path with slashes, "." for the root's own.
func (r Root) Folder(path string) Folder {
	open, err := r.quick.folder(path)
	return Folder{r, path, open, errors.Is(err, fs.ErrNotExist)}
}

// Close closes the folder.
func (f *Folder) Close() { f.open.close() }

// Absent reports whether the folder is known not to have existed when it was to be
// opened.
func (f *Folder) Absent() bool { return f.absent }

// Lstat describes a file of the folder.
func (f *Folder) Lstat(name string) (fs.FileInfo, error) {
	at := path.Join(f.path, name)
	if info, err := f.open.lstat(name, at); err != errAsk {
		return info, err
	}
	return f.root.Lstat(at)
}

// Rename renames a file of the folder to one of another folder of the same Root.
func (f *Folder) Rename(name string, to *Folder, toName string) error {
	from, dest := path.Join(f.path, name), path.Join(to.path, toName)
	if err := f.open.rename(name, to.open, toName, from, dest); err != errAsk {
		return err
	}
	return f.root.Rename(from, dest)
}
