package scan

import "golang.org/x/sys/unix"

// These magic numbers are missing in package unix.
const (
	zfsMagic      = 0x2fc12fc1 // OpenZFS, include/sys/fs/zfs.h
	jfsMagic      = 0x3153464a // linux, fs/jfs/jfs_superblock.h
	bcachefsMagic = 0xca451a4e // bcachefs, fs/bcachefs_format.h
)

func (f *unixFolder) trusted() bool {
	var st unix.Statfs_t
	err := unix.Fstatfs(f.fd, &st)
	for err == unix.EINTR {
		err = unix.Fstatfs(f.fd, &st)
	}
	return err == nil && keepsTimes(uint32(st.Type))
}

// keepsTimes reports whether a file system, named by its statfs(2) magic number, is known to
// change a directory's times whenever a name in it is created, removed or replaced. Network and
// FUSE file systems are missing because they answer from a cache or depend on their server, and
// FAT because it stores no time for its root.
func keepsTimes(magic uint32) bool {
	switch magic {
	case unix.EXT4_SUPER_MAGIC, // ext2 and ext3 too
		unix.XFS_SUPER_MAGIC,
		unix.BTRFS_SUPER_MAGIC,
		unix.TMPFS_MAGIC,
		unix.F2FS_SUPER_MAGIC,
		unix.OVERLAYFS_SUPER_MAGIC,
		unix.NILFS_SUPER_MAGIC,
		unix.REISERFS_SUPER_MAGIC,
		zfsMagic, jfsMagic, bcachefsMagic:
		return true
	}
	return false
}
