//go:build unix

package main

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

func TestWalkSkipsSpecialFiles(t *testing.T) {
	root := tree(t, "dir/a")
	if err := unix.Mkfifo(root+"/dir/pipe", 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("pipe", root+"/dir/to-pipe"); err != nil {
		t.Fatal(err)
	}
	files, others := walked(t, root, root+"/dir")
	if len(files) != 1 || strings.Join(others, "; ") != "dir/pipe not a regular file; dir/to-pipe not a regular file" {
		t.Errorf("%q, %q", files, others)
	}
	if files, others := walked(t, root, root+"/dir/pipe"); len(files) != 1 || others != nil {
		t.Errorf("a pipe given as an argument: %q, %q", files, others)
	}
}

func TestWalkLinks(t *testing.T) {
	root := tree(t, "dir/file", "dir/sub/deep", "other/x")
	for link, to := range map[string]string{
		"dir/again": "file", "dir/below": "file/x", "dir/gone": "nowhere", "dir/loop": ".", "dir/out": "../other", "dir/self": "self", "top": "dir",
	} {
		if err := os.Symlink(to, root+"/"+link); err != nil {
			t.Fatal(err)
		}
	}
	files, others := walked(t, root, root+"/top")
	if diff := cmp.Diff([]string{"top/again", "top/file", "top/sub/deep"}, files); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{
		"top/below the target of the link does not exist",
		"top/gone the target of the link does not exist",
		"top/loop a link to a directory",
		"top/out a link to a directory",
		"top/self the target of the link does not exist",
	}, others); diff != "" {
		t.Error(diff)
	}
	for _, name := range []string{"dir/below", "dir/gone", "dir/self"} {
		files, others := walked(t, root, root+"/"+name)
		if files != nil || len(others) != 1 || !strings.HasPrefix(others[0], "failed stat "+name+": ") {
			t.Errorf("%s given as an argument: %q, %q", name, files, others)
		}
	}
}
