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

// A peer is another sandbox, with the options that its makers use for builds.
type peer struct {
	name  string
	files []string // names and paths of the sandbox's program
	args  func(p place) []string
}

var peers = []peer{
	{"bubblewrap", []string{"bwrap"}, func(p place) []string {
		return []string{"--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--bind", p.w, p.w, "--unshare-all", "--die-with-parent", "--new-session", "--"}
	}},
	// Bazel itself also allows /tmp, /dev/shm and, by default, the network.
	{"Bazel", []string{"linux-sandbox", "/usr/share/bazel/linux-sandbox"}, func(p place) []string {
		return []string{"-W", p.w, "-w", p.w, "-N", "-H", "--"}
	}},
}

// apart lists attempts that affect only the program's own namespace. They concern an empty network,
// the names, queues and keys of the namespace, and mounts that no other process sees.
var apart = []string{"a key of the kernel", "TCP", "UDP", "raw packets", "routes", "memory segment", "message queue", "the host's name", "mount", "mount in a namespace", "chroot", "shared memory"}

// TestEscapesFromPeers makes the attempts of TestNoProgramEscapes in other sandboxes, and prints a
// table of the results. It does not fail.
func TestEscapesFromPeers(t *testing.T) {
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
			// Each attempt has its own directories, so that a successful attempt does not affect
			// the next.
			p := newPlace(t)
			cmd := exec.Command(program, append(peer.args(p), self, "escape", p.in, p.w, p.out, name)...)
			cmd.Env = append(os.Environ(), fmt.Sprint(outsideVariable, "=", os.Getpid()))
			printed, err := cmd.CombinedOutput()
			for _, left := range []string{"/dev/shm/" + filepath.Base(p.out), "/tmp/" + filepath.Base(p.out) + "-escaped"} {
				os.Remove(left) // this file rarely exists
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
		t.Skip("no other sandbox is installed")
	}
	var text strings.Builder
	fmt.Fprintf(&text, "| way | ours | %s |\n|---|---|%s\n", strings.Join(heads, " | "), strings.Repeat("---|", len(heads)))
	for _, name := range names {
		fmt.Fprintf(&text, "| %s | refused | %s |\n", name, strings.Join(table[name], " | "))
	}
	t.Logf("\n%s", text.String())
}

// lookAny returns the path of the first program that is installed.
func lookAny(names []string) (program string, err error) {
	for _, name := range names {
		if program, err = exec.LookPath(name); err == nil {
			return program, nil
		}
	}
	return "", err
}
