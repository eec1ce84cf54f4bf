package mapped

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// TestReleasedPagesAreGone checks that a modified page has the content of the file again after
// Release. Pages that are not entirely in the range must not change.
func TestReleasedPagesAreGone(t *testing.T) {
	page := os.Getpagesize()
	name := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(name, bytes.Repeat([]byte{'a'}, small+4*page), 0o666); err != nil {
		t.Fatal(err)
	}
	f, err := open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for i := range 4 {
		f.Data[i*page] = 'b'
	}
	f.Release(page, 3*page-1) // the range has only a part of the third page
	if got := [...]byte{f.Data[0], f.Data[page], f.Data[2*page], f.Data[3*page]}; got != [...]byte{'b', 'a', 'b', 'b'} {
		t.Errorf("pages begin with %q", got)
	}
}
