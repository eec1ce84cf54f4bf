package lease

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// Ask queries the system about a file by its descriptor, which must be open for reading only. It
// makes two system calls if the answer is Quiet, otherwise three.
func Ask(fd int) Answer {
	switch errno := setLease(fd, unix.F_RDLCK); errno {
	case 0:
		setLease(fd, unix.F_UNLCK) // release now: closing the file would release the lease later
		return Quiet
	case unix.EAGAIN:
		if local(fd) {
			return Busy
		}
	}
	return Unknown
}

// setLease makes the system call. It never blocks, so the scheduler is not notified, which also
// shortens the time between the two calls of Ask.
func setLease(fd, kind int) syscall.Errno {
	for {
		_, _, errno := syscall.RawSyscall(unix.SYS_FCNTL, uintptr(fd), unix.F_SETLEASE, uintptr(kind))
		if errno != syscall.EINTR {
			return errno
		}
	}
}

// local reports whether a refused lease means that another process writes to the file. Some network
// file systems refuse leases unless their server has delegated the file to this machine, which is
// rare. If Ask trusted them, every run would read every file.
func local(fd int) bool {
	var st unix.Statfs_t
	for {
		err := unix.Fstatfs(fd, &st)
		if err == nil {
			break
		}
		if err != unix.EINTR {
			return false
		}
	}
	switch uint32(st.Type) {
	case unix.NFS_SUPER_MAGIC, unix.SMB_SUPER_MAGIC, unix.SMB2_SUPER_MAGIC, unix.CIFS_SUPER_MAGIC:
		return false
	}
	return true
}
