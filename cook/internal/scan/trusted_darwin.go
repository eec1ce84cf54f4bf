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

// keepsTimes reports whether a file system, named as by statfs(2), is known to change a
// directory's times whenever a name in it is created, removed or replaced.
func keepsTimes(kind string) bool { return kind == "apfs" || kind == "hfs" }
