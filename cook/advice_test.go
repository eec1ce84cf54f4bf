package cook

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"testing"
)

func TestAdvice(t *testing.T) {
	if advised(nil) != nil {
		t.Error("advice about nothing")
	}
	plain := errors.New("plain")
	if advised(plain) != plain {
		t.Error("advice about what nobody knows")
	}
	for errno, want := range map[syscall.Errno]string{syscall.ENOSPC: "; make room", syscall.EMFILE: "; allow more open files", syscall.EIO: "; see whether the disk"} {
		err := fmt.Errorf("manifest: %w", &fs.PathError{Op: "write", Path: "a", Err: errno})
		got := advised(err)
		if text := got.Error(); !strings.HasPrefix(text, err.Error()+want) || !errors.Is(got, errno) {
			t.Errorf("%v: %q", errno, text)
		}
	}
}
