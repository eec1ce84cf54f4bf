//go:build unix

package builtin

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/assetcook/assetcook/internal/sandbox"
)

// versioned returns options whose version command is a shell script.
func versioned(text string) *commandOptions {
	c := script(`cp "$1" "$2"`, "{in}", "{out}").commandOptions
	c.Sandbox, c.Version, c.Timeout = true, []string{"sh", "-c", text}, defaultTimeout
	return &c
}

func TestVersionCommandsPrintVersions(t *testing.T) {
	for text, want := range map[string]string{
		"echo v1; echo ' v2 ' >&2":              "v1\n v2",
		"printf 'a\\r\\nb\\r\\n'":               "a\nb",
		"printf '\\377'":                        "?",
		"echo v1; exit 1":                       "error: exit status 1",
		":":                                     "error: the command prints nothing",
		"head -c 5000 /dev/zero | tr '\\0' x":   "error: the command prints more than 4096 bytes",
		"head -c 500000 /dev/zero | tr '\\0' x": "error: the command prints more than 4096 bytes",
	} {
		got, err := versioned(text).askVersion(t.Context(), t.TempDir())
		if err != nil {
			got = "error: " + err.Error()
		}
		if err == nil && got != want || err != nil && (!strings.HasPrefix(want, "error: ") || !strings.Contains(got, strings.TrimPrefix(want, "error: ")) || !strings.Contains(got, "version_command")) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	hangs := versioned("while :; do :; done")
	hangs.Timeout = 200 * time.Millisecond
	if _, err := hangs.askVersion(t.Context(), t.TempDir()); err == nil || !strings.Contains(err.Error(), "timed out after 200ms") {
		t.Error(err)
	}
	missing := versioned("")
	missing.Version = []string{"no-such-program-here", "--version"}
	if _, err := missing.askVersion(t.Context(), t.TempDir()); err == nil || !strings.Contains(err.Error(), "no-such-program-here") {
		t.Error(err)
	}
}

// A version command must run in the sandbox of the rule: it must neither read assets nor write
// outside.
func TestVersionCommandsAreConfined(t *testing.T) {
	if sandbox.Supported() != nil {
		t.Skip(sandbox.Supported())
	}
	dir := assets(t, "secret")
	out := filepath.Join(t.TempDir(), "out")
	for _, text := range []string{"cat " + dir + "/secret", "echo > " + out + " && echo v1", "cat secret"} {
		if got, err := versioned(text).askVersion(t.Context(), dir); err == nil {
			t.Errorf("%s: %q", text, got)
		}
	}
	if _, err := os.Stat(out); err == nil {
		t.Error("a version command wrote outside")
	}
}
