//go:build amd64 || arm64

package sandbox

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// A Box confines a thread and the programs that it starts.
type Box struct {
	writes []string
	watch  func(string)
	server func(string)
	trace  *Trace
	root   string // traced directory, without symbolic links
	// programs holds Trace.Programs without symbolic links. readable holds the paths that programs
	// may read.
	programs, readable []string
	runs               bool          // whether the policy allows programs to execute files in root
	kills              bool          // whether signals from the thread reach exactly the processes in the box
	gone               chan struct{} // closed when the last process in the box has exited
	blind              error         // why the trace is incomplete, or nil; serveCalls owns it until gone is closed
	calls              int           // number of system calls of serveCalls; serveCalls owns it until gone is closed
}

// patience is how long End waits for killed processes.
const patience = 2 * time.Second

// Supported returns nil if boxes work on this system. If they do not, it returns an error that
// wraps ErrUnsupported. Any other error means that the process currently lacks descriptors or
// memory, and a later call may succeed. The first call tries a box, because containers can withhold
// features of the kernel.
func Supported() error {
	_, err := supported()
	return err
}

var supported = lasting(func() (known struct{}, err error) {
	if v, err := landlockVersion(); err != nil || v < oldest {
		return known, unsupported("Landlock of Linux 5.19 is missing or disabled")
	}
	tried := make(chan error)
	Alone(func() {
		_, err := enterBox(Policy{})
		tried <- err
	})
	if err = <-tried; err != nil && !wrapsShortage(err) {
		err = unsupported(err.Error())
	}
	return known, err
})

// lasting returns a function that caches the result of try. It calls try again only after an error
// caused by a lack of descriptors or memory.
func lasting[T any](try func() (T, error)) func() (T, error) {
	var mu sync.Mutex
	var known bool
	var value T
	var err error
	return func() (T, error) {
		mu.Lock()
		defer mu.Unlock()
		if !known {
			value, err = try()
			known = !wrapsShortage(err)
		}
		return value, err
	}
}

// isShortage reports whether this process, or the machine, is out of descriptors or memory.
func isShortage(errno unix.Errno) bool {
	return errno == unix.EMFILE || errno == unix.ENFILE || errno == unix.ENOMEM
}

func wrapsShortage(err error) bool {
	var errno unix.Errno
	return errors.As(err, &errno) && isShortage(errno)
}

// Alone calls f on a separate thread, which ends with f and is not the main thread of the process.
// Alone returns without waiting for f.
func Alone(f func()) {
	go func() {
		runtime.LockOSThread()
		if unix.Gettid() != unix.Getpid() {
			f()
			return // the goroutine stays locked to its thread, which ends the thread
		}
		// While this goroutine occupies the main thread, no other goroutine can run on it.
		over := make(chan struct{})
		go func() {
			defer close(over)
			runtime.LockOSThread()
			f()
		}()
		<-over
		runtime.UnlockOSThread()
	}()
}

// Enter puts the calling thread, which must come from [Alone], into a box for the rest of its life.
// The thread should only start a program and wait for it.
func Enter(p Policy) (*Box, error) {
	if err := Supported(); err != nil {
		return nil, err
	}
	return enterBox(p)
}

func enterBox(p Policy) (*Box, error) {
	if unix.Gettid() == unix.Getpid() {
		return nil, errors.New("sandbox: cannot confine the main thread of the process")
	}
	version, err := landlockVersion()
	if err != nil {
		return nil, err
	}
	b := &Box{watch: p.Watch, server: p.Server, trace: p.Trace, gone: make(chan struct{})}
	if err := b.resolvePolicy(p); err != nil {
		return nil, err
	}
	tree, served := -1, false
	defer func() {
		if tree >= 0 && !served {
			unix.Close(tree)
		}
	}()
	if p.Trace != nil {
		if tree, err = b.beginTrace(p); err != nil {
			return nil, err
		}
	}
	reachable := canSignalParent()
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return nil, fmt.Errorf("sandbox: no_new_privs: %w", err)
	}
	if err := dropCapabilities(); err != nil {
		return nil, err
	}
	if err := restrict(p, version); err != nil {
		return nil, err
	}
	b.kills = confinesSignals(version, reachable, canSignalParent())
	if err := changeToFolder(p.Dir); err != nil {
		return nil, err
	}
	listener, err := b.installListening(version)
	if errors.Is(err, unix.EBUSY) && (b.trace == nil || b.trace.IfPossible) { // another box already watches the calls of this process
		b.trace = nil
		listener, err = -1, installDeafFilter(version)
	}
	if errors.Is(err, unix.EBUSY) {
		err = fmt.Errorf("cannot trace system calls: another program already watches this process: %w", err)
	}
	if err != nil {
		return nil, err
	}
	if listener < 0 {
		close(b.gone)
	} else {
		served = true
		go b.serveCalls(listener, tree)
	}
	return b, nil
}

// resolvePolicy resolves symbolic links in the paths that a policy lets programs read and write.
func (b *Box) resolvePolicy(p Policy) error {
	for _, dir := range p.Write {
		real, err := realFolder(dir)
		if err != nil {
			return err
		}
		b.writes = append(b.writes, real)
	}
	for _, path := range slices.Concat(p.Read, p.Write) {
		if real, err := filepath.EvalSymlinks(path); err == nil { // a path that does not exist needs no rule
			b.readable = append(b.readable, path, real)
		}
	}
	return nil
}

// beginTrace starts the trace of a policy and returns a descriptor of the traced directory.
func (b *Box) beginTrace(p Policy) (tree int, err error) {
	if tree, err = openFolderPath(p.Trace.Folder); err != nil {
		return -1, err
	}
	if b.root, err = descriptorPath(tree); err != nil {
		unix.Close(tree)
		return -1, err
	}
	b.runs = slices.ContainsFunc(p.Read, func(path string) bool {
		real, err := filepath.EvalSymlinks(path)
		return err == nil && isBelowFolder(real, b.root)
	})
	for _, path := range p.Trace.Programs {
		if real, err := filepath.EvalSymlinks(path); err == nil { // a program that does not exist cannot be executed
			b.programs = append(b.programs, real)
		}
	}
	b.readable = append(b.readable, b.root)
	p.Trace.makeMaps()
	return tree, nil
}

// installListening installs the filter on the calling thread, and returns the descriptor on which
// the filter reports calls.
func (b *Box) installListening(version int) (listener int, err error) {
	asked, own := b.watchedCalls(), uint64(0)
	if slices.Contains(asked, unix.SYS_EXECVE) {
		if own, err = ownCalls(); err != nil {
			return -1, err
		}
	}
	return installFilter(version, asked, own)
}

// watchedCalls returns the calls that the filter reports to the server, in addition to attribute
// changes.
func (b *Box) watchedCalls() []uint32 {
	var asked []uint32
	if b.watch != nil || b.trace != nil {
		asked = slices.AppendSeq(asked, maps.Keys(naming()))
	} else {
		asked = append(asked, readingLinks...)
	}
	if b.server != nil {
		asked = append(asked, reaching...)
	}
	return asked
}

// changeToFolder changes the working directory of the calling thread only. A child process must not
// change it between fork and exec. Its chdir would wait for the server's answer. Meanwhile the
// runtime cannot stop the parent, and may therefore never run the server.
func changeToFolder(dir string) error {
	if dir == "" {
		return nil
	}
	if err := unix.Unshare(unix.CLONE_FS); err != nil {
		return fmt.Errorf("sandbox: unshare the working directory: %w", err)
	}
	if err := unix.Chdir(dir); err != nil {
		return &os.PathError{Op: "chdir", Path: dir, Err: err}
	}
	return nil
}

// dropCapabilities restricts programs started by root to the rights of a user who owns all files.
func dropCapabilities() error {
	const fileOwner = 1<<unix.CAP_DAC_OVERRIDE | 1<<unix.CAP_DAC_READ_SEARCH | 1<<unix.CAP_FOWNER | 1<<unix.CAP_FSETID
	if unix.Geteuid() != 0 {
		return nil // no_new_privs prevents other users from gaining capabilities
	}
	for capability := range uintptr(64) {
		if fileOwner>>capability&1 == 1 {
			continue
		}
		err := unix.Prctl(unix.PR_CAPBSET_DROP, capability, 0, 0, 0)
		if err == unix.EINVAL || err == unix.EPERM { // the kernel has no such capability, or root lacks it
			return nil
		} else if err != nil {
			return fmt.Errorf("sandbox: capabilities: %w", err)
		}
	}
	return nil
}

// realFolder returns the path of a directory without symbolic links.
func realFolder(dir string) (string, error) {
	fd, err := openFolderPath(dir)
	if err != nil {
		return "", err
	}
	defer unix.Close(fd)
	return descriptorPath(fd)
}

func openFolderPath(dir string) (int, error) {
	fd, err := unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, &os.PathError{Op: "open", Path: dir, Err: err}
	}
	return fd, nil
}

// confinesSignals reports whether kill(-1) reaches only processes in the box. Landlock must support
// that. Also, the parent must have been reachable before the thread entered the box, and must be
// unreachable now.
func confinesSignals(version int, before, now bool) bool { return version >= scoped && before && !now }

// canSignalParent reports whether a signal would reach the parent process.
func canSignalParent() bool {
	parent := unix.Getppid()
	return parent > 0 && unix.Kill(parent, 0) == nil
}

// Kill kills all processes in the box, except the process that entered it. No process can escape by
// starting another. Call Kill on the thread that entered the box. It does nothing if the system
// does not confine signals.
func (b *Box) Kill() {
	if b.kills {
		unix.Kill(-1, unix.SIGKILL)
	}
}

// Kills reports whether Kill has an effect.
func (b *Box) Kills() bool { return b.kills }

// End waits until no process is left in the box. The thread of the box must have ended, or be about
// to end. After two seconds End gives up and returns ErrStaying. It returns ErrTrace if the trace
// is incomplete. Accesses that are missing from the trace were refused.
func (b *Box) End() error {
	select {
	case <-b.gone:
		return b.blind
	case <-time.After(patience):
		return ErrStaying
	}
}
