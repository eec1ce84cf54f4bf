package dirfd

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// rootFolder is the portable folder. An os.Root, unlike a joined name, stays
// with its folder when that is moved. On Linux only the tests use it.
type rootFolder struct {
	root *os.Root // nil if not open
	name string   // absolute, for links that lead out of root
}

func openRootFolder(name string) (rootFolder, error) {
	f, err := reach(name)
	if err != nil {
		return rootFolder{}, &fs.PathError{Op: "open", Path: name, Err: bare(err)}
	}
	return f, nil
}

// reach opens a folder by name, following links.
func reach(name string) (rootFolder, error) {
	info, err := os.Stat(name) // also sees to it that no pipe is opened
	if err != nil {
		return rootFolder{}, err
	}
	if !info.IsDir() {
		return rootFolder{}, syscall.ENOTDIR
	}
	abs, err := filepath.Abs(name)
	if err != nil {
		return rootFolder{}, err
	}
	root, err := os.OpenRoot(name)
	if err != nil {
		return rootFolder{}, err
	}
	return rootFolder{root, abs}, nil
}

func (f rootFolder) Sub(path []byte, beneath bool) (rootFolder, error) {
	if err := checkPath(path); err != nil {
		return rootFolder{}, err
	}
	if f.root == nil {
		return rootFolder{}, syscall.EBADF
	}
	rel := string(path[:len(path)-1])
	sub, err := f.steps(rel)
	err = bare(err)
	if !beneath && (err == syscall.ELOOP || err == syscall.ENOTDIR) {
		// Not every link stays inside, which is where os.Root stops; a junction of
		// Windows is neither link nor folder.
		sub, err = reach(filepath.Join(f.name, filepath.FromSlash(rel)))
		err = bare(err)
	}
	return sub, err
}

// steps goes down name by name, through folders only: os.Root itself would
// follow links that stay inside.
func (f rootFolder) steps(path string) (rootFolder, error) {
	root, err := f.root.OpenRoot(".")
	if err != nil {
		return rootFolder{}, err
	}
	at := rootFolder{root, f.name}
	for name := range strings.SplitSeq(path, "/") {
		if name == "" || name == "." {
			continue
		}
		next, err := at.step(name)
		at.Close()
		if err != nil {
			return rootFolder{}, err
		}
		at = next
	}
	return at, nil
}

// step opens a folder in f.
func (f rootFolder) step(name string) (rootFolder, error) {
	seen, err := f.root.Lstat(name)
	switch {
	case err != nil:
		return rootFolder{}, err
	case seen.Mode().Type() == fs.ModeSymlink:
		return rootFolder{}, syscall.ELOOP
	case !seen.IsDir():
		return rootFolder{}, syscall.ENOTDIR
	}
	return f.enter(name, seen)
}

// enter opens a folder in f that was seen there. Should a link or another folder
// have taken its place, that is ELOOP: it can no longer be told which.
func (f rootFolder) enter(name string, seen fs.FileInfo) (rootFolder, error) {
	root, err := f.root.OpenRoot(name)
	if err != nil {
		return rootFolder{}, err
	}
	opened, err := root.Stat(".")
	if err == nil && !os.SameFile(seen, opened) {
		err = syscall.ELOOP
	}
	if err != nil {
		root.Close()
		return rootFolder{}, err
	}
	return rootFolder{root, filepath.Join(f.name, name)}, nil
}

func (f rootFolder) Info(into *Info) error {
	if f.root == nil {
		return syscall.EBADF
	}
	info, err := f.root.Stat(".")
	if err != nil {
		return bare(err)
	}
	*into = InfoOf(info)
	return nil
}

func (f rootFolder) Stat(name []byte, follow bool, into *Info) error {
	if err := checkName(name); err != nil {
		return err
	}
	if f.root == nil {
		return syscall.EBADF
	}
	base := string(name[:len(name)-1])
	info, err := f.root.Lstat(base)
	if err == nil && follow && info.Mode()&(fs.ModeSymlink|fs.ModeIrregular) != 0 {
		info, err = os.Stat(filepath.Join(f.name, base))
	}
	if err != nil {
		return bare(err)
	}
	*into = InfoOf(info)
	return nil
}

// InfoOf takes the Info from a FileInfo made by [os.Stat], [os.Lstat], [os.Root],
// [os.File.Stat] or [Info.Named].
func InfoOf(info fs.FileInfo) Info {
	if named, ok := info.(*namedInfo); ok {
		return named.Info
	}
	i := Info{
		Size:  info.Size(),
		MTime: info.ModTime().UnixNano(),
		Mode:  uint32(info.Mode()),
	}
	i.addSystem(info.Sys())
	return i
}

func (f *rootFolder) Close() error {
	root := f.root
	*f = rootFolder{}
	if root == nil {
		return syscall.EBADF
	}
	return bare(root.Close())
}

// bare returns what the system said, without operation and name.
func bare(err error) error {
	if err == nil || err == io.EOF {
		return err // at once: what errors.As fills in costs an allocation
	}
	var errno syscall.Errno
	switch {
	case errors.As(err, &errno):
		return errno
	case errors.Is(err, fs.ErrClosed):
		return syscall.EBADF
	}
	return err
}
