package regular

import (
	"io/fs"
	"os"

	"golang.org/x/sys/windows"
)

// NoWait is 0, because this system does not need it.
const NoWait = 0

// openShared opens a file so that other programs can remove and replace it. os.Open does not allow
// this.
func openShared(name string) (*os.File, error) {
	text, err := windows.UTF16PtrFromString(name)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	h, err := windows.CreateFile(text, windows.GENERIC_READ, windows.FILE_SHARE_READ|windows.FILE_SHARE_WRITE|windows.FILE_SHARE_DELETE,
		nil, windows.OPEN_EXISTING, windows.FILE_ATTRIBUTE_NORMAL|windows.FILE_FLAG_BACKUP_SEMANTICS, 0)
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return os.NewFile(uintptr(h), name), nil
}
