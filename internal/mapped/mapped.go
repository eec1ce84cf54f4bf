// Package mapped reads files in place.
package mapped

import (
	"io"
	"os"
)

// A File is the content of a file in memory of the caller's own: it can be
// written to, and what is written stays there.
type File struct {
	Data []byte
	free func([]byte) error
}

// small is up to which size a file is rather read.
const small = 64 << 10

// Of returns the content of an open file, which may be closed then: mapped where the
// system can do that, read otherwise. If another process cuts a mapped file, access to
// what is missing is a fault; see [runtime/debug.SetPanicOnFault].
func Of(f *os.File) (*File, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if size := info.Size(); size > small && size == int64(int(size)) {
		if data, free, err := mapFile(f, 0, int(size), true); err == nil {
			return &File{Data: data, free: free}, nil
		}
	}
	data, err := io.ReadAll(f)
	return &File{Data: data}, err
}

// Part returns bytes of an open file, which may be closed then, as Of does; but they must not
// be written to. The system has no memory set aside for them, however many they are.
func Part(f *os.File, offset int64, size int) (*File, error) {
	before := int(offset % int64(os.Getpagesize()))
	if size > small {
		if data, free, err := mapFile(f, offset-int64(before), before+size, false); err == nil {
			return &File{Data: data[before:], free: func([]byte) error { return free(data) }}, nil
		}
	}
	data := make([]byte, size)
	if n, err := f.ReadAt(data, offset); n < size {
		return nil, err
	}
	return &File{Data: data}, nil
}

// Release gives the memory of the bytes from up to to back until they are used again. They
// must not have been written to: what the file has is what comes back.
func (f *File) Release(from, to int) {
	if f.free != nil && f.Data != nil {
		release(f.Data, from, to)
	}
}

// Close gives the memory back. Data must not be used any more.
func (f *File) Close() error {
	data := f.Data
	f.Data = nil
	if f.free == nil || data == nil {
		return nil
	}
	return f.free(data)
}
