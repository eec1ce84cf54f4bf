//go:build !linux && !darwin

package scan

import "os"

const openFlags = os.O_RDONLY

// rootFolder implements lstat with an os.Root for the directory.
type rootFolder struct {
	*os.File
	root *os.Root
}

func openFolder(root *os.Root, rel string) (folder, error) {
	sub, err := root.OpenRoot(rel)
	if err != nil {
		return nil, err
	}
	f, err := sub.Open(".")
	if err != nil {
		sub.Close()
		return nil, err
	}
	return rootFolder{f, sub}, nil
}

func (f rootFolder) lstat(name string) (Stamp, error) {
	fi, err := f.root.Lstat(name)
	if err != nil {
		return Stamp{}, err
	}
	return StampOf(fi), nil
}

func (f rootFolder) stat() (Stamp, error) {
	fi, err := f.File.Stat()
	if err != nil {
		return Stamp{}, err
	}
	return StampOf(fi), nil
}

// trusted returns false, because a FileInfo does not reveal whether a listing has changed.
func (f rootFolder) trusted() bool { return false }

func (f rootFolder) Close() error {
	err := f.File.Close()
	f.root.Close()
	return err
}
