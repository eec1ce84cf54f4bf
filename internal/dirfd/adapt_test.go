package dirfd

import (
	"io"
	"io/fs"
)

// folderOf is the common interface of Directory and its implementations. F is the type of
// directories, and H is the type of files.
type folderOf[F, H any] interface {
	*F
	Sub(path []byte, beneath bool) (F, error)
	Info(into *Info) error
	Stat(name []byte, follow bool, into *Info) error
	Read(name []byte, want int64, ask bool, buf []byte) (n int, end, busy bool, err error)
	OpenFile(name []byte, into *Info) (H, error)
	Create(name []byte, perm fs.FileMode, data []byte, into *Info) error
	Close() error
}

type fileOf[H any] interface {
	*H
	io.ReadCloser
	io.ReaderAt
}

// described is an open file and its Info, which was read when the file was opened.
type described[F interface {
	io.ReadCloser
	io.ReaderAt
}] struct {
	file F
	info Info
}

func (d described[F]) Read(b []byte) (int, error)             { return d.file.Read(b) }
func (d described[F]) ReadAt(b []byte, at int64) (int, error) { return d.file.ReadAt(b, at) }
func (d described[F]) Close() error                           { return d.file.Close() }
func (d described[F]) Info() Info                             { return d.info }

// adapted converts the directory type of any implementation to the interface named opened.
type adapted[F, H any, PF folderOf[F, H], PH fileOf[H]] struct{ f PF }

func adapt[F, H any, PF folderOf[F, H], PH fileOf[H]](f PF) opened {
	return adapted[F, H, PF, PH]{f}
}

// opener converts a function that opens a directory of type F. The new function returns the same
// directory as the interface named opened.
func opener[F, H any, PF folderOf[F, H], PH fileOf[H]](open func(string) (F, error)) func(string) (opened, error) {
	return func(name string) (opened, error) {
		f, err := open(name)
		return adapted[F, H, PF, PH]{&f}, err
	}
}

func (a adapted[F, H, PF, PH]) Sub(path string, beneath bool) (opened, error) {
	sub, err := a.f.Sub(z(path), beneath)
	return adapted[F, H, PF, PH]{&sub}, err
}

func (a adapted[F, H, PF, PH]) Info(into *Info) error { return a.f.Info(into) }

func (a adapted[F, H, PF, PH]) Stat(name string, follow bool, into *Info) error {
	return a.f.Stat(z(name), follow, into)
}

func (a adapted[F, H, PF, PH]) Read(name string, want int64, buf []byte) (int, bool, error) {
	n, end, _, err := a.f.Read(z(name), want, true, buf)
	return n, end, err
}

func (a adapted[F, H, PF, PH]) OpenFile(name string) (openedFile, error) {
	var info Info
	file, err := a.f.OpenFile(z(name), &info)
	return described[PH]{PH(&file), info}, err
}

func (a adapted[F, H, PF, PH]) Create(name string, perm fs.FileMode, data []byte, into *Info) error {
	return a.f.Create(z(name), perm, data, into)
}

func (a adapted[F, H, PF, PH]) Close() error { return a.f.Close() }
