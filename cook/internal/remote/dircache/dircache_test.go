package dircache

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/assetcook/assetcook/cook/internal/remote/messages"
	"github.com/assetcook/assetcook/cook/internal/remote/share"
	"github.com/assetcook/assetcook/internal/atomicfile"
)

// addressOf returns the address of a directory.
func addressOf(dir string) *url.URL {
	return &url.URL{Scheme: "file", Path: "/" + strings.TrimPrefix(filepath.ToSlash(dir), "/")}
}

func openDir(t *testing.T, dir string) share.Server {
	t.Helper()
	s, err := Open(t.Context(), addressOf(dir), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func write(t *testing.T, s share.Server, content []byte) (share.Digest, error) {
	d := share.SHA256.Of(content)
	return d, s.Write(t.Context(), d, func(offset int64) (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(content[offset:])), nil
	})
}

func read(t *testing.T, s share.Server, d share.Digest) ([]byte, error) {
	r, err := s.Read(t.Context(), d)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}

func lacks(t *testing.T, s share.Server, d share.Digest) bool {
	t.Helper()
	missing, err := s.Missing(t.Context(), []share.Digest{d})
	if err != nil {
		t.Fatal(err)
	}
	return len(missing) > 0
}

func TestPathOf(t *testing.T) {
	for address, want := range map[string][2]string{ // paths on Unix and on Windows; "" means an error
		"file:///mnt/nas/cook":          {"/mnt/nas/cook", ""},
		"file://localhost/mnt/nas/cook": {"/mnt/nas/cook", ""},
		"file:///mnt/a%20b%3Fc":         {"/mnt/a b?c", ""},
		"file:///C:/cook/a%20b":         {"/C:/cook/a b", `C:\cook\a b`},
		"file:///C:/":                   {"/C:/", `C:\`},
		"file://nas/share/cook":         {"", `\\nas\share\cook`},
		"file:///C:":                    {"/C:", ""},
		"file://nas":                    {"", ""},
		"file:///a?b":                   {"", ""},
		"file:///a#b":                   {"", ""},
	} {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		for i, want := range want {
			if got, err := pathOf(u, i == 1); got != want || (err == nil) != (want != "") {
				t.Errorf("%s, Windows %v: %q, %v; want %q", address, i == 1, got, err, want)
			}
		}
	}
}

// TestTornBlobIsReplaced checks that a blob with a wrong size counts as missing, and that an upload
// replaces it.
func TestTornBlobIsReplaced(t *testing.T) {
	dir := t.TempDir()
	s := openDir(t, dir)
	for _, size := range []int{0, 1, chunk, 2*chunk + 3, syncEvery, syncEvery + 1} {
		content := bytes.Repeat([]byte{7, 1, 9}, size/3+1)[:size]
		d := share.SHA256.Of(content)
		if !lacks(t, s, d) {
			t.Errorf("%d bytes exist before the upload", size)
		}
		if _, err := read(t, s, d); !errors.Is(err, share.ErrMissing) {
			t.Errorf("%d bytes before the upload: %v", size, err)
		}
		name := filepath.Join(dir, "cas", d.Hash)
		for _, torn := range [][]byte{nil, append(content[:len(content):len(content)], 1), content[:size/2]} {
			if torn != nil && len(torn) != size {
				if err := os.WriteFile(name, torn, 0o666); err != nil {
					t.Fatal(err)
				}
				if _, err := read(t, s, d); !lacks(t, s, d) || !errors.Is(err, share.ErrMissing) {
					t.Errorf("%d of %d bytes are not missing: %v", len(torn), size, err)
				}
			}
			if _, err := write(t, s, content); err != nil {
				t.Fatal(err)
			}
			if got, err := read(t, s, d); lacks(t, s, d) || err != nil || !bytes.Equal(got, content) {
				t.Errorf("%d bytes: read %d, %v", size, len(got), err)
			}
		}
	}
}

// TestFailedUploadLeavesNoFile checks that an upload with a wrong length or a read error leaves
// neither a blob nor a temporary file.
func TestFailedUploadLeavesNoFile(t *testing.T) {
	dir := t.TempDir()
	s := openDir(t, dir)
	content := bytes.Repeat([]byte("abc"), syncEvery)
	d := share.SHA256.Of(content)
	for name, from := range map[string]io.Reader{
		"short":  bytes.NewReader(content[:len(content)-1]),
		"long":   io.MultiReader(bytes.NewReader(content), strings.NewReader("d")),
		"broken": io.MultiReader(bytes.NewReader(content[:syncEvery+1]), brokenReader{}),
	} {
		err := s.Write(t.Context(), d, func(int64) (io.ReadCloser, error) { return io.NopCloser(from), nil })
		if err == nil || !lacks(t, s, d) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "cas", "*")); len(left) > 0 {
		t.Errorf("left files: %q", left)
	}
}

type brokenReader struct{}

func (brokenReader) Read([]byte) (int, error) { return 0, errors.New("broken") }

// TestMachinesWriteTheSameBlob lets several machines write and read the same blob and result at
// once. No reader may see a partial file.
func TestMachinesWriteTheSameBlob(t *testing.T) {
	dir := t.TempDir()
	content := bytes.Repeat([]byte("0123456789"), 30_000)
	d := share.SHA256.Of(content)
	want := &messages.ActionResult{StdoutRaw: content[:1000]}
	var all sync.WaitGroup
	for range 8 {
		s := openDir(t, dir)
		all.Go(func() {
			for range 5 {
				if _, err := write(t, s, content); err != nil {
					t.Error(err)
				}
				if err := s.PutResult(t.Context(), d, want); err != nil {
					t.Error(err)
				}
				if got, err := read(t, s, d); err != nil || !bytes.Equal(got, content) {
					t.Errorf("read %d bytes, %v", len(got), err)
				}
				if r, err := s.Result(t.Context(), d); err != nil || !bytes.Equal(r.StdoutRaw, want.StdoutRaw) {
					t.Errorf("result: %v", err)
				}
			}
		})
	}
	all.Wait()
	left, _ := filepath.Glob(filepath.Join(dir, "*", atomicfile.Prefix+"*"))
	if len(left) > 0 {
		t.Errorf("left files: %q", left)
	}
}

// TestHashesStayInside checks that a hash from a malicious result does not open another file.
func TestHashesStayInside(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "secret"), []byte("secret"), 0o666); err != nil {
		t.Fatal(err)
	}
	s := openDir(t, dir)
	if _, err := write(t, s, nil); err != nil { // makes the directory cas
		t.Fatal(err)
	}
	for _, hash := range []string{"../secret", "", ".", strings.Repeat("../", 20) + "etc", strings.Repeat("A", 64), strings.Repeat("/", 64)} {
		d := share.Digest{Hash: hash, Size: 6}
		if _, err := read(t, s, d); !errors.Is(err, share.ErrMissing) {
			t.Errorf("read %q: %v", hash, err)
		}
		if _, err := s.Result(t.Context(), d); !errors.Is(err, share.ErrMissing) {
			t.Errorf("result %q: %v", hash, err)
		}
		if !lacks(t, s, d) {
			t.Errorf("%q is not missing", hash)
		}
		if err := s.PutResult(t.Context(), d, &messages.ActionResult{}); err == nil {
			t.Errorf("wrote %q", hash)
		}
	}
	outside := filepath.Join(t.TempDir(), "outside")
	if err := os.WriteFile(outside, []byte("secret"), 0o666); err != nil {
		t.Fatal(err)
	}
	d := share.SHA256.Of([]byte("secret"))
	if err := os.Symlink(outside, filepath.Join(dir, "cas", d.Hash)); err != nil {
		t.Skip(err)
	}
	if content, err := read(t, s, d); err == nil {
		t.Errorf("read %q through a link", content)
	}
	if _, err := write(t, s, []byte("secret")); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(filepath.Join(dir, "cas", d.Hash)); err != nil || !info.Mode().IsRegular() {
		t.Errorf("the link was not replaced: %v", err)
	}
}

func TestDirectoryMustExist(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{filepath.Join(dir, "none"): "create the directory", file: "not a directory"} {
		_, err := Open(t.Context(), addressOf(name), nil)
		if err == nil || !strings.Contains(err.Error(), want) || errors.Is(err, share.ErrUnavailable) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "none")); err == nil {
		t.Error("the directory was created")
	}
}

func TestReadOnlyDirectoryRefusesUploads(t *testing.T) {
	if runtime.GOOS == "windows" || os.Getuid() == 0 {
		t.Skip("needs permissions that the user cannot override")
	}
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	s := openDir(t, dir)
	if d, err := write(t, s, []byte("x")); !errors.Is(err, share.ErrRefused) || !lacks(t, s, d) {
		t.Errorf("%v", err)
	}
}

func TestErrorsOfFileSystems(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("other numbers")
	}
	for number, want := range map[syscall.Errno]error{
		syscall.ENOENT: share.ErrMissing, syscall.EACCES: share.ErrRefused, syscall.EPERM: share.ErrRefused, syscall.EROFS: share.ErrRefused,
		syscall.ENOSPC: share.ErrFull, syscall.EDQUOT: share.ErrFull, syscall.EFBIG: share.ErrTooLarge, syscall.EIO: share.ErrUnavailable,
		syscall.ESTALE: share.ErrUnavailable,
	} {
		if err := serverError(&os.PathError{Op: "open", Path: "x", Err: number}); !errors.Is(err, want) {
			t.Errorf("%v: %v, want %v", number, err, want)
		}
	}
}

// TestPermissionsOfTheDirectory checks that other users can use the files of a directory that all
// may write, although the umask of this user forbids it.
func TestPermissionsOfTheDirectory(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no permissions")
	}
	dir := t.TempDir()
	for mode, want := range map[os.FileMode][2]os.FileMode{0o777: {0o777, 0o666}, 0o750: {0o750, 0o640}} {
		sub := filepath.Join(dir, mode.String())
		if err := os.Mkdir(sub, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(sub, mode); err != nil {
			t.Fatal(err)
		}
		d, err := write(t, openDir(t, sub), []byte("x"))
		if err != nil {
			t.Fatal(err)
		}
		for i, name := range []string{"cas", "cas/" + d.Hash} {
			if info, err := os.Stat(filepath.Join(sub, name)); err != nil || info.Mode().Perm() != want[i] {
				t.Errorf("%s in %v: %v, %v", name, mode, info.Mode(), err)
			}
		}
	}
}

// TestHungFileSystemEndsRequests blocks all calls, as a NAS does that is switched off. Requests must
// end with their context, the number of blocked calls is limited, and later calls work when the file
// system answers again.
func TestHungFileSystemEndsRequests(t *testing.T) {
	s := &server{slots: make(chan struct{}, maxCalls)}
	blocked, begun := make(chan struct{}), make(chan struct{}, 10*maxCalls)
	values := make(chan int, 10*maxCalls) // values that arrive too late
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	for i := range 4 * maxCalls {
		all.Go(func() {
			_, err := await(ctx, s, func() (int, error) {
				begun <- struct{}{}
				<-blocked
				return i, nil
			}, func(i int) { values <- i })
			if !errors.Is(err, share.ErrUnavailable) {
				t.Errorf("%v", err)
			}
		})
	}
	for range maxCalls {
		<-begun
	}
	cancel()
	all.Wait()
	if len(begun) > 0 {
		t.Errorf("%d calls too many", len(begun))
	}
	if _, err := await(ctx, s, func() (int, error) { return 0, nil }, nil); !errors.Is(err, share.ErrUnavailable) {
		t.Errorf("after the end: %v", err)
	}
	close(blocked)
	for range maxCalls {
		<-values
	}
	if n, err := await(t.Context(), s, func() (int, error) { return 5, nil }, nil); n != 5 || err != nil {
		t.Errorf("afterwards: %d, %v", n, err)
	}
}
