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

// keepsTimes reports whether the file system with this name in statfs(2) changes the times of a
// directory whenever a name in it is created, removed or replaced.
func keepsTimes(kind string) bool { return kind == "apfs" || kind == "hfs" }
