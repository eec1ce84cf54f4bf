package store

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// clones lists the possible reactions of a file system to a reflink request. None of them may
// change the result: wrong copies must be detected.
var clones = map[string]func(dst, src *os.File) error{
	"real": nil, // real behavior of the test's file system
	"works": func(dst, src *os.File) error {
		_, err := io.Copy(io.NewOffsetWriter(dst, 0), io.NewSectionReader(src, 0, 1<<30))
		return err
	},
	"fails half way": func(dst, src *os.File) error {
		dst.WriteAt([]byte("half of something longer than what is wanted"), 0)
		return errors.New("broken")
	},
	"is unsupported": func(dst, src *os.File) error { return errors.ErrUnsupported },
}

func TestCopiedBlobEqualsItsSource(t *testing.T) {
	for name, clone := range clones {
		t.Run(name, func(t *testing.T) {
			s := openStore(t, t.TempDir())
			if clone != nil {
				s.files.clone = clone
			}
			for _, n := range []int{0, 1, 17, 256<<10 - 1, 256 << 10, 256<<10 + 1, 1<<20 + 3} {
				content := someBytes(n)
				if id := idOf(content); s.HasBlob(id, int64(n)) {
					t.Errorf("blob of %d bytes exists before PutBlob", n)
				}
				id := put(t, s, content)
				wantCopy(t, s, content)
				wantCopy(t, s, content)
				if !s.HasBlob(id, int64(n)) || s.HasBlob(id, int64(n)+1) {
					t.Errorf("HasBlob is wrong for %d bytes", n)
				}
			}
			wantNoLeftovers(t, s)
		})
	}
}

func TestWrongCloneIsDetected(t *testing.T) {
	s := openStore(t, t.TempDir())
	content := someBytes(1000)
	id := put(t, s, content)
	for name, lie := range map[string][]byte{"other": someBytes(1001)[:1000], "short": content[:999], "long": someBytes(1001), "empty": nil} {
		s.files.clone = func(dst, src *os.File) error {
			_, err := dst.WriteAt(lie, 0)
			return err
		}
		wantNoCopy(t, s, id, 1000, ErrDamaged)
		err := s.PutBlob(t.Context(), sourceFile(t, content), id, 1000)
		if !errors.Is(err, ErrMismatch) || s.HasBlob(id, 1000) {
			t.Errorf("%s: put %v", name, err)
		}
		s.files.clone = clones["is unsupported"]
		put(t, s, content)
	}
	wantNoLeftovers(t, s)
}

func TestBlobIsReadOnlyAndCopyIsNot(t *testing.T) {
	s := openStore(t, t.TempDir())
	content := someBytes(100)
	src := sourceFile(t, content)
	if _, err := src.Seek(50, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	id := idOf(content)
	if err := s.PutBlob(t.Context(), src, id, 100); err != nil {
		t.Fatal(err)
	}
	if at, err := src.Seek(0, io.SeekCurrent); at != 50 || err != nil {
		t.Errorf("the source's offset moved to %d, %v", at, err)
	}
	blob, err := os.Stat(filepath.Join(s.Dir(), "v1", "blobs", id.String()[:2], id.String()))
	if err != nil {
		t.Fatal(err)
	}
	if blob.Mode().Perm()&0o222 != 0 {
		t.Errorf("a blob is writable: %v", blob.Mode())
	}
	dst := filepath.Join(t.TempDir(), "dst")
	if err := copyBlob(t.Context(), s, id, 100, dst); err != nil {
		t.Fatal(err)
	}
	out, err := os.Stat(dst)
	if err != nil {
		t.Fatal(err)
	}
	in, err := src.Stat()
	if err != nil {
		t.Fatal(err)
	}
	if os.SameFile(blob, out) || os.SameFile(blob, in) {
		t.Error("hard link")
	}
	if out.Mode().Perm()&0o200 == 0 {
		t.Errorf("the copy is not writable: %v", out.Mode())
	}
}

func TestMismatchedContentIsNotStored(t *testing.T) {
	content := someBytes(1000)
	id := idOf(content)
	for name, c := range map[string]struct {
		src  []byte
		id   BlobID
		size int64
	}{
		"other content":    {someBytes(1001)[:1000], id, 1000},
		"shorter":          {content[:999], id, 1000},
		"empty":            {nil, id, 1000},
		"longer":           {append(bytes.Clone(content), 0), id, 1000},
		"much longer":      {bytes.Repeat(content, 600), id, 1000},
		"size too small":   {content, id, 999},
		"size too large":   {content, id, 1001},
		"huge size":        {content, id, 1<<63 - 1},
		"negative size":    {content, id, -1},
		"zero ID":          {content, BlobID{}, 1000},
		"nothing, size -1": {nil, idOf(nil), -1},
	} {
		s := openStore(t, t.TempDir())
		err := s.PutBlob(t.Context(), sourceFile(t, c.src), c.id, c.size)
		if !errors.Is(err, ErrMismatch) || errors.Is(err, ErrUnavailable) {
			t.Errorf("%s: %v", name, err)
		}
		wantGone(t, s.files.entryPath(blobs, c.id))
		wantNoLeftovers(t, s)
	}
}

func TestUnreadableSourceIsNotStored(t *testing.T) {
	s := openStore(t, t.TempDir())
	src := sourceFile(t, someBytes(10))
	src.Close()
	err := s.PutBlob(t.Context(), src, idOf(someBytes(10)), 10)
	if !errors.Is(err, os.ErrClosed) || errors.Is(err, ErrMismatch) || errors.Is(err, ErrUnavailable) {
		t.Errorf("closed source: %v", err)
	}
	wantNoLeftovers(t, s)
}

func TestExistingBlobIsNotWrittenAgain(t *testing.T) {
	s := openStore(t, t.TempDir())
	content := someBytes(1000)
	id := put(t, s, content)
	before, err := os.Stat(s.files.entryPath(blobs, id))
	if err != nil {
		t.Fatal(err)
	}
	put(t, s, content)
	after, err := os.Stat(s.files.entryPath(blobs, id))
	if err != nil {
		t.Fatal(err)
	}
	if !os.SameFile(before, after) {
		t.Error("an existing blob was written again")
	}
	if got := s.files.added.Load(); got != 1000 {
		t.Errorf("%d bytes counted as added", got)
	}
	overwrite(t, s.files.entryPath(blobs, id), content[:500])
	put(t, s, content)
	wantCopy(t, s, content)
	if data, err := s.ReadBlob(t.Context(), id, int64(len(content))); !bytes.Equal(data, content) || err != nil {
		t.Errorf("read %q, %v", data, err)
	}
}

func TestCopyDoesNotOverwrite(t *testing.T) {
	s := openStore(t, t.TempDir())
	content := someBytes(100)
	id := put(t, s, content)
	dst := filepath.Join(t.TempDir(), "dst")
	if err := os.WriteFile(dst, []byte("mine"), 0o666); err != nil {
		t.Fatal(err)
	}
	err := copyBlob(t.Context(), s, id, 100, dst)
	if !errors.Is(err, fs.ErrExist) || errors.Is(err, ErrUnavailable) {
		t.Errorf("existing destination: %v", err)
	}
	if b, err := os.ReadFile(dst); err != nil || string(b) != "mine" {
		t.Errorf("destination now holds %q, %v", b, err)
	}
	in, err := os.OpenRoot(filepath.Dir(dst))
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	err = s.CopyBlob(t.Context(), id, 100, in, filepath.Join("dst", "below"))
	if err == nil || errors.Is(err, ErrUnavailable) || errors.Is(err, ErrMissing) {
		t.Errorf("destination in a missing directory: %v", err)
	}
	wantCopy(t, s, content)
}

func TestCanceledContextKeepsBlob(t *testing.T) {
	s := openStore(t, t.TempDir())
	content := someBytes(100)
	id := put(t, s, content)
	other := someBytes(101)
	dst := filepath.Join(t.TempDir(), "dst")
	for _, early := range []bool{true, false} {
		for name, use := range map[string]func(context.Context) error{
			"CopyBlob": func(ctx context.Context) error { return copyBlob(ctx, s, id, 100, dst) },
			"PutBlob":  func(ctx context.Context) error { return s.PutBlob(ctx, sourceFile(t, other), idOf(other), 101) },
		} {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			if early {
				cancel()
			}
			// The first case cancels the context before the copy, and the second case during the
			// copy.
			s.files.clone = func(dst, src *os.File) error { cancel(); return errors.ErrUnsupported }
			if err := use(ctx); !errors.Is(err, context.Canceled) || errors.Is(err, ErrUnavailable) {
				t.Errorf("%s, early %v: %v", name, early, err)
			}
		}
		wantGone(t, dst)
		wantGone(t, s.files.entryPath(blobs, idOf(other)))
	}
	wantNoLeftovers(t, s)
	if !s.HasBlob(id, 100) {
		t.Error("a canceled context deleted a good blob")
	}
}

// damage calls try with every single-bit flip of b, every truncation, and some extensions.
func damage(b []byte, try func(what string, damaged []byte)) {
	for bit := range 8 * len(b) {
		d := bytes.Clone(b)
		d[bit/8] ^= 1 << (bit % 8)
		try("flipped bit", d)
	}
	for n := range b {
		try("truncated", b[:n])
		d := make([]byte, len(b)) // file after a power failure: the end may be zeros
		copy(d, b[:n])
		if !bytes.Equal(d, b) {
			try("zeroed tail", d)
		}
	}
	try("one more byte", append(bytes.Clone(b), 0))
	try("doubled", append(bytes.Clone(b), b...))
}

func TestDamagedBlobIsDetected(t *testing.T) {
	s := openStore(t, t.TempDir())
	content := []byte("a small texture")
	id := idOf(content)
	path := s.files.entryPath(blobs, id)
	damage(content, func(what string, damaged []byte) {
		overwrite(t, path, damaged)
		wantNoCopy(t, s, id, int64(len(content)), ErrDamaged)
		wantGone(t, path)
		wantNoCopy(t, s, id, int64(len(content)), ErrMissing)
		overwrite(t, path, damaged)
		if data, err := s.ReadBlob(t.Context(), id, int64(len(content))); data != nil || !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: read %q, %v", what, data, err)
		}
		wantGone(t, path)
	})
	// The test replaces the blob's file by a directory.
	if err := os.Mkdir(path, 0o777); err != nil {
		t.Fatal(err)
	}
	wantNoCopy(t, s, id, int64(len(content)), ErrDamaged)
	wantGone(t, path)
	put(t, s, content)
	wantCopy(t, s, content)
}
