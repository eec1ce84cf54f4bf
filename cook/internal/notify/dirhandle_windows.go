package notify

import (
	"encoding/binary"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

// dirInterest is the set of changes to report. Windows does not report when a file is closed; it
// reports the last write when the writer closes or flushes the file.
const dirInterest = windows.FILE_NOTIFY_CHANGE_FILE_NAME | windows.FILE_NOTIFY_CHANGE_DIR_NAME | windows.FILE_NOTIFY_CHANGE_ATTRIBUTES |
	windows.FILE_NOTIFY_CHANGE_SIZE | windows.FILE_NOTIFY_CHANGE_LAST_WRITE | windows.FILE_NOTIFY_CHANGE_CREATION

// A dirHandle is an open directory with a request for its changes. It must not move in
// memory before the request is done, because the system writes to it.
type dirHandle struct {
	asked    windows.Overlapped
	path     string
	tree     bool // set to report changes in subdirectories too
	handle   windows.Handle
	identity fileIdentity
	moved    bool     // set if the path names another directory, or requests fail
	buf      []uint32 // aligned to 32 bits, as the system requires
}

// fileIdentity identifies a directory among all volumes.
type fileIdentity struct{ volume, high, low uint32 }

func openDir(path string, tree bool) (*dirHandle, error) {
	handle, err := openPath(path, windows.FILE_LIST_DIRECTORY, windows.FILE_FLAG_OVERLAPPED)
	if err != nil {
		return nil, err
	}
	h := &dirHandle{path: path, tree: tree, handle: handle}
	if h.identity, err = identityOf(handle); err != nil {
		windows.CloseHandle(handle)
		return nil, err
	}
	size := folderBuffer
	if tree {
		size = treeBuffer
	}
	h.buf = make([]uint32, size/4)
	return h, nil
}

// openPath opens a directory so that other programs can still rename and delete it.
func openPath(path string, access, flags uint32) (windows.Handle, error) {
	name, err := anyLength(path)
	if err != nil {
		return 0, err
	}
	const share = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE
	return windows.CreateFile(name, access, share, nil, windows.OPEN_EXISTING, windows.FILE_FLAG_BACKUP_SEMANTICS|flags, 0)
}

// anyLength returns an absolute, clean path in the form that system calls accept without a limit of
// 260 characters.
func anyLength(path string) (*uint16, error) {
	switch {
	case !strings.HasPrefix(path, `\\`):
		path = `\\?\` + path
	case !strings.HasPrefix(path, `\\?\`) && !strings.HasPrefix(path, `\\.\`):
		path = `\\?\UNC\` + path[2:]
	}
	return windows.UTF16PtrFromString(path)
}

func identityOf(handle windows.Handle) (fileIdentity, error) {
	var info windows.ByHandleFileInformation
	if err := windows.GetFileInformationByHandle(handle, &info); err != nil {
		return fileIdentity{}, err
	}
	if info.FileAttributes&windows.FILE_ATTRIBUTE_DIRECTORY == 0 {
		return fileIdentity{}, fmt.Errorf("the path is not a directory: %w", fs.ErrNotExist)
	}
	return fileIdentity{info.VolumeSerialNumber, info.FileIndexHigh, info.FileIndexLow}, nil
}

// requireFolder returns an error if path names no directory.
func requireFolder(path string) error {
	_, err := identityAt(path)
	return err
}

func identityAt(path string) (fileIdentity, error) {
	handle, err := openPath(path, 0, 0)
	if err != nil {
		return fileIdentity{}, err
	}
	defer windows.CloseHandle(handle)
	return identityOf(handle)
}

// current reports whether the path still names the open directory.
func (h *dirHandle) current() bool {
	now, err := identityAt(h.path)
	return err == nil && now == h.identity
}

// request asks the system for the next changes.
func (h *dirHandle) request(event windows.Handle) error {
	h.asked = windows.Overlapped{HEvent: event}
	var none uint32
	return windows.ReadDirectoryChanges(h.handle, (*byte)(unsafe.Pointer(&h.buf[0])), uint32(4*len(h.buf)), h.tree, dirInterest, &none, &h.asked, 0)
}

// done reports whether the last request is complete.
func (h *dirHandle) done() bool {
	return windows.NTStatus(atomic.LoadUintptr(&h.asked.Internal)) != windows.STATUS_PENDING
}

// result returns the changes of a complete request. They are valid until the next request.
func (h *dirHandle) result() ([]byte, error) {
	var n uint32
	if err := windows.GetOverlappedResult(h.handle, &h.asked, &n, false); err != nil {
		return nil, err
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&h.buf[0])), 4*len(h.buf))[:n], nil
}

// close cancels the request and closes the handle.
func (h *dirHandle) close(event windows.Handle) {
	windows.CancelIoEx(h.handle, &h.asked) // fails if the request is already done
	for !h.done() {
		windows.WaitForSingleObject(event, 10) // the buffer must outlive the request
	}
	windows.CloseHandle(h.handle)
	windows.SetEvent(event) // the wait may have consumed the signal of another handle
}

// decode passes each change in a buffer of FILE_NOTIFY_INFORMATION to note.
func (q *queue) decode(root string, b []byte, note func(event)) error {
	for {
		if len(b) < 12 {
			return fmt.Errorf("directory changes: there are %d bytes after the last change", len(b))
		}
		next, action, length := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:]), binary.LittleEndian.Uint32(b[8:])
		if uint64(length) > uint64(len(b)-12) || length%2 != 0 || uint64(next) > uint64(len(b)) {
			return fmt.Errorf("directory changes: a name of %d bytes does not fit in an event of %d bytes", length, len(b))
		}
		wide := make([]uint16, length/2)
		for i := range wide {
			wide[i] = binary.LittleEndian.Uint16(b[12+2*i:])
		}
		q.tell(filepath.Join(root, syscall.UTF16ToString(wide)), action, note)
		if next == 0 {
			return nil
		}
		b = b[next:]
	}
}

// tell converts one change of a file or directory to an event, and calls note with it.
func (q *queue) tell(path string, action uint32, note func(event)) {
	dir, name := filepath.Split(path)
	id, known := q.folders[dirKey(filepath.Clean(dir))]
	if !known {
		if id, known = q.longNamed(dir); !known {
			return
		}
	}
	e := event{watch: id, name: []byte(name)}
	switch action {
	case windows.FILE_ACTION_ADDED:
		e.kind, e.folder = made, isFolder(path)
	case windows.FILE_ACTION_REMOVED:
		e.kind = removed
	case windows.FILE_ACTION_RENAMED_OLD_NAME:
		q.cookie++
		e.kind, e.cookie = movedFrom, q.cookie
	case windows.FILE_ACTION_RENAMED_NEW_NAME:
		e.kind, e.cookie = movedTo, q.cookie // the system reports the new name right after the old name
	default:
		if isFolder(path) {
			return // each changed entry of the directory is reported by an event of its own
		}
		e.kind = written
	}
	note(e)
}

// longNamed returns the watch of a directory whose path has short names such as PICTUR~1. The
// system reports a change by the path that the writing program used.
func (q *queue) longNamed(dir string) (watchID, bool) {
	if !strings.Contains(dir, "~") {
		return noWatch, false
	}
	short, err := windows.UTF16PtrFromString(filepath.Clean(dir))
	if err != nil {
		return noWatch, false
	}
	long := make([]uint16, windows.MAX_LONG_PATH)
	n, err := windows.GetLongPathName(short, &long[0], uint32(len(long)))
	if err != nil || int(n) > len(long) {
		return noWatch, false
	}
	id, known := q.folders[dirKey(windows.UTF16ToString(long[:n]))]
	return id, known
}

// isFolder reports whether path is currently a directory.
func isFolder(path string) bool {
	name, err := anyLength(path)
	if err != nil {
		return false
	}
	attributes, err := windows.GetFileAttributes(name)
	return err == nil && attributes&windows.FILE_ATTRIBUTE_DIRECTORY != 0
}
