package scan

import "golang.org/x/sys/unix"

// Package unix lacks these magic numbers.
const (
	zfsMagic      = 0x2fc12fc1 // see include/sys/fs/zfs.h of OpenZFS
	jfsMagic      = 0x3153464a // see fs/jfs/jfs_superblock.h of Linux
	bcachefsMagic = 0xca451a4e // see fs/bcachefs_format.h of bcachefs
)

func (f *unixFolder) trusted() bool {
	var st unix.Statfs_t
	err := unix.Fstatfs(f.fd, &st)
	for err == unix.EINTR {
		err = unix.Fstatfs(f.fd, &st)
	}
	return err == nil && keepsTimes(uint32(st.Type))
}

// keepsTimes reports whether the file system with this magic number in statfs(2) changes the times
// of a directory whenever a name in it is created, removed or replaced. It returns false for
// network and FUSE file systems, which answer from a cache or depend on a server. FAT stores no
// time for its root.
func keepsTimes(magic uint32) bool {
	switch magic {
	case unix.EXT4_SUPER_MAGIC, // same number as ext2 and ext3
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
