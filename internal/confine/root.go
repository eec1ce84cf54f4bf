package confine

import (
	"errors"
	"io/fs"
	"os"
	"syscall"

	"github.com/assetcook/assetcook/internal/busyfile"
	"github.com/assetcook/assetcook/internal/pathname"
)

// A Root is an os.Root that makes a call again when a signal interrupted it, which
// os.Root does for some of its methods only, and tells a folder that is not empty
// from one that cannot be removed. Where the system can look up a whole path in one
// call, it does.
//
// Remove, RemoveAll and Rename also work where another program has the file open (see
// package busyfile), and where the system lacks the POSIX deletion that os.Root asks for.
//
// [os.SameFile] does not know the results of its Stat and Lstat, but those of LstatOS.
type Root struct {
	*os.Root
	quick *beneath        // nil if the system has no such calls
	busy  *busyfile.Files // repeats calls that met a busy file
}

// errAsk is how beneath says that os.Root is to be asked.
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
	err = again(func() error { info, err = r.Root.Stat(name); return err })
	return info, err
}

func (r Root) Lstat(name string) (info fs.FileInfo, err error) {
	if info, err := r.quick.lstat(name); err != errAsk {
		return info, err
	}
	return r.LstatOS(name)
}

// LstatOS is Lstat whose results [os.SameFile] knows.
func (r Root) LstatOS(name string) (info fs.FileInfo, err error) {
	err = again(func() error { info, err = r.Root.Lstat(name); return err })
	return info, err
}

// Rename renames a file. A folder may take the place of an empty one, where os.Root
// refuses.
func (r Root) Rename(from, to string) error {
	if err := r.quick.rename(from, to); err != errAsk {
		return err
	}
	return r.busy.Rename(from, to)
}

func (r Root) MkdirAll(name string, perm fs.FileMode) error {
	return again(func() error { return r.Root.MkdirAll(name, perm) })
}

// RemoveEmpty removes a folder if it is empty, and reports whether there is none of
// that name any more. One that is not empty stays, and so does what is no folder.
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

// again makes a call until no signal interrupts it.
func again(call func() error) error {
	for {
		if err := call(); !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}
