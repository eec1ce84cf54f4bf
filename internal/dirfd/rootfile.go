package dirfd

import (
	"io"
	"io/fs"
	"os"
	"syscall"

	"github.com/assetcook/assetcook/internal/lease"
	"github.com/assetcook/assetcook/internal/regular"
)

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

// openSeen opens a regular file that was seen in f. If a symbolic link or another file has taken
// its place, the error is ELOOP, as in enter.
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

// rootFile is the portable file.
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
