//go:build linux || darwin

package mapped

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"
)

// TestReadingBeyondACutFaults truncates a mapped file. Reading the missing part must cause a fault
// that can be caught. The remaining part stays readable, and Close still works.
func TestReadingBeyondACutFaults(t *testing.T) {
	content := bytes.Repeat([]byte("0123456789abcdef"), 1<<14) // more than one page for any page size
	name := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(name, content, 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := open(name)
	if err != nil {
		t.Fatal(err)
	}
	f.Data[len(content)-1] = 'x' // the truncation also removes pages that were modified in memory
	half := len(content) / 2
	if err := os.Truncate(name, int64(half)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(f.Data[:half], content[:half]) {
		t.Error("what was left is another content")
	}
	for _, at := range []int{half, len(content) - 1} {
		if !faults(func() byte { return f.Data[at] }) {
			t.Errorf("byte %d of a file cut to %d bytes can be read", at, half)
		}
	}
	if faults(func() byte { return f.Data[half-1] }) {
		t.Error("the last byte faults")
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}

func faults(read func() byte) (yes bool) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() { yes = recover() != nil }()
	read()
	return false
}
