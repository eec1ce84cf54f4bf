// Package mapped maps files into memory.
package mapped

import (
	"io"
	"os"
)

// A File is the content of a file in private memory. Writing to this memory does not change the
// file.
type File struct {
	Data []byte
	free func([]byte) error
}

// small is the maximum size in bytes of a file that is read instead of mapped.
const small = 64 << 10

// Of returns the content of an open file, which may be closed afterwards. It maps the file if the
// system supports that, otherwise it reads the file. If another process truncates a mapped file,
// access to the missing part faults; see [runtime/debug.SetPanicOnFault].
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

// Part is like Of for a range of an open file, but the bytes must not be written to. So the system
// reserves no memory for them, and the range may be large.
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

// Release frees the memory of Data[from:to]. The next access loads these bytes from the file again,
// so they must not have been written to.
func (f *File) Release(from, to int) {
	if f.free != nil && f.Data != nil {
		release(f.Data, from, to)
	}
}

// Close frees the memory. Data must not be used afterwards.
func (f *File) Close() error {
	data := f.Data
	f.Data = nil
	if f.free == nil || data == nil {
		return nil
	}
	return f.free(data)
}
