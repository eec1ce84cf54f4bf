package notify

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// interest is the set of events to watch. IN_CLOSE_WRITE shows the end of writes through a mapping;
// no event shows their beginning. IN_EXCL_UNLINK is missing, because a file that is made with
// O_TMPFILE and linked later counts as unlinked while it is open.
const interest = unix.IN_CREATE | unix.IN_MODIFY | unix.IN_CLOSE_WRITE | unix.IN_ATTRIB |
	unix.IN_DELETE | unix.IN_MOVED_FROM | unix.IN_MOVED_TO |
	unix.IN_DELETE_SELF | unix.IN_MOVE_SELF | unix.IN_ONLYDIR

// queue is an inotify instance, see inotify(7).
type queue struct {
	file *os.File
	conn syscall.RawConn
	buf  []byte
}

func openQueue() (*queue, error) {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil, openError(err)
	}
	file := os.NewFile(uintptr(fd), "inotify")
	conn, err := file.SyscallConn()
	if err != nil {
		file.Close()
		return nil, err
	}
	return &queue{file: file, conn: conn, buf: make([]byte, 64<<10)}, nil
}

// control calls f with the descriptor, which stays open during the call.
func (q *queue) control(f func(fd int) error) error {
	var result error
	if err := q.conn.Control(func(fd uintptr) { result = f(int(fd)) }); err != nil {
		return err
	}
	return result
}

// within does nothing: each directory has its own watch.
func (*queue) within([]string) {}

// watchFolder watches the directory that path leads to. All paths of a directory share one watch.
func (q *queue) watchFolder(path string) (id watchID, err error) {
	err = q.control(func(fd int) error {
		n, err := unix.InotifyAddWatch(fd, path, interest)
		id = watchID(n)
		return err
	})
	return id, addError(err)
}

// openError explains an error of the system.
func openError(err error) error {
	if errors.Is(err, unix.EMFILE) {
		return fmt.Errorf("%w: %w; raise fs.inotify.max_user_instances with sysctl, or the limit of open files", ErrLimit, err)
	}
	return os.NewSyscallError("inotify_init1", err)
}

func addError(err error) error {
	switch {
	case errors.Is(err, unix.ENOSPC):
		return fmt.Errorf("%w: %w; raise fs.inotify.max_user_watches with sysctl to more than the number of directories", ErrLimit, err)
	case errors.Is(err, unix.ENOTDIR), errors.Is(err, unix.ELOOP):
		return fmt.Errorf("%w: %w", fs.ErrNotExist, err)
	}
	return err
}

// remove ends a watch. A watch that has already ended is no error.
func (q *queue) remove(id watchID) {
	_ = q.control(func(fd int) error {
		_, err := unix.InotifyRmWatch(fd, uint32(id))
		return err
	})
}

// size returns the number of bytes of queued events.
func (q *queue) size() (n int, err error) {
	err = q.control(func(fd int) error {
		n, err = unix.IoctlGetInt(fd, unix.TIOCINQ) // inotify(7) calls this request FIONREAD
		return err
	})
	return n, os.NewSyscallError("ioctl", err)
}

// readEvents reads some events, calls note for each, and returns their size in bytes. It returns 0
// if there are no events.
func (q *queue) readEvents(note func(event)) (n int, err error) {
	err = q.control(func(fd int) error {
		n, err = unix.Read(fd, q.buf)
		return err
	})
	switch {
	case errors.Is(err, unix.EAGAIN):
		return 0, nil
	case err != nil:
		return 0, os.NewSyscallError("read", err)
	}
	return n, decode(q.buf[:n], note)
}

// each calls take until there are no more events, and again whenever new events arrive. It returns
// when take fails or the queue is closed. take must call readEvents.
func (q *queue) each(take func() (more bool, err error)) error {
	var failed error
	err := q.conn.Read(func(uintptr) (done bool) {
		for more := true; more && failed == nil; {
			more, failed = take()
		}
		return failed != nil
	})
	return errors.Join(failed, err)
}

// closeQueue closes the queue, which ends the method each. Callbacks of each must not call it.
func (q *queue) closeQueue() error { return q.file.Close() }

// decode decodes a buffer of struct inotify_event.
func decode(b []byte, note func(event)) error {
	for len(b) > 0 {
		if len(b) < unix.SizeofInotifyEvent {
			return fmt.Errorf("inotify: there are %d bytes after the last event", len(b))
		}
		mask, length := binary.NativeEndian.Uint32(b[4:]), binary.NativeEndian.Uint32(b[12:])
		e := event{watch: watchID(binary.NativeEndian.Uint32(b)), kind: changed, folder: mask&unix.IN_ISDIR != 0, cookie: binary.NativeEndian.Uint32(b[8:])}
		b = b[unix.SizeofInotifyEvent:]
		if uint64(length) > uint64(len(b)) {
			return fmt.Errorf("inotify: a name of %d bytes does not fit in an event of %d bytes", length, len(b))
		}
		e.name, _, _ = bytes.Cut(b[:length], []byte{0})
		b = b[length:]
		switch {
		case mask&unix.IN_Q_OVERFLOW != 0:
			e.kind = overflowed
		case mask&(unix.IN_DELETE_SELF|unix.IN_MOVE_SELF|unix.IN_UNMOUNT|unix.IN_IGNORED) != 0:
			e.kind = ended
		case mask&unix.IN_CREATE != 0:
			e.kind = made
		case mask&unix.IN_DELETE != 0:
			e.kind = removed
		case mask&unix.IN_MOVED_FROM != 0:
			e.kind = movedFrom
		case mask&unix.IN_MOVED_TO != 0:
			e.kind = movedTo
		case mask&unix.IN_CLOSE_WRITE != 0:
			e.kind = closed
		case mask&unix.IN_MODIFY != 0:
			e.kind = written
		}
		note(e)
	}
	return nil
}
