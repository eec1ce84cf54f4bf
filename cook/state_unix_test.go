//go:build linux || darwin

package cook_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/assetcook/assetcook/cook"
)

// A pipe in the place of one of the cooker's own files makes nobody wait, and is
// no reason for a wrong output: the run says what is in the way, or does without.
func TestPipeInPlaceOfOwnFile(t *testing.T) {
	for _, name := range []string{".cook/index", ".cook/changes-*", ".cook/journal", ".cook/lock", "manifest.json"} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			opt := cook.Options{Dir: filepath.Join(dir, "assets"), Cache: filepath.Join(dir, "store")}
			source := filepath.Join(opt.Dir, "a.txt")
			if err := os.Mkdir(opt.Dir, 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(source, []byte("one"), 0o666); err != nil {
				t.Fatal(err)
			}
			if _, err := cook.Cook(t.Context(), opt); err != nil {
				t.Fatal(err)
			}
			pipe := filepath.Join(dir, "cooked", name)
			if found, _ := filepath.Glob(pipe); len(found) == 1 {
				pipe = found[0]
				if err := os.Remove(pipe); err != nil {
					t.Fatal(err)
				}
			}
			if err := unix.Mkfifo(pipe, 0o666); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(source, []byte("two"), 0o666); err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() {
				_, err := cook.Cook(t.Context(), opt)
				ended <- err
			}()
			select {
			case err := <-ended:
				t.Logf("ended with %v", err)
			case <-time.After(time.Minute):
				t.Fatal("waits for the pipe")
			}
			os.Remove(pipe)
			if _, err := cook.Cook(t.Context(), opt); err != nil {
				t.Fatal(err)
			}
			if got, err := os.ReadFile(filepath.Join(dir, "cooked", "a.txt")); string(got) != "two" {
				t.Errorf("output %q, %v", got, err)
			}
		})
	}
}
