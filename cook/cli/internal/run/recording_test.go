package run

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/cli/internal/cmdline"
	"github.com/assetcook/assetcook/internal/frontend"
	"github.com/assetcook/assetcook/profile/events/export"
	"github.com/assetcook/assetcook/recipes"
)

// TestTraceLeavesNothingBehind ends runs with -trace in various ways. It expects a complete trace
// file or none, and no other files.
func TestTraceLeavesNothingBehind(t *testing.T) {
	dir, tmp := t.TempDir(), t.TempDir()
	for _, env := range []string{"TMPDIR", "TMP"} {
		t.Setenv(env, tmp)
	}
	t.Setenv("COOKCACHE", filepath.Join(dir, "cache"))
	assets, traces := filepath.Join(dir, "assets"), filepath.Join(dir, "traces")
	for _, name := range []string{assets, traces, filepath.Join(traces, "folder.pftrace")} {
		if err := os.Mkdir(name, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(assets, "a.json"), []byte("[1]"), 0o666); err != nil {
		t.Fatal(err)
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	type attempt struct {
		ctx  context.Context
		name string
		args []string
		file bool
	}
	attempts := []attempt{
		{t.Context(), "folder.pftrace", nil, false},
		{t.Context(), "bad.ending", nil, false},
		{t.Context(), "refused.pftrace", []string{"-j", "-1"}, false},
		{cancelled, "interrupted.pftrace", nil, false},
	}
	for _, ending := range append(export.Endings(), streamEnding) {
		attempts = append(attempts, attempt{t.Context(), "t" + ending, nil, true})
	}
	for _, a := range attempts {
		file := filepath.Join(traces, a.name)
		args := append([]string{"-dir", assets, "-out", filepath.Join(dir, "out"), "-q", "-trace", file}, a.args...)
		var stderr strings.Builder
		code := cookWith(a.ctx, cook.Cook, args, &stderr)
		if (code == frontend.OK) != a.file {
			t.Errorf("%s: exit %d: %s", a.name, code, &stderr)
		}
		info, err := os.Lstat(file)
		if there := err == nil && info.Mode().IsRegular(); there != a.file || there && info.Size() == 0 {
			t.Errorf("%s: is a file: %v, %v", a.name, there, err)
		}
		if a.file {
			os.Remove(file)
		}
		for _, folder := range []string{traces, tmp} {
			left, err := os.ReadDir(folder)
			if err != nil {
				t.Fatal(err)
			}
			for _, e := range left {
				if e.Name() != "folder.pftrace" {
					t.Errorf("%s: left behind in %s: %s", a.name, folder, e.Name())
				}
			}
		}
	}
}

// cookWith runs a command line without a verb and returns the exit status.
func cookWith(ctx context.Context, do cmdline.CookFunc, args []string, stderr io.Writer) int {
	call := cmdline.Call{Verbs: []cmdline.Verb{Cook}, Recipes: recipes.All(), Cook: do, AtWork: func() {}, Args: args, Stdout: io.Discard, Stderr: stderr}
	return call.Dispatch(ctx)
}

// plainProject returns the flags for a directory with one asset, b.json.
func plainProject(t *testing.T) (args []string, out string) {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("COOKCACHE", filepath.Join(dir, "cache"))
	assets, out := filepath.Join(dir, "assets"), filepath.Join(dir, "out")
	if err := os.Mkdir(assets, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(assets, "b.json"), []byte("[1]"), 0o666); err != nil {
		t.Fatal(err)
	}
	return []string{"-dir", assets, "-out", out}, out
}
