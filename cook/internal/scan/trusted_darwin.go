package scan

import "golang.org/x/sys/unix"

func (f *unixFolder) trusted() bool {
	var st unix.Statfs_t
	err := unix.Fstatfs(f.fd, &st)
	for err == unix.EINTR {
		err = unix.Fstatfs(f.fd, &st)
	}
	return err == nil && keepsTimes(unix.ByteSliceToString(st.Fstypename[:]))
}

// keepsTimes reports whether a file system, named as statfs(2) does, changes a
// folder's times whenever a name in it is made, removed or replaced. Others
// may do so too; these are known to.
func keepsTimes(kind string) bool { return kind == "apfs" || kind == "hfs" }
