//go:build linux || darwin

package cook_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// A named pipe in place of a state file neither blocks a run nor causes a wrong output:
// the run reports it or ignores it.
func TestPipeInPlaceOfStateFile(t *testing.T) {
	for _, name := range []string{".cook/index", ".cook/changes-*", ".cook/journal", ".cook/lock", "manifest.json"} {
		t.Run(name, func(t *testing.T) {
			p := newProject(t)
			p.write("a.txt", "one")
			p.cook()
			pipe := filepath.Join(p.run.Out, name)
			if found, _ := filepath.Glob(pipe); len(found) == 1 {
				pipe = found[0]
				p.must(os.Remove(pipe))
			}
			p.must(unix.Mkfifo(pipe, 0o666))
			p.write("a.txt", "two")
			ended := make(chan error, 1)
			go func() {
				_, err := p.run.Cook(t.Context())
				ended <- err
			}()
			select {
			case err := <-ended:
				t.Logf("ended with %v", err)
			case <-time.After(time.Minute):
				t.Fatal("blocked by the pipe")
			}
			os.Remove(pipe)
			p.cook()
			if got, err := os.ReadFile(p.path("cooked/a.txt")); string(got) != "two" {
				t.Errorf("output %q, %v", got, err)
			}
		})
	}
}
