package dirfd

import (
	"cmp"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/assetcook/assetcook/internal/lease"
	"github.com/assetcook/assetcook/internal/regular"
)

// rootFolder is the portable implementation of Folder. An os.Root refers to the same directory even
// after a move, in contrast to a path. On Linux only the tests use rootFolder.
type rootFolder struct {
	root *os.Root // nil if not open
	name string   // absolute path, for following symbolic links that lead out of root
}

func openRootFolder(name string) (rootFolder, error) {
	f, err := openRootByName(name)
	if err != nil {
		return rootFolder{}, &fs.PathError{Op: "open", Path: name, Err: bare(err)}
	}
	return f, nil
}

// openRootByName opens a directory by name, following symbolic links.
func openRootByName(name string) (rootFolder, error) {
	info, err := os.Stat(name) // this also refuses pipes, which would block
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
	sub, err := f.openRootByNames(rel)
	err = bare(err)
	if !beneath && (err == syscall.ELOOP || err == syscall.ENOTDIR) {
		// os.Root refuses symbolic links that lead out of the directory. It also refuses Windows
		// junctions, which it treats neither as links nor as directories.
		sub, err = openRootByName(filepath.Join(f.name, filepath.FromSlash(rel)))
		err = bare(err)
	}
	return sub, err
}

// openRootByNames opens one directory after another and refuses symbolic links, because os.Root
// would follow links that stay inside.
func (f rootFolder) openRootByNames(path string) (rootFolder, error) {
	root, err := f.root.OpenRoot(".")
	if err != nil {
		return rootFolder{}, err
	}
	at := rootFolder{root, f.name}
	for name := range strings.SplitSeq(path, "/") {
		if name == "" || name == "." {
			continue
		}
		next, err := at.openNextRoot(name)
		at.Close()
		if err != nil {
			return rootFolder{}, err
		}
		at = next
	}
	return at, nil
}

// openNextRoot opens the directory with the given name in f.
func (f rootFolder) openNextRoot(name string) (rootFolder, error) {
	seen, err := f.root.Lstat(name)
	switch {
	case err != nil:
		return rootFolder{}, err
	case seen.Mode().Type() == fs.ModeSymlink:
		return rootFolder{}, syscall.ELOOP
	case !seen.IsDir():
		return rootFolder{}, syscall.ENOTDIR
	}
	return f.openSeenFolder(name, seen)
}

// openSeenFolder opens a directory in f. seen is the result of an earlier Lstat. If a symbolic link
// or another directory has replaced the directory, the error is ELOOP, because the two cases cannot
// be distinguished.
func (f rootFolder) openSeenFolder(name string, seen fs.FileInfo) (rootFolder, error) {
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

// InfoOf converts a FileInfo from [os.Stat], [os.Lstat], [os.Root], [os.File.Stat] or [Info.Named]
// to an Info.
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

// bare returns the system's error without operation and name.
func bare(err error) error {
	if err == nil || err == io.EOF {
		return err // the common case; errors.As would allocate
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

func (f rootFolder) Read(name []byte, _ int64, ask bool, buf []byte) (n int, end, busy bool, err error) {
	var info Info
	file, err := f.OpenFile(name, &info)
	if err != nil {
		return 0, false, false, err
	}
	defer file.Close()
	busy = ask && file.Busy()
	for n < len(buf) {
		m, err := file.Read(buf[n:])
		n += m
		switch {
		case err == io.EOF:
			return n, true, busy, nil
		case err != nil:
			return n, false, busy, err
		}
	}
	return n, false, busy, nil
}

func (f rootFolder) OpenFile(name []byte, into *Info) (rootFile, error) {
	if err := checkName(name); err != nil {
		return rootFile{}, err
	}
	if f.root == nil {
		return rootFile{}, syscall.EBADF
	}
	base := string(name[:len(name)-1])
	seen, err := f.root.Lstat(base)
	if err == nil {
		err = notRegular(seen.Mode())
	}
	if err != nil {
		return rootFile{}, bare(err)
	}
	return f.openSeen(base, seen, into)
}

// openSeen opens a regular file in f. seen is the result of an earlier Lstat. If a symbolic link or
// another file has replaced the file, the error is ELOOP.
func (f rootFolder) openSeen(name string, seen fs.FileInfo, into *Info) (rootFile, error) {
	file, err := f.root.OpenFile(name, os.O_RDONLY|regular.NoWait, 0)
	if err != nil {
		return rootFile{}, bare(err)
	}
	opened, err := file.Stat()
	if err == nil && !os.SameFile(seen, opened) {
		err = syscall.ELOOP
	}
	if err != nil {
		file.Close()
		return rootFile{}, bare(err)
	}
	*into = InfoOf(opened)
	return rootFile{file}, nil
}

func (f rootFolder) Create(name []byte, perm fs.FileMode, data []byte, into *Info) error {
	if err := checkName(name); err != nil {
		return err
	}
	if f.root == nil {
		return syscall.EBADF
	}
	file, err := f.root.OpenFile(string(name[:len(name)-1]), os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm.Perm())
	if err != nil {
		return bare(err)
	}
	_, err = file.Write(data)
	if err == nil {
		var info fs.FileInfo
		if info, err = file.Stat(); err == nil {
			*into = InfoOf(info)
		}
	}
	closed := file.Close()
	return bare(cmp.Or(err, closed))
}

// rootFile is the portable implementation of File.
type rootFile struct{ *os.File } // nil if not open

func (f rootFile) Read(buf []byte) (int, error) {
	if f.File == nil {
		return 0, syscall.EBADF
	}
	n, err := f.File.Read(buf)
	return n, bare(err)
}

func (f rootFile) ReadAt(buf []byte, offset int64) (int, error) {
	if f.File == nil {
		return 0, syscall.EBADF
	}
	n, err := f.File.ReadAt(buf, offset)
	return n, bare(err)
}

func (f rootFile) Busy() bool { return lease.File(f.File) == lease.Busy }

func (f *rootFile) Close() error {
	file := f.File
	f.File = nil
	if file == nil {
		return syscall.EBADF
	}
	return bare(file.Close())
}
