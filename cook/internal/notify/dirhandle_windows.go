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

// dirInterest selects the changes that matter. Windows reports no closing of
// files; the last write shows when the writer closes or flushes.
const dirInterest = windows.FILE_NOTIFY_CHANGE_FILE_NAME | windows.FILE_NOTIFY_CHANGE_DIR_NAME | windows.FILE_NOTIFY_CHANGE_ATTRIBUTES |
	windows.FILE_NOTIFY_CHANGE_SIZE | windows.FILE_NOTIFY_CHANGE_LAST_WRITE | windows.FILE_NOTIFY_CHANGE_CREATION

// A dirHandle is an open directory with a request for its changes. The system
// writes to it, so it stays where it is until the request is done.
type dirHandle struct {
	asked    windows.Overlapped
	path     string
	tree     bool // reports what happens below as well
	handle   windows.Handle
	identity fileIdentity
	moved    bool     // the path leads elsewhere, or requests fail
	buf      []uint32 // aligned as the system wants it
}

// fileIdentity distinguishes the directories of all volumes.
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

// openPath opens a directory so that others may rename and delete it.
func openPath(path string, access, flags uint32) (windows.Handle, error) {
	name, err := anyLength(path)
	if err != nil {
		return 0, err
	}
	const share = windows.FILE_SHARE_READ | windows.FILE_SHARE_WRITE | windows.FILE_SHARE_DELETE
	return windows.CreateFile(name, access, share, nil, windows.OPEN_EXISTING, windows.FILE_FLAG_BACKUP_SEMANTICS|flags, 0)
}

// anyLength prepares an absolute, clean path for system calls that take at most 260
// characters of others.
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
		return fileIdentity{}, fmt.Errorf("not a directory: %w", fs.ErrNotExist)
	}
	return fileIdentity{info.VolumeSerialNumber, info.FileIndexHigh, info.FileIndexLow}, nil
}

// requireFolder returns an error if path does not lead to a directory.
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

// current reports whether the path still leads to the open directory.
func (h *dirHandle) current() bool {
	now, err := identityAt(h.path)
	return err == nil && now == h.identity
}

// request asks for the next changes.
func (h *dirHandle) request(event windows.Handle) error {
	h.asked = windows.Overlapped{HEvent: event}
	var none uint32
	return windows.ReadDirectoryChanges(h.handle, (*byte)(unsafe.Pointer(&h.buf[0])), uint32(4*len(h.buf)), h.tree, dirInterest, &none, &h.asked, 0)
}

// done reports whether the last request has come to its end.
func (h *dirHandle) done() bool {
	return windows.NTStatus(atomic.LoadUintptr(&h.asked.Internal)) != windows.STATUS_PENDING
}

// result returns what the request has brought, to be used until the next.
func (h *dirHandle) result() ([]byte, error) {
	var n uint32
	if err := windows.GetOverlappedResult(h.handle, &h.asked, &n, false); err != nil {
		return nil, err
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&h.buf[0])), 4*len(h.buf))[:n], nil
}

// close ends the request and closes the handle.
func (h *dirHandle) close(event windows.Handle) {
	windows.CancelIoEx(h.handle, &h.asked) // fails if the request is done
	for !h.done() {
		windows.WaitForSingleObject(event, 10) // the buffer must outlive the request
	}
	windows.CloseHandle(h.handle)
	windows.SetEvent(event) // others may have signaled it
}

// decode reads a buffer of FILE_NOTIFY_INFORMATION about a directory.
func (q *queue) decode(root string, b []byte, note func(event)) error {
	for {
		if len(b) < 12 {
			return fmt.Errorf("directory changes: %d bytes after the last", len(b))
		}
		next, action, length := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:]), binary.LittleEndian.Uint32(b[8:])
		if uint64(length) > uint64(len(b)-12) || length%2 != 0 || uint64(next) > uint64(len(b)) {
			return fmt.Errorf("directory changes: name of %d bytes among %d", length, len(b))
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

// tell notes one change of the entry that has a path.
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
		e.kind, e.cookie = movedTo, q.cookie // comes right after the old name
	default:
		if isFolder(path) {
			return // what happens in it is reported by itself
		}
		e.kind = written
	}
	note(e)
}

// longNamed finds a folder by a path with short names such as PICTUR~1. The
// system reports changes by the names that programs use.
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

// isFolder reports whether path is a folder now.
func isFolder(path string) bool {
	name, err := anyLength(path)
	if err != nil {
		return false
	}
	attributes, err := windows.GetFileAttributes(name)
	return err == nil && attributes&windows.FILE_ATTRIBUTE_DIRECTORY != 0
}
