//go:build unix

package frontend

import (
	"io"
	"os"
	"strings"
	"testing"
)

func TestFullDiskIsAnError(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	s := &Stream{File: full}
	for range 2 {
		if n, err := s.Write([]byte("text")); n != 0 || err == nil {
			t.Errorf("wrote %d bytes: %v", n, err)
		}
	}
}

// TestSlowPipeGetsTheWholeText writes to a slow pipe in non-blocking mode.
func TestSlowPipeGetsTheWholeText(t *testing.T) {
	r, w, err := os.Pipe() // os.Pipe returns a non-blocking pipe
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	text := strings.Repeat("a line\n", 100_000)
	go func() {
		defer w.Close()
		if n, err := (&Stream{File: w}).Write([]byte(text)); n != len(text) || err != nil {
			t.Errorf("wrote %d bytes: %v", n, err)
		}
	}()
	if got, err := io.ReadAll(r); string(got) != text || err != nil {
		t.Errorf("read %d bytes: %v", len(got), err)
	}
}
