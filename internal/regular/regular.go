// Package regular opens regular files and nothing else, and never waits: a pipe
// that took a file's place would block whoever opens it for as long as the other
// end is not open.
package regular

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// ErrNot is what the error wraps about anything but a regular file.
var ErrNot = errors.New("not a regular file")

// Open opens a regular file for reading, or one that a link leads to. On all systems
// the file can be removed and replaced while it is open.
func Open(name string) (*os.File, error) { return Check(openShared(name)) }

// Check passes on what a call that opens a file with the flag NoWait returns, and
// closes the file if it is not a regular one.
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

// Mode returns an error, which wraps ErrNot and says what the file is, unless its
// mode is that of a regular file.
func Mode(m fs.FileMode) error {
	switch {
	case m.IsRegular():
		return nil
	case m.IsDir():
		return fmt.Errorf("is a folder, %w", ErrNot)
	case m&fs.ModeNamedPipe != 0:
		return fmt.Errorf("is a pipe, %w", ErrNot)
	case m&fs.ModeSocket != 0:
		return fmt.Errorf("is a socket, %w", ErrNot)
	case m&fs.ModeDevice != 0:
		return fmt.Errorf("is a device, %w", ErrNot)
	case m&fs.ModeSymlink != 0:
		return fmt.Errorf("is a link, %w", ErrNot)
	}
	return fmt.Errorf("is special, %w", ErrNot)
}
