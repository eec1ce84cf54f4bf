//go:build amd64 || arm64

// Package faultfs makes system calls of a real program fail, one at a time, to show how the program
// reacts.
//
// [Run] starts a program under a seccomp filter, which passes each system call on a file to this
// process before the kernel executes it (seccomp_unotify(2)). Calls on files below given
// directories are numbered from 1, across all threads and child processes. A function selects the
// action for each call: execute it, let it fail with an error, do only half of it, or kill the
// process first. A test can repeat the program for each number. It then covers every point where a
// disk can be full, descriptors can run out, a signal can arrive, or the power can fail.
//
// The filter must be installed in the process that becomes the program. So the executable that
// calls Run starts itself again, and must call [Init] first in main or in TestMain. No privileges
// are needed, but the kernel must be 5.19 or later.
//
// The package works on Linux, for amd64 and arm64. On other systems Init does nothing.
//
// In reading order: this file starts a program and kills it, serve_linux.go handles its calls, and
// calls_linux.go has the table of calls, the filter, and the description of a call.
package faultfs

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// A Call is a system call of the program on a file below the watched directories.
type Call struct {
	N     int    // number of the call, counted from 1 across all threads and child processes
	Name  string // name of the system call, such as openat
	Path  string // absolute path; empty if unknown
	To    string // new name, for rename and link calls
	Grows bool   // set if the call allocates disk space
	Moves bool   // set if the call transfers bytes, possibly fewer than requested; see Short
}

// An Action determines the result of a call.
type Action uint32

const (
	// Continue executes the call.
	Continue Action = 0
	// Short makes a read, write or copy_file_range transfer only half of its bytes and return their
	// number. Other calls, and transfers of a single byte, are executed unchanged.
	Short Action = 1 << 16
	// Kill sends SIGKILL to the process before the call is executed.
	Kill Action = 2 << 16
	// AndNoMore can be added to another action. Then later calls are no longer watched, which
	// halves the running time.
	AndNoMore Action = 1 << 24
)

// Fail makes the call fail with an error, without any other effect.
func Fail(with syscall.Errno) Action { return Action(with) }

// Run starts cmd, which must not have been started yet. It calls the function decide for each
// system call on a file below the directories in under, which must exist. Calls of decide are never
// concurrent; the whole program waits for each. When the program and all its children have exited,
// Run returns the calls.
//
// The error comes from cmd.Wait, or from the context if this was canceled first. Then Run kills the
// program with all its descendants, except processes that had lost their parent before. If the
// program could not be run, the error wraps [ErrNotRun]. Paths are compared with the directories as
// given, without resolving symbolic links.
//
// Run waits for processes that outlive the program and have its output open, for at most
// cmd.WaitDelay; 0 means 10 s.
func Run(ctx context.Context, cmd *exec.Cmd, under []string, decide func(Call) Action) ([]Call, error) {
	w, err := startFiltered(cmd, under, decide)
	if err != nil {
		return nil, fmt.Errorf("%w %s: %w", ErrNotRun, cmd.Path, err)
	}
	defer w.closeListener()
	stop := context.AfterFunc(ctx, func() { killTree(cmd.Process) })
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	err = w.answerCalls(ctx)
	// Calls that still wait for an answer now fail, so that no process waits forever.
	w.closeListener()
	waitErr := <-ended
	switch {
	case ctx.Err() != nil:
		return w.calls, ctx.Err()
	case err != nil:
		return w.calls, fmt.Errorf("watch %s: %w", cmd.Path, err)
	}
	return w.calls, waitErr
}

// waitDelay is the default of cmd.WaitDelay. It is long enough for child processes to finish.
const waitDelay = 10 * time.Second

// ErrNotRun is the error for a program that could not be run.
var ErrNotRun = errors.New("faultfs: cannot run")

// A watcher handles the calls of one program.
type watcher struct {
	listener int // -1 when closed
	under    []string
	table    map[int]spec
	decide   func(Call) Action
	done     bool // set if calls are no longer watched
	calls    []Call
}

func startFiltered(cmd *exec.Cmd, under []string, decide func(Call) Action) (*watcher, error) {
	w := &watcher{listener: -1, table: fileCalls(), decide: decide}
	for _, dir := range under {
		abs, err := filepath.Abs(dir)
		if err != nil {
			return nil, err
		}
		real, err := filepath.EvalSymlinks(abs)
		if err != nil {
			return nil, err
		}
		w.under = append(w.under, abs, real)
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	defer unix.Close(pair[0])
	theirs := os.NewFile(uintptr(pair[1]), "faultfs")
	env := cmd.Environ()
	cmd.Env = append(env, fmt.Sprintf("%s=%d", socketVar, 3+len(cmd.ExtraFiles)), programVar+"="+cmd.Path)
	cmd.ExtraFiles = append(cmd.ExtraFiles, theirs)
	cmd.Path = self
	if cmd.WaitDelay == 0 {
		cmd.WaitDelay = waitDelay
	}
	err = cmd.Start()
	theirs.Close()
	if err != nil {
		return nil, err
	}
	if w.listener, err = receiveListener(pair[0]); err != nil {
		cmd.Process.Kill()
		cmd.Wait()
		return nil, fmt.Errorf("%w; %s must call faultfs.Init first", err, self)
	}
	return w, nil
}

// receiveListener waits for the listener descriptor that Init sends.
func receiveListener(socket int) (int, error) {
	control := make([]byte, unix.CmsgSpace(4))
	var n int
	var err error
	for {
		if _, n, _, _, err = unix.Recvmsg(socket, make([]byte, 1), control, unix.MSG_CMSG_CLOEXEC); err != unix.EINTR {
			break
		}
	}
	if err != nil {
		return -1, err
	}
	messages, err := unix.ParseSocketControlMessage(control[:n])
	if err != nil {
		return -1, err
	}
	if len(messages) == 0 {
		return -1, errors.New("the program sent no listener")
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil {
		return -1, err
	}
	return fds[0], nil
}

func (w *watcher) closeListener() {
	if w.listener >= 0 {
		unix.Close(w.listener)
	}
	w.listener = -1
}

// covers reports whether a path is below one of the directories.
func (w *watcher) covers(path string) bool {
	for _, dir := range w.under {
		if path == dir || strings.HasPrefix(path, dir) && path[len(dir)] == filepath.Separator {
			return true
		}
	}
	return false
}

// Run sets these environment variables for Init, which removes them.
const (
	socketVar  = "FAULTFS_SOCKET"  // descriptor of the socket that receives the listener from Init
	programVar = "FAULTFS_PROGRAM" // program to execute
)

// Init turns this process into the program of a [Run] if Run started it. Otherwise it does nothing.
// Call it first in main or TestMain of every executable that calls Run.
func Init() {
	socket, err := strconv.Atoi(os.Getenv(socketVar))
	if err != nil {
		return
	}
	program := os.Getenv(programVar)
	os.Unsetenv(socketVar)
	os.Unsetenv(programVar)
	unix.CloseOnExec(socket)
	runtime.LockOSThread() // the filter applies only to the thread that becomes the program
	err = installReporting(socket)
	if err == nil {
		err = syscall.Exec(program, os.Args, os.Environ())
	}
	fmt.Fprintf(os.Stderr, "faultfs: start %s: %v\n", program, err)
	os.Exit(127)
}

// installReporting installs the filter on this thread and sends its listener descriptor to Run.
func installReporting(socket int) error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("prctl: %w", err)
	}
	program := reportingFilter()
	prog := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	// Only a fatal signal may interrupt a call while it waits for an answer. Otherwise the signals
	// of the Go runtime would make one call appear as several.
	const flags = unix.SECCOMP_FILTER_FLAG_NEW_LISTENER | unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
	listener, _, errno := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(&prog)))
	if errno != 0 {
		return fmt.Errorf("seccomp: %w; this needs Linux 5.19", errno)
	}
	if err := unix.Sendmsg(socket, []byte{1}, unix.UnixRights(int(listener)), nil, 0); err != nil {
		return fmt.Errorf("send listener: %w", err)
	}
	return unix.Close(int(listener))
}

// killTree kills root and all its descendants, in any process group or session. root must be a
// child of this process that has not been waited for.
//
// First it stops each process, parents before children. A stopped process starts no more children,
// and keeps its PID until its parent waits for it.
func killTree(root *os.Process) {
	if root.Signal(unix.SIGSTOP) != nil {
		return // the process has exited
	}
	all := []int{root.Pid}
	for i := 0; i < len(all); i++ {
		for _, child := range childrenOf(all[i]) {
			unix.Kill(child, unix.SIGSTOP)
			all = append(all, child)
		}
	}
	for _, pid := range all[1:] {
		unix.Kill(pid, unix.SIGKILL)
	}
	root.Kill()
}

// childrenOf returns the child processes of parent. It searches all processes, because the kernel
// may be built without lists of children.
func childrenOf(parent int) (children []int) {
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		stat, err := os.ReadFile("/proc/" + e.Name() + "/stat")
		if err != nil {
			continue // the process has exited meanwhile
		}
		// The name is in parentheses and may contain any characters. The state and the parent
		// follow.
		fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
		if len(fields) > 1 && string(fields[1]) == strconv.Itoa(parent) {
			children = append(children, pid)
		}
	}
	return children
}
