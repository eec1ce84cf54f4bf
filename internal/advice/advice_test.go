package advice

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"testing"
)

func TestSystemErrorsGetAdviceOnce(t *testing.T) {
	if For(nil) != nil {
		t.Error("advice about no error")
	}
	plain := errors.New("plain")
	if For(plain) != plain || Known(plain) {
		t.Error("advice about an unknown error")
	}
	for errno, want := range map[syscall.Errno]string{
		syscall.ENOSPC: "; free some disk space",
		syscall.EMFILE: "; allow more open files",
		syscall.EIO:    "; check the disk",
	} {
		err := fmt.Errorf("manifest: %w", &fs.PathError{Op: "write", Path: "a", Err: errno})
		got := For(err)
		if text := got.Error(); !strings.HasPrefix(text, err.Error()+want) || !errors.Is(got, errno) || !Known(err) {
			t.Errorf("%v: %q", errno, text)
		}
		if again := For(fmt.Errorf("run: %w", got)); strings.Count(again.Error(), want) != 1 {
			t.Errorf("%v: advice is given twice: %q", errno, again)
		}
	}
}
