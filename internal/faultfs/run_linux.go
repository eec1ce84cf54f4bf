//go:build amd64 || arm64

package faultfs

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A Call is a system call of the program on a file below the folders.
type Call struct {
	N     int    // from 1, in the order of all threads and child processes
	Name  string // as the kernel calls it: openat, write
	Path  string // absolute, as far as it can be told
	To    string // the new name, of those that rename or link
	Grows bool   // it asks for room on the disk, which may be full
	Moves bool   // it moves bytes, of which there may be less than asked for; see Short
}

// An Action is what happens to a call.
type Action uint32

const (
	// Continue lets the call happen.
	Continue Action = 0
	// Short lets a read give half of what it would, a write or copy_file_range
	// move half of what it was to move, and say so. Other calls, and those for a
	// single byte, happen as they were meant.
	Short Action = 1 << 16
	// Kill ends the process by SIGKILL. The call does not happen.
	Kill Action = 2 << 16
	// AndNoMore can be added to another action: all calls after this one happen,
	// and are not looked at. That saves half the time.
	AndNoMore Action = 1 << 24
)

// Fail makes the call do nothing and fail with an error.
func Fail(with syscall.Errno) Action { return Action(with) }

// Run runs a command that was not started yet, and asks decide about each call on
// files that lie below one of the folders, which must exist. It returns the calls
// it looked at when the program and all its children have ended. decide is never
// called by two goroutines at a time; the whole program waits for it.
//
// The error is that of cmd.Wait, the context's if that ended first (then the
// program was killed with all that descends from it, but for what had lost its
// parent before), or says that the program could not be run at all, and wraps
// [ErrNotRun]. A path is compared with the folders as it is given, links in it are
// not followed.
//
// What outlives the program and holds its output is waited for as cmd.WaitDelay
// says; for 0 that is 10 s.
func Run(ctx context.Context, cmd *exec.Cmd, under []string, decide func(Call) Action) ([]Call, error) {
	w, err := start(cmd, under, decide)
	if err != nil {
		return nil, fmt.Errorf("%w %s: %w", ErrNotRun, cmd.Path, err)
	}
	defer w.close()
	stop := context.AfterFunc(ctx, func() { killTree(cmd.Process) })
	defer stop()
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	err = w.serve(ctx)
	// Calls that nobody answers any more fail, so that nobody waits for ever.
	w.close()
	waitErr := <-ended
	switch {
	case ctx.Err() != nil:
		return w.calls, ctx.Err()
	case err != nil:
		return w.calls, fmt.Errorf("watch %s: %w", cmd.Path, err)
	}
	return w.calls, waitErr
}

// waitDelay is long enough for all that a child does which is not meant to stay.
const waitDelay = 10 * time.Second

// ErrNotRun says that the program was not run.
var ErrNotRun = errors.New("faultfs: cannot run")

// A watcher answers the calls of one program.
type watcher struct {
	listener int // -1 when closed
	under    []string
	table    map[int]spec
	decide   func(Call) Action
	done     bool // nothing more is to be decided
	calls    []Call
}

func start(cmd *exec.Cmd, under []string, decide func(Call) Action) (*watcher, error) {
	w := &watcher{listener: -1, table: table(), decide: decide}
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
	if w.listener, err = receive(pair[0]); err != nil {
		cmd.Process.Kill()
		cmd.Wait()
		return nil, fmt.Errorf("%w; does %s call faultfs.Init first?", err, self)
	}
	return w, nil
}

// receive waits for the listener that Init sends.
func receive(socket int) (int, error) {
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
		return -1, errors.New("it did not say what to listen to")
	}
	fds, err := unix.ParseUnixRights(&messages[0])
	if err != nil {
		return -1, err
	}
	return fds[0], nil
}

func (w *watcher) close() {
	if w.listener >= 0 {
		unix.Close(w.listener)
	}
	w.listener = -1
}

// covers reports whether a path lies below one of the folders.
func (w *watcher) covers(path string) bool {
	for _, dir := range w.under {
		if path == dir || strings.HasPrefix(path, dir) && path[len(dir)] == filepath.Separator {
			return true
		}
	}
	return false
}
