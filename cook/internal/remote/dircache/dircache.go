// Package dircache keeps results in a directory that several machines mount, such as a directory of
// a NAS. The directory has the files of package webcache: ac/HASH has an ActionResult message, and
// cas/HASH has a blob. An HTTP server that serves the directory therefore shares the same results.
// The digest function is SHA-256.
//
// Any number of machines may use the directory at the same time, without locks. A file is written
// under another name, synced, and renamed, so a reader sees either no file or a complete file. A
// blob with a wrong size counts as missing, and the next upload replaces it. The mtime of a file is
// the time of its last use, and [Trim] removes the least recently used files.
//
// A network file system may block a system call for as long as its server does not answer.
// Therefore each call runs in its own goroutine, and a request ends with its context. A blocked call
// occupies one of the server's slots until the system returns, so the number of blocked calls is
// limited.
package dircache

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/assetcook/assetcook/cook/internal/remote/messages"
	"github.com/assetcook/assetcook/cook/internal/remote/share"
	"github.com/assetcook/assetcook/internal/atomicfile"
	"github.com/assetcook/assetcook/internal/confine"
	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/internal/regular"
)

const (
	maxCalls  = 32      // limit of the concurrent calls
	batch     = 1 << 20 // limit of the bytes of blobs in one call of the Server methods
	maxResult = 8 << 20 // size limit of an ActionResult
	chunk     = 1 << 20 // number of bytes that one call reads
	syncEvery = 4 << 20 // number of bytes that an upload writes between two syncs
)

type server struct {
	dir   *confine.Dir
	mode  fs.FileMode // permissions of the directory, which its files get, too
	meter *share.Meter
	slots chan struct{} // has a value for each call that the system has not ended
	// marking counts the trees whose files are being marked as used.
	marking sync.WaitGroup
}

// Open opens the directory of an address: file:///PATH, or file://HOST/SHARE on Windows. The
// directory must exist: if it were created, results would get lost in the mount point of a NAS that
// is not mounted. meter may be nil.
func Open(ctx context.Context, address *url.URL, meter *share.Meter) (share.Server, error) {
	name, err := pathOf(address, runtime.GOOS == "windows")
	if err != nil {
		return nil, err
	}
	s := &server{meter: meter, slots: make(chan struct{}, maxCalls)}
	return await(ctx, s, func() (share.Server, error) {
		info, err := os.Stat(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil, errors.New("the directory does not exist; mount its file system, or create the directory")
		case err != nil:
			return nil, serverError(err)
		case !info.IsDir():
			return nil, errors.New("this is not a directory")
		}
		s.mode = info.Mode()
		if s.dir, err = confine.Open(name); err != nil {
			return nil, serverError(err)
		}
		return s, nil
	}, func(s share.Server) { s.Close() })
}

// pathOf returns the path of the directory at an address.
func pathOf(address *url.URL, windows bool) (string, error) {
	name, host := address.Path, address.Host
	if strings.EqualFold(host, "localhost") {
		host = ""
	}
	switch {
	case address.RawQuery != "" || address.ForceQuery || address.Fragment != "":
		return "", errors.New("write %3F for ? and %23 for # in the path")
	case !strings.HasPrefix(name, "/"):
		return "", errors.New("want an absolute path, file:///PATH")
	case !windows && host != "":
		return "", fmt.Errorf("file://%s/ works only on Windows; mount the share, and name its directory by file:///PATH", pathname.Show(host))
	case !windows:
		return name, nil
	case host != "":
		return `\\` + host + strings.ReplaceAll(name, "/", `\`), nil
	case len(name) < 4 || name[2] != ':' || name[3] != '/':
		return "", errors.New("want a path with a drive or a share, file:///C:/PATH or file://HOST/SHARE")
	}
	return strings.ReplaceAll(name[1:], "/", `\`), nil
}

// await runs a call, and returns its result or, when ctx ends first, an error. In the second case,
// late gets the value of a successful call, if late is not nil.
func await[T any](ctx context.Context, s *server, call func() (T, error), late func(T)) (T, error) {
	type result struct {
		value T
		err   error
	}
	ended := fmt.Errorf("%w: the file system does not answer", share.ErrUnavailable)
	select {
	case s.slots <- struct{}{}:
	case <-ctx.Done():
		return *new(T), ended
	}
	done := make(chan result)
	go func() {
		value, err := call()
		<-s.slots
		s.meter.NoteByte()
		select {
		case done <- result{value, err}:
		case <-ctx.Done():
			if err == nil && late != nil {
				late(value)
			}
		}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		return *new(T), ended
	}
}

// serverError adds the kind of a failure to the error of a file operation.
func serverError(err error) error {
	kind := share.ErrUnavailable
	var number syscall.Errno
	errors.As(err, &number)
	windows := runtime.GOOS == "windows"
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, regular.ErrNot):
		return share.ErrMissing
	case errors.Is(err, fs.ErrPermission), number == syscall.EROFS, windows && number == 19: // ERROR_WRITE_PROTECT
		kind = share.ErrRefused
	case number == syscall.ENOSPC, number == syscall.EDQUOT, windows && (number == 39 || number == 112): // ERROR_HANDLE_DISK_FULL, ERROR_DISK_FULL
		kind = share.ErrFull
	case number == syscall.EFBIG:
		kind = share.ErrTooLarge
	}
	return fmt.Errorf("%w: %w", kind, err)
}

// fileOf returns the path of a file below the directory. Hashes come from results, which other
// machines wrote.
func fileOf(kind, hash string) (string, error) {
	if len(hash) != 64 || strings.Trim(hash, "0123456789abcdef") != "" {
		return "", share.ErrMissing
	}
	return path.Join(kind, hash), nil
}

func (s *server) Traits() share.Traits {
	return share.Traits{Function: share.SHA256, Batch: batch, Uploads: true}
}

// Close does not wait, because closing the directory may block as well.
func (s *server) Close() error {
	marked := make(chan struct{})
	go func() {
		s.marking.Wait()
		close(marked)
		s.dir.Close()
	}()
	select {
	case <-marked:
	case <-time.After(mostMarking):
	}
	return nil
}

func (s *server) Result(ctx context.Context, action share.Digest) (*messages.ActionResult, error) {
	name, err := fileOf("ac", action.Hash)
	if err != nil {
		return nil, err
	}
	return await(ctx, s, func() (*messages.ActionResult, error) {
		f, err := s.dir.OpenFile(name)
		if err != nil {
			return nil, serverError(err)
		}
		defer f.Close()
		info, err := f.Stat()
		if err != nil {
			return nil, serverError(err)
		}
		data, err := io.ReadAll(io.LimitReader(f, maxResult+1))
		if err != nil {
			return nil, serverError(err)
		}
		r := &messages.ActionResult{}
		if len(data) > maxResult || messages.Unmarshal(data, r) != nil {
			return &messages.ActionResult{}, nil // an empty result is a miss
		}
		s.markResultUsed(name, info.ModTime(), r)
		return r, nil
	}, nil)
}

func (s *server) PutResult(ctx context.Context, action share.Digest, r *messages.ActionResult) error {
	return s.writeFile(ctx, "ac", action.Hash, func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(messages.Marshal(r))), nil
	}, -1)
}

func (s *server) Missing(ctx context.Context, digests []share.Digest) (missing []share.Digest, err error) {
	absent := make([]bool, len(digests))
	err = share.Each(len(digests), func(i int) error {
		name, err := fileOf("cas", digests[i].Hash)
		if err != nil {
			absent[i] = true
			return nil
		}
		absent[i], err = await(ctx, s, func() (bool, error) {
			has, err := s.hasFile(name, digests[i].Size)
			return !has, err
		}, nil)
		return err
	})
	for i, d := range digests {
		if absent[i] {
			missing = append(missing, d)
		}
	}
	return missing, err
}

// hasFile reports whether a regular file has a size, and marks the file as used.
func (s *server) hasFile(name string, size int64) (bool, error) {
	info, err := s.dir.Stat(name)
	if err = serverError(err); err != nil {
		if errors.Is(err, share.ErrMissing) {
			err = nil
		}
		return false, err
	}
	if !info.Mode().IsRegular() || info.Size() != size {
		return false, nil
	}
	return !errors.Is(s.markUsed(name, info.ModTime()), fs.ErrNotExist), nil // Trim may have removed the file
}

func (s *server) ReadSmall(ctx context.Context, digests []share.Digest, each func(int, []byte, error)) error {
	return share.ReadEach(ctx, s, digests, each)
}

func (s *server) WriteSmall(ctx context.Context, digests []share.Digest, contents [][]byte) error {
	return share.WriteEach(ctx, s, digests, contents)
}

// A reader reads a blob.
type reader struct {
	s      *server
	ctx    context.Context
	file   io.ReadCloser
	left   int64  // number of bytes that were not read from file
	buffer []byte // not used after an interrupted call, because the system may still write to it
	ahead  []byte // part of buffer that was not read from the reader
	err    error  // error of all further calls
	close  sync.Once
}

func (s *server) Read(ctx context.Context, d share.Digest) (io.ReadCloser, error) {
	name, err := fileOf("cas", d.Hash)
	if err != nil {
		return nil, err
	}
	return await(ctx, s, func() (io.ReadCloser, error) {
		f, err := s.dir.OpenFile(name)
		if err != nil {
			return nil, serverError(err)
		}
		info, err := f.Stat()
		if err = serverError(err); err == nil && info.Size() != d.Size {
			err = share.ErrMissing // the file is torn
		}
		r := &reader{s: s, ctx: ctx, file: f, left: d.Size}
		if err == nil {
			s.markUsed(name, info.ModTime())
			r.buffer = make([]byte, min(chunk, d.Size))
			r.ahead, err = readFull(f, r.buffer) // a small blob needs no further call
			r.left -= int64(len(r.ahead))
		}
		if err != nil {
			f.Close()
			return nil, err
		}
		return r, nil
	}, func(r io.ReadCloser) { r.Close() })
}

// readFull fills a buffer. A file that ends too early is an error.
func readFull(f io.Reader, buffer []byte) ([]byte, error) {
	n, err := io.ReadFull(f, buffer)
	return buffer[:n], serverError(err)
}

func (r *reader) Read(p []byte) (int, error) {
	if len(r.ahead) == 0 && r.left > 0 && r.err == nil {
		buffer := r.buffer[:min(chunk, r.left)]
		r.ahead, r.err = await(r.ctx, r.s, func() ([]byte, error) { return readFull(r.file, buffer) }, nil)
		r.left -= int64(len(r.ahead))
	}
	n := copy(p, r.ahead)
	r.ahead = r.ahead[n:]
	switch {
	case n > 0 || len(p) == 0:
		return n, nil
	case r.err != nil:
		return 0, r.err
	}
	return 0, io.EOF
}

// Close does not wait for a blocked call.
func (r *reader) Close() error {
	r.close.Do(func() { go r.file.Close() })
	return nil
}

func (s *server) Write(ctx context.Context, d share.Digest, open func(offset int64) (io.ReadCloser, error)) error {
	return s.writeFile(ctx, "cas", d.Hash, func() (io.ReadCloser, error) { return open(0) }, d.Size)
}

// writeFile writes a file atomically. size is the size of its content, or negative if unknown.
func (s *server) writeFile(ctx context.Context, kind, hash string, open func() (io.ReadCloser, error), size int64) error {
	name, err := fileOf(kind, hash)
	if err != nil {
		return fmt.Errorf("%s is not a hash", pathname.Show(hash))
	}
	_, err = await(ctx, s, func() (none struct{}, err error) {
		src, err := open()
		if err != nil {
			return none, err
		}
		defer src.Close()
		f, err := s.createFile(kind)
		if err != nil {
			return none, err
		}
		defer f.Discard()
		if err := s.copySynced(ctx, f, src, size); err != nil {
			return none, err
		}
		if ctx.Err() != nil {
			return none, ctx.Err()
		}
		if err = f.Commit(name); err != nil {
			if has, _ := s.hasFile(name, size); has {
				err = nil // another machine has written the file, and has it open
			}
		}
		return none, serverError(err)
	}, nil)
	return err
}

// createFile creates a temporary file in the directory of a kind of files.
func (s *server) createFile(kind string) (*atomicfile.File, error) {
	f, err := atomicfile.CreateIn(s.dir.Root(), kind, 0o666)
	if errors.Is(err, fs.ErrNotExist) {
		if err = s.dir.Root().Mkdir(kind, 0o777); err == nil {
			// Without the umask, other users of the directory can write, too. The error is ignored,
			// because some file systems have no permissions.
			s.dir.Root().Chmod(kind, s.mode&(fs.ModePerm|fs.ModeSetgid))
		}
		if err == nil || errors.Is(err, fs.ErrExist) {
			f, err = atomicfile.CreateIn(s.dir.Root(), kind, 0o666)
		}
	}
	if err != nil {
		if err = serverError(err); errors.Is(err, share.ErrMissing) {
			err = fmt.Errorf("%w: the directory has disappeared", share.ErrUnavailable)
		}
		return nil, err
	}
	// Without the umask, other users can read the file. The error is ignored for the same reason.
	f.Chmod(s.mode & 0o666)
	return f, nil
}

// copySynced copies the content of src, and waits until it is on disk. It syncs while it copies, so
// that no single call takes long.
func (s *server) copySynced(ctx context.Context, f *atomicfile.File, src io.Reader, size int64) error {
	var written int64
	for {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		n, err := io.CopyN(f, src, syncEvery)
		written += n
		if err != nil && err != io.EOF {
			return serverError(err)
		}
		if size >= 0 && (written > size || err == io.EOF && written < size) {
			return fmt.Errorf("the content has not the expected %d bytes", size)
		}
		// Some network and user-space file systems cannot sync.
		if wrong := f.Sync(); wrong != nil && !errors.Is(wrong, syscall.EINVAL) && !errors.Is(wrong, errors.ErrUnsupported) {
			return serverError(wrong)
		}
		s.meter.NoteByte()
		if err == io.EOF {
			return nil
		}
	}
}
