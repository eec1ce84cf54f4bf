//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Versions of Landlock's interface.
const (
	oldest     = 2 // lets files move between the directories of a box
	truncates  = 3
	deviceCtls = 5
	scoped     = 6 // signals and abstract sockets
)

const (
	reading = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	writing = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
		unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK |
		unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_SYM | unix.LANDLOCK_ACCESS_FS_REFER | unix.LANDLOCK_ACCESS_FS_TRUNCATE
	never = unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	// ofFiles are the rights that a rule for a file can have.
	ofFiles = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE
)

func landlockVersion() (int, error) {
	v, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0, errno
	}
	return int(v), nil
}

// restrict puts the calling thread into a Landlock domain.
func restrict(p Policy, version int) error {
	attr, size := unix.LandlockRulesetAttr{Handled_access_fs: reading | writing | never}, uintptr(8)
	if version < deviceCtls {
		attr.Handled_access_fs &^= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	if version < truncates {
		attr.Handled_access_fs &^= unix.LANDLOCK_ACCESS_FS_TRUNCATE
	}
	if version >= scoped {
		attr.Scoped, size = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET|unix.LANDLOCK_SCOPE_SIGNAL, 24
	}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), size, 0)
	if errno != 0 {
		return fmt.Errorf("sandbox: landlock: %w", errno)
	}
	defer unix.Close(int(fd))
	rules := []struct {
		paths  []string
		rights uint64
		needed bool
	}{
		{p.Read, reading, false}, {devices, reading | writing, false}, {p.Write, reading | writing, true},
	}
	system, err := openSystem()
	if err != nil {
		return err
	}
	for _, o := range system {
		if err := o.allow(int(fd), reading); err != nil {
			return fmt.Errorf("sandbox: landlock: %w", err)
		}
	}
	for _, rule := range rules {
		for _, path := range rule.paths {
			err := allow(int(fd), path, rule.rights&attr.Handled_access_fs)
			if err != nil && (rule.needed || !isAbsent(err)) {
				return &os.PathError{Op: "confine a program to", Path: path, Err: err}
			}
		}
	}
	if _, _, errno := unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0); errno != 0 {
		return fmt.Errorf("sandbox: landlock: %w", errno)
	}
	return nil
}

// isAbsent reports whether an error says that a path to allow does not exist or cannot be reached.
func isAbsent(err error) bool {
	return slices.ContainsFunc([]unix.Errno{unix.ENOENT, unix.ENOTDIR, unix.EACCES, unix.ELOOP}, func(e unix.Errno) bool { return errors.Is(err, e) })
}

// allow gives rights to a path and everything below it.
func allow(ruleset int, path string, rights uint64) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return opened{fd, isFolder(fd)}.allow(ruleset, rights)
}

// An opened is an open file or directory.
type opened struct {
	fd     int
	folder bool
}

// openSystem opens the paths that every program may read, once: opening them is most of a box's
// cost.
var openSystem = lasting(func() ([]opened, error) {
	var all []opened
	for _, path := range systemHere() {
		fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
		if err == nil {
			all = append(all, opened{fd, isFolder(fd)})
		} else if isMeans(err) {
			for _, o := range all {
				unix.Close(o.fd)
			}
			return nil, fmt.Errorf("sandbox: %s: %w", path, err)
		}
	}
	return all, nil
})

func isFolder(fd int) bool {
	var st unix.Stat_t
	return unix.Fstat(fd, &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFDIR
}

func (o opened) allow(ruleset int, rights uint64) error {
	if !o.folder {
		rights &= ofFiles
	}
	attr := unix.LandlockPathBeneathAttr{Allowed_access: rights, Parent_fd: int32(o.fd)}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(ruleset), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&attr)), 0, 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}
