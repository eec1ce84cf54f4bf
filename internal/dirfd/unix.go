//go:build linux || darwin

package dirfd

import (
	"io/fs"

	"golang.org/x/sys/unix"
)

// StatAt is like [Folder.Stat] for an open directory with descriptor fd. It does not follow a
// symbolic link.
func StatAt(fd int, name []byte, into *Info) error {
	return into.ofName(fd, name, unix.AT_SYMLINK_NOFOLLOW, false)
}

// StatFd describes the open file with descriptor fd. On failure it does not change *into.
func StatFd(fd int, into *Info) error { return into.ofFile(fd, false) }

func (i *Info) ofName(fd int, name []byte, flags int, prompt bool) error {
	if err := checkName(name); err != nil {
		return err
	}
	var st unix.Stat_t
	if errno := fstatat(fd, name, &st, flags, prompt); errno != 0 {
		return errno
	}
	i.setFromStat(&st)
	return nil
}

func (i *Info) ofFile(fd int, prompt bool) error {
	var st unix.Stat_t
	if errno := fstat(fd, &st, prompt); errno != 0 {
		return errno
	}
	i.setFromStat(&st)
	return nil
}

func (i *Info) setFromStat(st *unix.Stat_t) {
	*i = Info{
		Size:   st.Size,
		MTime:  st.Mtim.Nano(),
		CTime:  st.Ctim.Nano(),
		Inode:  st.Ino,
		Device: uint64(st.Dev),
		Mode:   uint32(fileMode(uint32(st.Mode))),
		Links:  uint32(st.Nlink),
	}
}

// fileMode converts st_mode to the mode of package os.
func fileMode(st uint32) fs.FileMode {
	mode := fs.FileMode(st) & fs.ModePerm
	if st&unix.S_ISUID != 0 {
		mode |= fs.ModeSetuid
	}
	if st&unix.S_ISGID != 0 {
		mode |= fs.ModeSetgid
	}
	if st&unix.S_ISVTX != 0 {
		mode |= fs.ModeSticky
	}
	return mode | fileTypeBits(st)
}

// fileTypeBits returns the type bits of package os. For an unknown type it sets ModeIrregular.
func fileTypeBits(st uint32) fs.FileMode {
	switch st & unix.S_IFMT {
	case unix.S_IFREG:
		return 0
	case unix.S_IFDIR:
		return fs.ModeDir
	case unix.S_IFLNK:
		return fs.ModeSymlink
	case unix.S_IFIFO:
		return fs.ModeNamedPipe
	case unix.S_IFSOCK:
		return fs.ModeSocket
	case unix.S_IFCHR:
		return fs.ModeDevice | fs.ModeCharDevice
	case unix.S_IFBLK:
		return fs.ModeDevice
	}
	return fs.ModeIrregular
}
