package sandbox

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestProgramNeedsItsDirectoryOrPrefix(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links")
	}
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{"/prefix/bin", "/tools", "/home/x"} {
		if err := os.MkdirAll(base+dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"/prefix/bin/a", "/tools/b", "/home/x/c", "/home/d"} {
		if err := os.WriteFile(base+file, nil, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("../prefix/bin/a", base+"/tools/link"); err != nil {
		t.Fatal(err)
	}
	prefix := []string{"/prefix/bin/a", "/prefix/bin", "/prefix/lib", "/prefix/lib64", "/prefix/libexec", "/prefix/share", "/prefix/pyvenv.cfg"}
	for file, want := range map[string][]string{
		"/prefix/bin/a": prefix,
		"/tools/b":      {"/tools/b", "/tools"},
		"/tools/link":   slices.Concat([]string{"/tools/link", "/tools"}, prefix),
		"/home/d":       {"/home/d"},
		"/home/x/c":     {"/home/x/c", "/home/x"},
		"/none":         {"/none"},
	} {
		for i := range want {
			want[i] = base + want[i]
		}
		if d := cmp.Diff(want, Program(base+file, "", base+"/home/y")); d != "" {
			t.Errorf("%s: -want +got\n%s", file, d)
		}
	}
	if got := Program("/usr/bin/env"); len(got) > 0 {
		t.Errorf("a program of the system needs %q, want nothing", got)
	}
}
