package confine

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"syscall"
	"unsafe"

	"golang.org/x/sys/windows"
)

func isNotEmpty(err error) bool { return errors.Is(err, syscall.ERROR_DIR_NOT_EMPTY) }

// removeByHandle removes a file or an empty directory in the way that all versions of Windows and
// all drives support. It does not follow a symbolic link; os.Root looks up the directory.
func removeByHandle(root *os.Root, name string) error {
	err := removeIn(root, path.Dir(name), path.Base(name))
	if err != nil {
		err = &fs.PathError{Op: "removeat", Path: name, Err: err}
	}
	return err
}

func removeIn(root *os.Root, dir, name string) error {
	parent, err := root.Open(dir)
	if err != nil {
		return err
	}
	defer parent.Close()
	h, err := openToDelete(windows.Handle(parent.Fd()), name, windows.DELETE|windows.FILE_READ_ATTRIBUTES|windows.FILE_WRITE_ATTRIBUTES)
	if err != nil {
		return err
	}
	defer windows.CloseHandle(h)
	var info windows.ByHandleFileInformation
	if err := windows.GetFileInformationByHandle(h, &info); err == nil && info.FileAttributes&windows.FILE_ATTRIBUTE_READONLY != 0 {
		if err := setAttributes(h, info.FileAttributes&^windows.FILE_ATTRIBUTE_READONLY); err != nil {
			return err
		}
	}
	remove := byte(1)
	return windows.SetFileInformationByHandle(h, windows.FileDispositionInfo, &remove, 1)
}

// openToDelete opens a file of a directory, but never the target of a link.
func openToDelete(dir windows.Handle, name string, access uint32) (windows.Handle, error) {
	text, err := windows.NewNTUnicodeString(name)
	if err != nil {
		return 0, err
	}
	attributes := windows.OBJECT_ATTRIBUTES{RootDirectory: dir, ObjectName: text}
	attributes.Length = uint32(unsafe.Sizeof(attributes))
	var h windows.Handle
	err = windows.NtCreateFile(&h, access, &attributes, &windows.IO_STATUS_BLOCK{}, nil, 0,
		windows.FILE_SHARE_READ|windows.FILE_SHARE_WRITE|windows.FILE_SHARE_DELETE, windows.FILE_OPEN,
		windows.FILE_OPEN_REPARSE_POINT|windows.FILE_OPEN_FOR_BACKUP_INTENT, 0, 0)
	if status, ok := err.(windows.NTStatus); ok {
		err = status.Errno()
	}
	return h, err
}

// setAttributes sets a file's attributes without changing its times.
func setAttributes(h windows.Handle, attributes uint32) error {
	basic := struct {
		times      [4]int64 // the four times of a file; 0 leaves a time unchanged
		attributes uint32
		_          uint32
	}{attributes: attributes}
	return windows.SetFileInformationByHandle(h, windows.FileBasicInfo, (*byte)(unsafe.Pointer(&basic)), uint32(unsafe.Sizeof(basic)))
}
