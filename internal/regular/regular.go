// Package regular opens only regular files, and never blocks. Opening a named pipe would block
// until another process opens its other end.
package regular

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// ErrNot is wrapped by every error about a file that is not regular.
var ErrNot = errors.New("not a regular file")

// Open opens a regular file for reading, following symbolic links. On all systems the file can be
// removed and replaced while it is open.
func Open(name string) (*os.File, error) { return Check(openShared(name)) }

// Check receives the results of opening a file with the flag NoWait, and returns them. If the file
// is not regular, Check closes it and returns an error.
func Check(f *os.File, err error) (*os.File, error) {
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = &fs.PathError{Op: "open", Path: f.Name(), Err: Mode(info.Mode())}
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// Mode returns nil for the mode of a regular file. For other modes it returns an error that wraps
// ErrNot and names the kind of file.
func Mode(m fs.FileMode) error {
	switch {
	case m.IsRegular():
		return nil
	case m.IsDir():
		return fmt.Errorf("this is a directory, %w", ErrNot)
	case m&fs.ModeNamedPipe != 0:
		return fmt.Errorf("this is a pipe, %w", ErrNot)
	case m&fs.ModeSocket != 0:
		return fmt.Errorf("this is a socket, %w", ErrNot)
	case m&fs.ModeDevice != 0:
		return fmt.Errorf("this is a device, %w", ErrNot)
	case m&fs.ModeSymlink != 0:
		return fmt.Errorf("this is a link, %w", ErrNot)
	}
	return fmt.Errorf("this is a special file, %w", ErrNot)
}
