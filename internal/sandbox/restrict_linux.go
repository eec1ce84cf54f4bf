//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Versions of the Landlock ABI.
const (
	oldest     = 2 // first version that allows moving files between the directories of a box
	truncates  = 3
	deviceCtls = 5
	scoped     = 6 // first version that confines signals and abstract sockets
)

const (
	reading = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	writing = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
		unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK |
		unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_SYM | unix.LANDLOCK_ACCESS_FS_REFER | unix.LANDLOCK_ACCESS_FS_TRUNCATE
	never = unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	// ofFiles are the access rights that a rule for a file may grant.
	ofFiles = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE
)

func landlockVersion() (int, error) {
	v, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0, errno
	}
	return int(v), nil
}

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
		if err := o.addRule(int(fd), reading); err != nil {
			return fmt.Errorf("sandbox: landlock: %w", err)
		}
	}
	for _, rule := range rules {
		for _, path := range rule.paths {
			err := allowBelow(int(fd), path, rule.rights&attr.Handled_access_fs)
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

// isAbsent reports whether an error means that an allowed path does not exist, or cannot be
// reached.
func isAbsent(err error) bool {
	return slices.ContainsFunc([]unix.Errno{unix.ENOENT, unix.ENOTDIR, unix.EACCES, unix.ELOOP}, func(e unix.Errno) bool { return errors.Is(err, e) })
}

// allowBelow grants rights to a path, and to everything below it.
func allowBelow(ruleset int, path string, rights uint64) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return ruleTarget{fd, isOpenFolder(fd)}.addRule(ruleset, rights)
}

// A ruleTarget is the open file or directory of a Landlock rule.
type ruleTarget struct {
	fd     int
	folder bool
}

// openSystem opens the paths that every program may read. It opens them only once, because opening
// takes most of the time for creating a box.
var openSystem = lasting(func() ([]ruleTarget, error) {
	var all []ruleTarget
	for _, path := range systemHere() {
		fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
		if err == nil {
			all = append(all, ruleTarget{fd, isOpenFolder(fd)})
		} else if wrapsShortage(err) {
			for _, o := range all {
				unix.Close(o.fd)
			}
			return nil, fmt.Errorf("sandbox: %s: %w", path, err)
		}
	}
	return all, nil
})

func isOpenFolder(fd int) bool {
	var st unix.Stat_t
	return unix.Fstat(fd, &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFDIR
}

func (o ruleTarget) addRule(ruleset int, rights uint64) error {
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

// Actions of the filter for a system call. An errno makes the call fail with this error.
const (
	// asks passes the call to the server, which executes or refuses it.
	asks = uint32(unix.SECCOMP_RET_USER_NOTIF)
	// pretends makes the call return success without doing anything.
	pretends = uint32(unix.SECCOMP_RET_ERRNO)
	// ownOnly refuses a call unless its first argument, a PID, is 0 (the caller).
	ownOnly = uint32(1)
)

func refuses(errno unix.Errno) uint32 { return unix.SECCOMP_RET_ERRNO | uint32(errno) }

// refusedCalls returns the results of the system calls that are refused on all machines.
func refusedCalls() map[uint32]uint32 {
	return map[uint32]uint32{
		// These calls concern the network, local servers, and queues that outlive the program.
		unix.SYS_SOCKET: refuses(unix.EACCES),
		unix.SYS_SHMGET: refuses(unix.EPERM), unix.SYS_SEMGET: refuses(unix.EPERM), unix.SYS_MSGGET: refuses(unix.EPERM),
		unix.SYS_MQ_OPEN: refuses(unix.EPERM), unix.SYS_MQ_UNLINK: refuses(unix.EPERM),
		unix.SYS_KEYCTL: refuses(unix.EPERM), unix.SYS_ADD_KEY: refuses(unix.EPERM), unix.SYS_REQUEST_KEY: refuses(unix.EPERM),
		// A program could use io_uring to make the refused calls without passing the filter.
		unix.SYS_IO_URING_SETUP: refuses(unix.ENOSYS), unix.SYS_IO_URING_ENTER: refuses(unix.ENOSYS), unix.SYS_IO_URING_REGISTER: refuses(unix.ENOSYS),
		// These calls change limits and priorities of other processes.
		unix.SYS_PRLIMIT64: ownOnly, unix.SYS_SETPRIORITY: refuses(unix.EPERM), unix.SYS_IOPRIO_SET: refuses(unix.EPERM),
		unix.SYS_SCHED_SETSCHEDULER: ownOnly, unix.SYS_SCHED_SETPARAM: ownOnly, unix.SYS_SCHED_SETATTR: ownOnly, unix.SYS_SCHED_SETAFFINITY: ownOnly,
		unix.SYS_MIGRATE_PAGES: ownOnly, unix.SYS_MOVE_PAGES: ownOnly,
		// These calls set owners and extended attributes, which artifacts do not have.
		unix.SYS_FCHOWN: pretends, unix.SYS_FCHOWNAT: pretends,
		unix.SYS_SETXATTR: refuses(unix.ENOTSUP), unix.SYS_LSETXATTR: refuses(unix.ENOTSUP), unix.SYS_FSETXATTR: refuses(unix.ENOTSUP),
		unix.SYS_REMOVEXATTR: refuses(unix.ENOTSUP), unix.SYS_LREMOVEXATTR: refuses(unix.ENOTSUP), unix.SYS_FREMOVEXATTR: refuses(unix.ENOTSUP),
		463: refuses(unix.ENOTSUP), 466: refuses(unix.ENOTSUP), 469: refuses(unix.ENOTSUP), // 463 is setxattrat, 466 removexattrat, 469 file_setattr
		// These calls reveal attributes of any file, and their errors reveal whether it exists.
		unix.SYS_GETXATTR: refuses(unix.ENOTSUP), unix.SYS_LGETXATTR: refuses(unix.ENOTSUP), unix.SYS_FGETXATTR: refuses(unix.ENOTSUP),
		unix.SYS_LISTXATTR: refuses(unix.ENOTSUP), unix.SYS_LLISTXATTR: refuses(unix.ENOTSUP), unix.SYS_FLISTXATTR: refuses(unix.ENOTSUP),
		464: refuses(unix.ENOTSUP), 465: refuses(unix.ENOTSUP), 468: refuses(unix.ENOTSUP), // 464 is getxattrat, 465 listxattrat, 468 file_getattr
		unix.SYS_NAME_TO_HANDLE_AT: refuses(unix.ENOTSUP),
		// These calls reveal when other processes use a directory.
		unix.SYS_INOTIFY_ADD_WATCH: refuses(unix.EACCES), unix.SYS_FANOTIFY_INIT: refuses(unix.EPERM),
		// These calls fail because the program lacks privileges, but their errors could reveal whether
		// a file exists.
		unix.SYS_MOUNT: refuses(unix.EPERM), unix.SYS_UMOUNT2: refuses(unix.EPERM), unix.SYS_PIVOT_ROOT: refuses(unix.EPERM), unix.SYS_CHROOT: refuses(unix.EPERM),
		unix.SYS_OPEN_TREE: refuses(unix.EPERM), 467: refuses(unix.EPERM), unix.SYS_MOVE_MOUNT: refuses(unix.EPERM), // 467 is open_tree_attr
		unix.SYS_FSPICK: refuses(unix.EPERM), unix.SYS_MOUNT_SETATTR: refuses(unix.EPERM), unix.SYS_QUOTACTL: refuses(unix.EPERM),
	}
}

// foreign is the result for a program of another architecture, because its system calls have other
// numbers.
const foreign = uint32(unix.SECCOMP_RET_KILL_PROCESS)

// filterProgram returns the filter program for system calls. The filter passes changes of modes and
// times, and the calls listed in asked, to the server. Calls made from the address in own may
// execute a program without asking the server; 0 means no address.
func filterProgram(version int, listens bool, asked []uint32, own uint64) []unix.SockFilter {
	todo := refusedCalls()
	maps.Copy(todo, refusedHere())
	if version < truncates {
		todo[unix.SYS_TRUNCATE] = refuses(unix.EPERM)
	}
	for nr := range changing() {
		todo[nr] = asks
	}
	for _, nr := range asked {
		todo[nr] = asks
	}
	const ( // these are offsets in struct seccomp_data
		number, machine, place, argument = 0, 4, 8, 16
	)
	load := func(at uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: at}
	}
	jump := func(test uint16, k uint32, yes, no uint8) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_JMP | test | unix.BPF_K, Jt: yes, Jf: no, K: k}
	}
	end := func(what uint32) unix.SockFilter {
		return unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: what}
	}
	p := []unix.SockFilter{
		load(machine), jump(unix.BPF_JEQ, ourMachine, 1, 0), end(foreign),
		load(number), jump(unix.BPF_JGE, firstForeign, 0, 1), end(foreign),
	}
	for _, nr := range slices.Sorted(maps.Keys(todo)) {
		switch what := todo[nr]; {
		case what == ownOnly:
			p = append(p, jump(unix.BPF_JEQ, nr, 0, 4), load(argument), jump(unix.BPF_JEQ, 0, 0, 1),
				end(unix.SECCOMP_RET_ALLOW), end(refuses(unix.EPERM)))
		case what == asks && own != 0 && (nr == unix.SYS_EXECVE || nr == unix.SYS_EXECVEAT):
			p = append(p, jump(unix.BPF_JEQ, nr, 0, 6), load(place), jump(unix.BPF_JEQ, uint32(own), 0, 3),
				load(place+4), jump(unix.BPF_JEQ, uint32(own>>32), 0, 1), end(unix.SECCOMP_RET_ALLOW), end(asks))
		case what == asks && !listens:
			p = append(p, jump(unix.BPF_JEQ, nr, 0, 1), end(refuses(unix.EPERM)))
		default:
			p = append(p, jump(unix.BPF_JEQ, nr, 0, 1), end(what))
		}
	}
	return append(p, end(unix.SECCOMP_RET_ALLOW))
}

// installFilter installs the filter on the calling thread. It returns the descriptor that receives
// the calls for the server.
func installFilter(version int, asked []uint32, own uint64) (listener int, err error) {
	return installProgram(filterProgram(version, true, asked, own), unix.SECCOMP_FILTER_FLAG_NEW_LISTENER|unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV)
}

// installDeafFilter installs a filter without a server. It refuses the calls that installFilter
// would pass to the server.
func installDeafFilter(version int) error {
	_, err := installProgram(filterProgram(version, false, nil, 0), 0)
	return err
}

// ownCalls returns the address at which this process makes system calls. A child process executes
// its program from this address, and the filter must allow that without asking the server.
// Otherwise there could be a deadlock. The parent waits for the child. The runtime may wait for the
// parent, to stop all goroutines. Then the server cannot answer.
//
// A program in a box that makes its calls at the same address was built by the same compiler. A
// file that it executes is not recorded, unless it looked the file up before.
var ownCalls = lasting(func() (address uint64, err error) {
	listening, called := make(chan int), make(chan struct{})
	failed := make(chan error, 1)
	Alone(func() {
		if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
			failed <- err
			return
		}
		listener, err := installProgram(filterProgram(scoped, true, []uint32{unix.SYS_GETPPID}, 0), unix.SECCOMP_FILTER_FLAG_NEW_LISTENER)
		if err != nil {
			failed <- err
			return
		}
		listening <- listener
		unix.Syscall(unix.SYS_GETPPID, 0, 0, 0)
		close(called)
	})
	select {
	case err := <-failed:
		return 0, err
	case listener := <-listening:
		defer unix.Close(listener)
		s := &server{Box: new(Box), listener: listener}
		errno := s.listenerIoctl(unix.SECCOMP_IOCTL_NOTIF_RECV, unsafe.Pointer(&s.n))
		s.a = answer{id: s.n.id, flags: unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE}
		if errno == 0 {
			errno = s.listenerIoctl(unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(&s.a))
		}
		if errno != 0 {
			return 0, fmt.Errorf("sandbox: seccomp: %w", errno)
		}
		<-called
		return s.n.ip, nil
	}
})

func installProgram(program []unix.SockFilter, flags uintptr) (int, error) {
	prog := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	fd, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(&prog)))
	if errno != 0 {
		return -1, fmt.Errorf("sandbox: seccomp: %w", errno)
	}
	return int(fd), nil
}
