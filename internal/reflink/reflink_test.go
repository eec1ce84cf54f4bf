package reflink

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

func create(t *testing.T, name string, content []byte) *os.File {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), name))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	if _, err := f.Write(content); err != nil {
		t.Fatal(err)
	}
	return f
}

// TestCloneIsCompleteOrRefused checks that either the copy is complete, or Clone returned
// ErrUnsupported and changed nothing. So it can run on every file system.
func TestCloneIsCompleteOrRefused(t *testing.T) {
	want := bytes.Repeat([]byte("block"), 5000)
	src, dst := create(t, "src", want), create(t, "dst", nil)
	err := Clone(dst, src)
	got, readErr := os.ReadFile(dst.Name())
	if readErr != nil {
		t.Fatal(readErr)
	}
	switch {
	case err == nil:
		if !bytes.Equal(got, want) {
			t.Errorf("clone holds %d bytes, want %d equal ones", len(got), len(want))
		}
	case errors.Is(err, errors.ErrUnsupported):
		if len(got) != 0 {
			t.Errorf("refused, but %d bytes were written", len(got))
		}
		if !strings.Contains(err.Error(), dst.Name()) {
			t.Errorf("the error does not name the file: %v", err)
		}
	default:
		t.Error(err)
	}
	if got, err := os.ReadFile(src.Name()); err != nil || !bytes.Equal(got, want) {
		t.Errorf("source changed: %v", err)
	}
}

func TestCloneOfClosedFileFails(t *testing.T) {
	src, dst := create(t, "src", []byte("x")), create(t, "dst", nil)
	src.Close()
	// Only on Linux does Clone examine the files.
	err := Clone(dst, src)
	if unsupported := errors.Is(err, errors.ErrUnsupported); err == nil || unsupported != (runtime.GOOS != "linux") {
		t.Errorf("error %v", err)
	}
}
