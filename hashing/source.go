package hashing

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
)

// A source is an open file. Its errors name the file.
type source interface {
	io.Reader
	io.ReaderAt
	io.Closer
	stamp() (stamp, error)
}

// A stamp is the system's information about a file.
type stamp struct {
	kind  kind
	size  int64
	mtime int64 // nanoseconds since 1970
}

type kind int

const (
	other kind = iota // devices and other special files
	regular
	folder
	pipe // named pipes
)

// An osFile is a source that uses package os, which can wait for pipes.
type osFile struct{ *os.File }

func (f osFile) stamp() (stamp, error) {
	info, err := f.Stat()
	if err != nil {
		return stamp{}, err
	}
	return stampOf(info), nil
}

func stampOf(info fs.FileInfo) stamp {
	s := stamp{size: info.Size(), mtime: info.ModTime().UnixNano()}
	switch mode := info.Mode(); {
	case mode.IsRegular():
		s.kind = regular
	case mode.IsDir():
		s.kind = folder
	case mode&fs.ModeNamedPipe != 0:
		s.kind = pipe
	}
	return s
}

// openForSum opens a file for reading. It also returns a stamp that was taken just before.
func openForSum(ctx context.Context, name string) (source, stamp, error) {
	before, err := stampAt(name)
	if err != nil {
		return nil, stamp{}, err
	}
	var f source
	switch before.kind {
	case folder:
		err = fileError(name, errors.New("is a directory"))
	case regular:
		f, err = openRegular(name)
	case pipe:
		f, err = openPipe(ctx, name)
	default:
		var device *os.File
		device, err = os.Open(name)
		f = osFile{device}
	}
	if err != nil {
		return nil, stamp{}, err
	}
	return f, before, nil
}

// openPipe opens a named pipe, and waits for its writer. If ctx ends first, openPipe returns. The
// waiting goroutine then closes the pipe if it opens later.
func openPipe(ctx context.Context, name string) (source, error) {
	type result struct {
		f   *os.File
		err error
	}
	opened := make(chan result)
	go func() {
		f, err := os.Open(name)
		select {
		case opened <- result{f, err}:
		case <-ctx.Done():
			f.Close() // f is nil after an error, which Close allows
		}
	}()
	select {
	case r := <-opened:
		return osFile{r.f}, r.err
	case <-ctx.Done():
		return nil, fileError(name, ctx.Err())
	}
}

// unchanged compares an open file with its earlier stamp. It accepts any length for files that the
// system generates. They report a size of 0 or a page, and their times do not change.
func unchanged(f source, name string, before stamp) error {
	after, err := f.stamp()
	if err != nil {
		return err
	}
	if after.size != before.size || after.mtime != before.mtime {
		return fileError(name, ErrChanged)
	}
	return nil
}

func fileError(name string, err error) error {
	return &fs.PathError{Op: "sum", Path: name, Err: err}
}
