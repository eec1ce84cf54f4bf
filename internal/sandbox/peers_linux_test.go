//go:build amd64 || arm64

package sandbox

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A peer is another program that confines programs, the way its makers have builds run.
type peer struct {
	name  string
	files []string // where it may be
	args  func(p place) []string
}

var peers = []peer{
	{"bubblewrap", []string{"bwrap"}, func(p place) []string {
		return []string{"--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--bind", p.w, p.w, "--unshare-all", "--die-with-parent", "--new-session", "--"}
	}},
	// Bazel itself gives /tmp and /dev/shm away as well, and the network unless told otherwise.
	{"Bazel", []string{"linux-sandbox", "/usr/share/bazel/linux-sandbox"}, func(p place) []string {
		return []string{"-W", p.w, "-w", p.w, "-N", "-H", "--"}
	}},
}

// apart are attempts whose success in namespaces of one's own reaches nobody outside: a network
// without anybody, other names, queues and keys, mounts that others do not see.
var apart = []string{"a key of the kernel", "TCP", "UDP", "raw packets", "routes", "memory segment", "message queue", "the host's name", "mount", "mount in a namespace", "chroot", "shared memory"}

// TestEscapesOfPeers makes the attempts of TestEscapes in other sandboxes, for a table beside
// ours. What comes of them is for their makers to judge.
func TestEscapesOfPeers(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	names := slices.Sorted(maps.Keys(attempts))
	table := map[string][]string{}
	var heads []string
	for _, peer := range peers {
		program, err := lookAny(peer.files)
		if err != nil {
			t.Logf("%s: %v", peer.name, err)
			continue
		}
		p := newPlace(t)
		if text, err := exec.Command(program, append(peer.args(p), "/bin/true")...).CombinedOutput(); err != nil {
			t.Logf("%s cannot run here: %v: %s", peer.name, err, text)
			continue
		}
		heads = append(heads, peer.name)
		for _, name := range names {
			// One by one: what one that succeeds changes is not for the next.
			p := newPlace(t)
			cmd := exec.Command(program, append(peer.args(p), self, "escape", p.in, p.w, p.out, name)...)
			cmd.Env = append(os.Environ(), fmt.Sprint(outsideVariable, "=", os.Getpid()))
			printed, err := cmd.CombinedOutput()
			for _, left := range []string{"/dev/shm/" + filepath.Base(p.out), "/tmp/" + filepath.Base(p.out) + "-escaped"} {
				os.Remove(left) // mostly not there
			}
			result, ok := resultsOf(string(printed))[name]
			switch {
			case !ok:
				t.Errorf("%s: %q: %v: %s", peer.name, name, err, printed)
			case result != "<nil>":
				t.Logf("%s: %s: %s", peer.name, name, result)
				result = "refused"
			case slices.Contains(apart, name):
				result = "succeeds, apart"
			default:
				result = "**succeeds**"
			}
			table[name] = append(table[name], result)
		}
	}
	if len(heads) == 0 {
		t.Skip("there is none")
	}
	var text strings.Builder
	fmt.Fprintf(&text, "| way | ours | %s |\n|---|---|%s\n", strings.Join(heads, " | "), strings.Repeat("---|", len(heads)))
	for _, name := range names {
		fmt.Fprintf(&text, "| %s | refused | %s |\n", name, strings.Join(table[name], " | "))
	}
	t.Logf("\n%s", text.String())
}

// lookAny finds the first program that is there.
func lookAny(names []string) (program string, err error) {
	for _, name := range names {
		if program, err = exec.LookPath(name); err == nil {
			return program, nil
		}
	}
	return "", err
}
