package scan

import (
	"bytes"
	"encoding/binary"
	"io/fs"
	"unsafe"

	"golang.org/x/sys/unix"
)

// appendNames reads the entries of the directory with their types. All names of one system call
// share a string.
func (f *unixFolder) appendNames(names []string, special map[string]bool, buf []byte) ([]string, error) {
	const (
		lengthAt = unsafe.Offsetof(unix.Dirent{}.Reclen)
		typeAt   = unsafe.Offsetof(unix.Dirent{}.Type)
		nameAt   = unsafe.Offsetof(unix.Dirent{}.Name)
	)
	for {
		n, err := unix.Getdents(f.fd, buf)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			return names, &fs.PathError{Op: "readdirent", Path: f.Name(), Err: err}
		}
		if n == 0 {
			return names, nil
		}
		text := string(buf[:n])
		for at := 0; at < n; {
			length := int(binary.NativeEndian.Uint16(buf[at+int(lengthAt):]))
			begin := at + int(nameAt)
			end := begin + bytes.IndexByte(buf[begin:at+length], 0)
			name, kind := text[begin:end], buf[at+int(typeAt)]
			at += length
			if name == "." || name == ".." {
				continue
			}
			if kind != unix.DT_REG {
				special[name] = true
			}
			names = append(names, name)
		}
	}
}
