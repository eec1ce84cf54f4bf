//go:build unix

package hashing

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/assetcook/assetcook/internal/hashtest"
	"golang.org/x/sys/unix"
)

func makePipe(t *testing.T) string {
	name := filepath.Join(t.TempDir(), "pipe")
	if err := unix.Mkfifo(name, 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestPipes reads short and long named pipes among other files.
func TestPipes(t *testing.T) {
	for _, n := range []int{0, 10, blockSize, 2*blockSize + 3} {
		data := hashtest.Bytes(n)
		name := makePipe(t)
		var writer sync.WaitGroup
		writer.Go(func() {
			if err := os.WriteFile(name, data, 0); err != nil {
				t.Error(err)
			}
		})
		others := filesOf(t, []byte("before"), []byte("after"))
		f := function(t, "blake3")
		got, err := collect(t, t.Context(), Files{Func: f, Workers: 2}, []string{others[0], name, others[1]})
		writer.Wait()
		if err != nil || got[1].Err != nil || got[1].Sum != f.Sum(data) || got[1].Size != int64(n) || got[2].Err != nil {
			t.Errorf("%d bytes: %+v, %v", n, got, err)
		}
	}
}

// TestPipeWithoutWriter ends the context while a pipe has no writer.
func TestPipeWithoutWriter(t *testing.T) {
	name := makePipe(t)
	before := filesOf(t, []byte("before"))[0]
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	err := Files{Func: registry[0], Workers: 1}.Sum(ctx, slices.Values([]string{before, name}), func(r FileResult) {
		switch n++; n {
		case 1:
			go cancel()
		case 2:
			if !errors.Is(r.Err, context.Canceled) || !strings.Contains(r.Err.Error(), name) {
				t.Errorf("pipe: %v", r.Err)
			}
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	// The goroutine that waits for a writer must close the pipe when it opens. The writer then gets
	// an error.
	w, err := os.OpenFile(name, os.O_WRONLY|unix.O_NONBLOCK, 0)
	if errors.Is(err, unix.ENXIO) {
		return
	} else if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for err == nil {
		_, err = w.Write(make([]byte, 1<<16))
	}
	if !errors.Is(err, unix.EPIPE) {
		t.Errorf("write: %v", err)
	}
}

// TestPipeThatStalls ends the context while a pipe's writer is silent.
func TestPipeThatStalls(t *testing.T) {
	name := makePipe(t)
	ctx, cancel := context.WithCancel(t.Context())
	opened := make(chan *os.File, 1)
	go func() {
		w, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err == nil {
			_, err = io.WriteString(w, "and then?")
		}
		if err != nil {
			t.Error(err)
		}
		opened <- w
	}()
	read := int64(0)
	f := Files{Func: registry[0], Progress: func(n int64) {
		read += n
		cancel()
	}}
	got, err := collect(t, ctx, f, []string{name})
	if !errors.Is(err, context.Canceled) || len(got) != 1 || !errors.Is(got[0].Err, context.Canceled) || read != 9 {
		t.Errorf("%+v, %v, %d bytes", got, err, read)
	}
	if w := <-opened; w != nil {
		w.Close()
	}
}

// TestDevices reads one device that ends at once and another that never ends.
func TestDevices(t *testing.T) {
	f := function(t, "sha256")
	if sum, size, err := SumFile(t.Context(), f, os.DevNull); sum != f.Sum(nil) || size != 0 || err != nil {
		t.Errorf("%s: %v, %d, %v", os.DevNull, sum, size, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	read := int64(0)
	got, err := collect(t, ctx, Files{Func: f, Progress: func(n int64) {
		if read += n; read > 3*blockSize {
			cancel()
		}
	}}, []string{"/dev/zero"})
	if !errors.Is(err, context.Canceled) || len(got) != 1 || !errors.Is(got[0].Err, context.Canceled) {
		t.Errorf("/dev/zero: %+v, %v", got, err)
	}
}

// TestLinks expects links to files to be followed, and errors for links to directories and dangling
// links.
func TestLinks(t *testing.T) {
	name := filesOf(t, []byte("content"))[0]
	var links []string
	for _, to := range []string{name, filepath.Dir(name), name + "-missing"} {
		link := filepath.Join(t.TempDir(), "link")
		if err := os.Symlink(to, link); err != nil {
			t.Fatal(err)
		}
		links = append(links, link)
	}
	got, err := collect(t, t.Context(), Files{Func: registry[0]}, links)
	if err != nil || got[0].Err != nil || got[0].Sum != registry[0].Sum([]byte("content")) || got[1].Err == nil || got[2].Err == nil {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestNames uses file names with arbitrary bytes.
func TestNames(t *testing.T) {
	dir := t.TempDir()
	for _, base := range []string{"a\nb", "-", " ", "\x1b[2J", "bad \xff\xfe utf-8"} {
		name := filepath.Join(dir, base)
		if err := os.WriteFile(name, []byte(base), 0o666); errors.Is(err, unix.EILSEQ) {
			continue // the file system accepts only valid UTF-8
		} else if err != nil {
			t.Fatal(err)
		}
		if sum, _, err := SumFile(t.Context(), registry[0], name); err != nil || sum != registry[0].Sum([]byte(base)) {
			t.Errorf("%q: %v, %v", base, sum, err)
		}
	}
}
