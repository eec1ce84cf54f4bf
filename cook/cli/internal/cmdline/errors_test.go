package cmdline

import (
	"syscall"
	"testing"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/internal/advice"
)

func TestSuggestionsNameFlags(t *testing.T) {
	for text, want := range map[string]string{
		"output directory a holds the asset directory a/b; choose another output directory": "output directory a holds the asset directory a/b; choose another output directory with -out",
		"-3 workers: want 1 or more":       "-3 workers (-j): want 1 or more",
		"no asset matches a":               "no asset matches a",
		advice.For(syscall.EROFS).Error():  syscall.EROFS.Error() + "; choose writable directories with -out and -cache",
		advice.For(syscall.EMFILE).Error(): syscall.EMFILE.Error() + "; allow more open files (ulimit -n) or use fewer workers (-j)",
		(&cook.LockedError{Path: "a"}).Error(): "another process works on the same output directory (lock a); " +
			"wait for it (cook -wait does) or choose another output directory with -out",
	} {
		if got := WithFlags(text); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
