//go:build amd64 || arm64

package sandbox

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// place describes the surroundings of an attempt to escape: a directory to read, a directory to
// write to, a directory outside the policy, and the PID of the parent.
type place struct {
	in, w, out string
	parent     int
}

// attempts holds functions that try to leave the box. Each returns nil if it escaped.
var attempts = map[string]func(p place) error{
	// Attempts to write outside the policy.
	"open to write":            func(p place) error { return closed(os.OpenFile(p.out+"/victim", os.O_WRONLY, 0)) },
	"open to truncate":         func(p place) error { return closed(os.OpenFile(p.out+"/victim", os.O_RDWR|os.O_TRUNC, 0)) },
	"open to append":           func(p place) error { return closed(os.OpenFile(p.out+"/victim", os.O_WRONLY|os.O_APPEND, 0)) },
	"write what may be read":   func(p place) error { return closed(os.OpenFile(p.in+"/given", os.O_WRONLY, 0)) },
	"create":                   func(p place) error { return closed(os.Create(p.out + "/new")) },
	"create beside the source": func(p place) error { return closed(os.Create(p.in + "/new")) },
	"nameless file":            func(p place) error { return closed(os.OpenFile(p.out, os.O_WRONLY|unix.O_TMPFILE, 0o600)) },
	"make a directory":         func(p place) error { return os.Mkdir(p.out+"/new", 0o777) },
	"remove a directory":       func(p place) error { return unix.Rmdir(p.out + "/empty") },
	"remove":                   func(p place) error { return os.Remove(p.out + "/victim") },
	"truncate":                 func(p place) error { return os.Truncate(p.out+"/victim", 0) },
	"rename in":                func(p place) error { return os.Rename(p.out+"/victim", p.w+"/x") },
	"rename out":               func(p place) error { return os.Rename(file(p.w, "x"), p.out+"/x") },
	"rename over":              func(p place) error { return os.Rename(file(p.w, "x"), p.out+"/victim") },
	"exchange": func(p place) error {
		return unix.Renameat2(unix.AT_FDCWD, file(p.w, "x"), unix.AT_FDCWD, p.out+"/victim", unix.RENAME_EXCHANGE)
	},
	"link in":              func(p place) error { return os.Link(p.out+"/victim", p.w+"/x") },
	"link out":             func(p place) error { return os.Link(file(p.w, "x"), p.out+"/x") },
	"link what is read":    func(p place) error { return os.Link(p.in+"/given", p.w+"/x") },
	"symbolic link out":    func(p place) error { return os.Symlink("/", p.out+"/x") },
	"write through a link": func(p place) error { return closed(os.OpenFile(link(p, "victim"), os.O_WRONLY, 0)) },
	"write by /proc": func(p place) error {
		return closed(os.OpenFile("/proc/self/root"+p.out+"/victim", os.O_WRONLY, 0))
	},
	"pipe outside":    func(p place) error { return unix.Mkfifo(p.out+"/pipe", 0o666) },
	"device inside":   func(p place) error { return unix.Mknod(p.w+"/null", unix.S_IFCHR|0o666, 1<<8|3) },
	"shared memory":   func(p place) error { return closed(os.Create("/dev/shm/" + filepath.Base(p.out))) },
	"write to /tmp":   func(p place) error { return closed(os.Create("/tmp/" + filepath.Base(p.out) + "-escaped")) },
	"tune the kernel": func(p place) error { return closed(os.OpenFile("/proc/self/oom_score_adj", os.O_WRONLY, 0)) },
	"copy a range": func(p place) error {
		return closed(os.OpenFile(fmt.Sprintf("/proc/%d/cwd/victim", p.parent), os.O_WRONLY, 0))
	},

	// Attempts to change modes, times, owners and attributes.
	"chmod":                func(p place) error { return os.Chmod(p.out+"/victim", 0o777) },
	"chmod what is read":   func(p place) error { return os.Chmod(p.in+"/given", 0o777) },
	"chmod through a link": func(p place) error { return os.Chmod(link(p, "victim"), 0o777) },
	"chmod by descriptor": func(p place) error {
		f, err := os.Open(p.in + "/given")
		if err != nil {
			return err
		}
		return f.Chmod(0o777)
	},
	"chmod by /proc": func(p place) error {
		f, err := os.Open(p.in + "/given")
		if err != nil {
			return err
		}
		return os.Chmod(fmt.Sprintf("/proc/self/fd/%d", f.Fd()), 0o777)
	},
	"chmod by a directory": func(p place) error {
		f, err := os.OpenFile(p.out, unix.O_PATH, 0)
		if err != nil {
			return err
		}
		return unix.Fchmodat(int(f.Fd()), "victim", 0o777, 0)
	},
	"fchmodat2": func(p place) error {
		name, _ := unix.BytePtrFromString(p.out + "/victim")
		folder := unix.AT_FDCWD
		_, _, errno := unix.Syscall6(sysFchmodat2, uintptr(folder), uintptr(unsafe.Pointer(name)), 0o777, 0, 0, 0)
		return errnoErr(errno)
	},
	"date":                func(p place) error { return os.Chtimes(p.out+"/victim", time.Now(), time.Now()) },
	"date what is read":   func(p place) error { return os.Chtimes(p.in+"/given", time.Unix(1, 0), time.Unix(1, 0)) },
	"date by descriptor":  func(p place) error { return dateByDescriptor(p.in + "/given") },
	"date a link outside": func(p place) error { return unix.Lutimes(p.out+"/link", make([]unix.Timeval, 2)) },
	"own": func(p place) error {
		if err := os.Chown(p.out+"/victim", 1, 1); err != nil {
			return err
		}
		var st unix.Stat_t
		if err := unix.Stat(p.out+"/victim", &st); err != nil || st.Uid == 1 {
			return err
		}
		return fmt.Errorf("it is still of %d", st.Uid)
	},
	"attribute":          func(p place) error { return unix.Setxattr(p.out+"/victim", "user.x", []byte("x"), 0) },
	"attribute is given": func(p place) error { return unix.Setxattr(p.in+"/given", "user.x", []byte("x"), 0) },

	// Attempts to read outside the policy.
	"read":                   func(p place) error { return closed(os.Open(p.out + "/secret")) },
	"read upwards":           func(p place) error { return closed(os.Open(p.w + "/../out/secret")) },
	"read through a link":    func(p place) error { return closed(os.Open(link(p, "secret"))) },
	"read by /proc":          func(p place) error { return closed(os.Open("/proc/self/root" + p.out + "/secret")) },
	"list":                   func(p place) error { _, err := os.ReadDir(p.out); return err },
	"list what is above":     func(p place) error { _, err := os.ReadDir(filepath.Dir(p.w)); return err },
	"read a home directory":  func(p place) error { _, err := os.ReadDir("/root"); return err },
	"execute":                func(p place) error { return exec.Command(p.out + "/tool").Run() },
	"execute through a link": func(p place) error { return exec.Command(link(p, "tool")).Run() },
	"open again": func(p place) error {
		f, err := os.OpenFile(p.out+"/secret", unix.O_PATH, 0)
		if err != nil {
			return err
		}
		return closed(os.Open(fmt.Sprintf("/proc/self/fd/%d", f.Fd())))
	},
	"open by handle": func(p place) error {
		handle, mount, err := unix.NameToHandleAt(unix.AT_FDCWD, p.out+"/secret", 0)
		if err != nil {
			return err
		}
		_ = mount
		fd, err := unix.Open(p.in, unix.O_RDONLY, 0)
		if err != nil {
			return err
		}
		_, err = unix.OpenByHandleAt(fd, handle, unix.O_RDONLY)
		return err
	},

	// Attempts to use networks and the services of other programs.
	"TCP":            func(p place) error { return socket(unix.AF_INET, unix.SOCK_STREAM) },
	"UDP":            func(p place) error { return socket(unix.AF_INET6, unix.SOCK_DGRAM) },
	"raw packets":    func(p place) error { return socket(unix.AF_PACKET, unix.SOCK_RAW) },
	"routes":         func(p place) error { return socket(unix.AF_NETLINK, unix.SOCK_RAW) },
	"a local server": func(p place) error { return socket(unix.AF_UNIX, unix.SOCK_STREAM) },
	"schedule another": func(p place) error {
		return errnoErr(schedule(unix.SYS_SCHED_SETSCHEDULER, p.parent, 5, uintptr(unsafe.Pointer(new(int32)))))
	},
	"schedule another by its parameters": func(p place) error {
		return errnoErr(schedule(unix.SYS_SCHED_SETPARAM, p.parent, uintptr(unsafe.Pointer(new(int32))), 0))
	},
	"schedule another by attributes": func(p place) error {
		return unix.SchedSetAttr(p.parent, &unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_IDLE}, 0)
	},
	"move another to a processor": func(p place) error {
		var set unix.CPUSet
		if err := unix.SchedGetaffinity(p.parent, &set); err != nil {
			return err
		}
		return unix.SchedSetaffinity(p.parent, &set)
	},
	"move the memory of another": func(p place) error {
		nodes := uint64(1)
		return errnoErr(schedule(unix.SYS_MIGRATE_PAGES, p.parent, 2, uintptr(unsafe.Pointer(&nodes)), uintptr(unsafe.Pointer(&nodes))))
	},
	"attributes": func(p place) error { return attribute(p.out + "/secret") },
	"attribute names": func(p place) error {
		_, err := unix.Listxattr(p.out+"/secret", nil)
		return err
	},
	"text of a link": func(p place) error {
		_, err := os.Readlink(p.out + "/link")
		return err
	},
	"text of a link by a descriptor": func(p place) error {
		fd, err := unix.Open(p.out+"/link", unix.O_PATH|unix.O_NOFOLLOW, 0)
		if err != nil {
			return err
		}
		_, err = unix.Readlinkat(fd, "", make([]byte, 100))
		return err
	},
	"text of a link by a link": func(p place) error {
		os.Symlink(p.out, p.w+"/o")
		_, err := os.Readlink(p.w + "/o/link")
		return err
	},
	"watch a directory": func(p place) error {
		fd, err := unix.InotifyInit1(0)
		if err != nil {
			return err
		}
		_, err = unix.InotifyAddWatch(fd, p.out, unix.IN_ALL_EVENTS)
		return err
	},
	"a handle": func(p place) error {
		_, _, err := unix.NameToHandleAt(unix.AT_FDCWD, p.out+"/secret", 0)
		return err
	},
	"a hypervisor": func(p place) error { return socket(unix.AF_VSOCK, unix.SOCK_STREAM) },
	"io_uring": func(p place) error {
		_, _, errno := unix.Syscall(unix.SYS_IO_URING_SETUP, 1, uintptr(unsafe.Pointer(&[120]byte{})), 0)
		return errnoErr(errno)
	},
	"memory segment": func(p place) error {
		_, err := unix.SysvShmGet(unix.IPC_PRIVATE, 4096, 0o600|unix.IPC_CREAT)
		return err
	},
	"message queue": func(p place) error {
		name, _ := unix.BytePtrFromString("cook-escaped")
		_, _, errno := unix.Syscall6(unix.SYS_MQ_OPEN, uintptr(unsafe.Pointer(name)), unix.O_CREAT|unix.O_RDWR, 0o600, 0, 0, 0)
		return errnoErr(errno)
	},
	"a key of the kernel": func(p place) error {
		_, err := unix.AddKey("user", "cook-escaped", []byte("x"), unix.KEY_SPEC_USER_KEYRING)
		return err
	},

	// Attempts to affect other processes.
	"kill": func(p place) error { return unix.Kill(p.parent, 0) },
	"kill by descriptor": func(p place) error {
		fd, err := unix.PidfdOpen(p.parent, 0)
		if err != nil {
			return err
		}
		return unix.PidfdSendSignal(fd, 0, nil, 0)
	},
	"kill a thread": func(p place) error { return unix.Tgkill(p.parent, p.parent, 0) },
	"ptrace":        func(p place) error { return unix.PtraceSeize(p.parent) },
	"write memory": func(p place) error {
		b := []byte{1}
		_, err := unix.ProcessVMWritev(p.parent, []unix.Iovec{{Base: &b[0], Len: 1}}, []unix.RemoteIovec{{Base: 0x400000, Len: 1}}, 0)
		return err
	},
	"environment": func(p place) error { return readByte(fmt.Sprintf("/proc/%d/environ", p.parent)) },
	"memory":      func(p place) error { return closed(os.OpenFile(fmt.Sprintf("/proc/%d/mem", p.parent), os.O_RDWR, 0)) },
	"descriptors": func(p place) error { return closed(os.Open(fmt.Sprintf("/proc/%d/fd/0", p.parent))) },
	"take a descriptor": func(p place) error {
		fd, err := unix.PidfdOpen(p.parent, 0)
		if err != nil {
			return err
		}
		_, err = unix.PidfdGetfd(fd, 0, 0)
		return err
	},
	"limits": func(p place) error {
		return unix.Prlimit(p.parent, unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 100_000, Max: 1 << 20}, nil)
	},
	"priority": func(p place) error { return unix.Setpriority(unix.PRIO_PROCESS, p.parent, 1) },

	// Attempts to change what the program sees of the system: mounts, root directories and
	// namespaces.
	"mount": func(p place) error { return unix.Mount("none", p.w, "tmpfs", 0, "") },
	"mount in a namespace": func(p place) error {
		cmd := exec.Command(os.Args[0], "escape", p.in, p.w, p.out, "mount")
		cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWUSER | unix.CLONE_NEWNS, UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}}}
		text, err := cmd.CombinedOutput()
		if err == nil && string(text) != "mount\t<nil>\n" {
			err = fmt.Errorf("%s", text)
		}
		return err
	},
	"chroot": func(p place) error { return unix.Chroot(p.w) },
	"namespace of another": func(p place) error {
		f, err := os.Open(fmt.Sprintf("/proc/%d/ns/mnt", p.parent))
		if err != nil {
			return err
		}
		return unix.Setns(int(f.Fd()), 0)
	},
	"terminal": func(p place) error { return closed(os.OpenFile("/dev/tty", os.O_RDWR, 0)) },
	"disk":     func(p place) error { return anyOf("/dev/sda", "/dev/vda", "/dev/nvme0n1", "/dev/mem") },
	"the host's name": func(p place) error {
		return unix.Sethostname([]byte("escaped"))
	},
	"the clock": func(p place) error {
		return unix.Settimeofday(&unix.Timeval{Sec: 1})
	},
}

func closed(f *os.File, err error) error {
	if err == nil {
		f.Close()
	}
	return err
}

func file(folder, name string) string {
	os.WriteFile(filepath.Join(folder, name), nil, 0o666)
	return filepath.Join(folder, name)
}

// link creates a symbolic link to a file outside the box.
func link(p place, to string) string {
	name := p.w + "/link"
	os.Symlink(filepath.Join(p.out, to), name)
	return name
}

func errnoErr(errno syscall.Errno) error {
	if errno == 0 {
		return nil
	}
	return errno
}

func socket(family, kind int) error { _, err := unix.Socket(family, kind, 0); return err }

func dateByDescriptor(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	_, _, errno := unix.Syscall6(unix.SYS_UTIMENSAT, f.Fd(), 0, 0, 0, 0, 0)
	return errnoErr(errno)
}

func readByte(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return err
	}
	defer f.Close()
	_, err = f.Read(make([]byte, 1))
	return err
}

func anyOf(names ...string) (err error) {
	for _, name := range names {
		if err = closed(os.OpenFile(name, os.O_RDWR, 0)); err == nil {
			return nil
		}
	}
	return err
}

// outsideVariable is the environment variable with the PID of an outside process, for attempts that
// cannot see their parent.
const outsideVariable = "ESCAPE_TO"

// TestMain runs an attempt if the test binary was started as the program in the box.
func TestMain(m *testing.M) {
	if len(os.Args) == 6 && os.Args[1] == "escape" {
		p := place{in: os.Args[2], w: os.Args[3], out: os.Args[4], parent: os.Getppid()}
		if outside, err := strconv.Atoi(os.Getenv(outsideVariable)); err == nil {
			p.parent = outside
		}
		for _, name := range strings.Split(os.Args[5], ",") {
			tidy(p.w)
			err := attempts[name](p)
			fmt.Printf("%s\t%v\n", name, err)
		}
		os.Exit(0)
	}
	if len(os.Args) > 2 && os.Args[1] == "connect" {
		connect(os.Args[2:])
		os.Exit(0)
	}
	if len(os.Args) == 4 && os.Args[1] == "calls" {
		calls(os.Args[2], os.Args[3])
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func schedule(call uintptr, pid int, args ...uintptr) unix.Errno {
	args = append(args, 0, 0)
	_, _, errno := unix.Syscall6(call, uintptr(pid), args[0], args[1], args[2], 0, 0)
	return errno
}

// attribute tries to read an extended attribute. ENODATA means that reading is allowed.
func attribute(name string) error {
	_, err := unix.Getxattr(name, "user.none", nil)
	if err == unix.ENODATA {
		return nil
	}
	return err
}

// connect tries to connect to the server sockets at the given paths.
func connect(paths []string) {
	for _, path := range paths {
		if fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0); err == nil {
			fmt.Println(unix.Connect(fd, &unix.SockaddrUnix{Name: path}))
		}
	}
}

func TestProgramMaySetItsOwnScheduling(t *testing.T) {
	needBox(t)
	p := newPlace(t)
	if text := inBox(t, Policy{Write: []string{p.w}}, "/bin/sh", "-c", `chrt -i 0 echo ok; readlink /proc/self/exe > /dev/null && realpath "$PWD"`); text != "ok\n"+p.w+"\n" {
		t.Errorf("%q", text)
	}
}

// tidy empties a directory.
func tidy(folder string) {
	entries, _ := os.ReadDir(folder)
	for _, e := range entries {
		os.RemoveAll(filepath.Join(folder, e.Name()))
	}
}

// newPlace creates the directories of a sandbox that the test tries to leave.
func newPlace(t *testing.T) place {
	base := t.TempDir()
	p := place{in: base + "/in", w: base + "/w", out: base + "/out", parent: os.Getpid()}
	for _, dir := range []string{p.in, p.w, p.out, p.out + "/empty"} {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{
		p.in + "/given": "given", p.out + "/victim": "victim", p.out + "/secret": "secret", p.out + "/tool": "#!/bin/sh\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("nowhere", p.out+"/link"); err != nil {
		t.Fatal(err)
	}
	return p
}

// inBox runs a program in a box, and returns its output. It fails the test if a process remains in
// the box.
func inBox(t *testing.T, p Policy, name string, args ...string) string {
	t.Helper()
	_, printed := boxed(t, p, name, args...)
	return printed
}

// boxed is like inBox, but also returns the box. The box has already ended.
func boxed(t *testing.T, p Policy, name string, args ...string) (*Box, string) {
	t.Helper()
	out, err := os.CreateTemp(t.TempDir(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	var box *Box
	done := make(chan error, 1)
	Alone(func() {
		var err error
		p.Dir = p.Write[0]
		if box, err = Enter(p); err != nil {
			done <- err
			return
		}
		cmd := exec.Command(name, args...)
		cmd.Stdout, cmd.Stderr = out, out
		err = cmd.Run()
		box.Kill()
		done <- err
	})
	if err := <-done; err != nil {
		t.Errorf("%s: %v", name, err)
	}
	if box != nil {
		if err := box.End(); err != nil {
			t.Error(err)
		}
	}
	text, err := os.ReadFile(out.Name())
	if err != nil {
		t.Fatal(err)
	}
	return box, string(text)
}

func needBox(t *testing.T) {
	if err := Supported(); err != nil {
		t.Skip(err)
	}
}

// No program may escape, and everything outside must stay unchanged.
func TestNoProgramEscapes(t *testing.T) {
	needBox(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := newPlace(t)
	before := describe(t, p)
	names := slices.Sorted(maps.Keys(attempts))
	results := resultsOf(inBox(t, Policy{Read: append(Program(self, p.out), p.in), Write: []string{p.w}}, self, "escape", p.in, p.w, p.out, strings.Join(names, ",")))
	for _, name := range names {
		if r := results[name]; r == "" || r == "<nil>" {
			t.Errorf("%s: %q", name, r)
		}
		t.Logf("%-24s %s", name, results[name])
	}
	if after := describe(t, p); after != before {
		t.Errorf("files outside the box changed from\n%s\nto\n%s", before, after)
	}
	if len(names) < 60 {
		t.Errorf("%d attempts", len(names))
	}
}

// resultsOf parses the printed results of attempts, by name.
func resultsOf(printed string) map[string]string {
	results := map[string]string{}
	for line := range strings.Lines(printed) {
		name, result, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		results[name] = result
	}
	return results
}

// describe lists the state that must stay unchanged.
func describe(t *testing.T, p place) string {
	var text strings.Builder
	for _, dir := range []string{p.in, p.out} {
		err := filepath.WalkDir(dir, func(name string, _ fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			var st unix.Stat_t
			if err := unix.Lstat(name, &st); err != nil {
				return err
			}
			fmt.Fprintln(&text, strings.TrimPrefix(name, filepath.Dir(dir)), st.Mode, st.Nlink, st.Uid, st.Size, st.Mtim, st.Ctim)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return text.String()
}

// The test makes many of the attempts without a box. They must succeed, so that their failure in a
// box is meaningful.
func TestAttemptsSucceedWithoutBox(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"open to write", "create", "remove", "rename in", "link in", "chmod", "chmod by descriptor", "date", "read", "list", "execute", "a local server", "kill", "environment", "chmod by /proc"} {
		p := newPlace(t)
		text, err := exec.Command(self, "escape", p.in, p.w, p.out, name).CombinedOutput()
		if err != nil || string(text) != name+"\t<nil>\n" {
			t.Errorf("%s: %s, %v", name, text, err)
		}
	}
}

// A program in a box must be able to create, copy, change and remove files, and to run commands.
func TestProgramsWorkInTheBox(t *testing.T) {
	needBox(t)
	p := newPlace(t)
	text := inBox(t, Policy{Read: []string{p.in}, Write: []string{p.w}}, "/bin/sh", "-ec", `
cat "$1"/given; echo
echo text > a; cp a b; cp -p "$1"/given c; chmod 600 a; chmod +x b; ln -s a l; ln a h; mkdir d; mv a d/a; mv d e
touch -d 1990-01-01T00:00:00Z b; ls -l --time-style=+%Y b | cut -c1-4,20-
touch e/a; rm -r e; mkfifo p; echo > /dev/null
chown 1:1 b; ls -ln b | cut -d' ' -f3
cat < "$1"/given | wc -c
head -c 3 /dev/urandom | wc -c
printf '#!/bin/sh\necho script\n' > s; chmod 755 s; ./s
stat -c %a s
(ulimit -n 10; ulimit -n)
`, "sh", p.in)
	want := "given\n-rwx"
	if !strings.HasPrefix(text, want) || !strings.HasSuffix(text, strconv.Itoa(os.Getuid())+"\n5\n3\nscript\n755\n10\n") || !strings.Contains(text, "1990 b") {
		t.Errorf("%s", text)
	}
}

// ends reports whether a process is dead or about to die. Such a process has no memory any more.
func ends(pid string) bool {
	text, err := os.ReadFile("/proc/" + pid + "/statm")
	return err != nil || strings.HasPrefix(string(text), "0 ")
}
