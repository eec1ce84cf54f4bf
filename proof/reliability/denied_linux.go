package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/assetcook/assetcook/internal/proof/oracle"
)

// A denial is a missing permission, and the expected result of a run.
type denial struct {
	name string
	// play replaces the whole scene if it is not nil.
	play func(ctx context.Context, d *fullDisk) (log []string, err error)
	// deny removes the permission after a first run, and allow restores it.
	deny, allow func(s *scene, at string) error
	// says must be part of an error line; "" if the run must succeed.
	says string
	code int
	// stays means that the run must not remove any output.
	stays bool
}

// unprivilegedUser is the user ID that runs cook, because root would be denied nothing.
const unprivilegedUser = 65534

func chmod(mode os.FileMode, path ...string) func(*scene, string) error {
	return func(s *scene, _ string) error {
		dir := map[string]string{"assets": s.assets, "out": s.out, "store": s.store}[path[0]]
		return os.Chmod(filepath.Join(append([]string{dir}, path[1:]...)...), mode)
	}
}

func remount(flags uintptr) func(*scene, string) error {
	return func(_ *scene, at string) error {
		return unix.Mount("", at, "", unix.MS_REMOUNT|flags, "")
	}
}

var denials = []denial{
	{name: "output directory read-only", deny: remount(unix.MS_RDONLY), allow: remount(0), says: "read-only file system", code: 1, stays: true},
	{name: "asset directory unreadable", deny: chmod(0, "assets", "tex"), allow: chmod(0o755, "assets", "tex"), says: "tex", code: 1, stays: true},
	{name: "asset directory unsearchable", deny: chmod(0o400, "assets", "tex"), allow: chmod(0o755, "assets", "tex"), says: "tex", code: 1, stays: true},
	{name: "asset unreadable", deny: chmod(0, "assets", "plain.txt"), allow: chmod(0o644, "assets", "plain.txt"), says: "plain.txt", code: 1, stays: true},
	{name: "rules unreadable", deny: chmod(0, "assets", "cook.toml"), allow: chmod(0o644, "assets", "cook.toml"), says: "cook.toml", code: 2, stays: true},
	{name: "assets unreadable", deny: chmod(0, "assets"), allow: chmod(0o755, "assets"), says: "assets", code: 2, stays: true},
	{name: "outputs not writable", deny: chmod(0o555, "out", "data"), allow: chmod(0o755, "out", "data"), says: "data", code: 1, stays: true},
	{name: "output directory unsearchable", deny: chmod(0, "out", "data"), allow: chmod(0o755, "out", "data"), says: "data", code: 1},
	{name: "state directory not writable", deny: chmod(0o555, "out", ".cook"), allow: chmod(0o755, "out", ".cook"), says: ".cook", code: 1, stays: true},
	{name: "store unreadable", deny: chmod(0, "store"), allow: chmod(0o755, "store"), says: "store", code: 0},
	{name: "store not writable", deny: chmod(0o555, "store", "v1", "tmp"), allow: chmod(0o755, "store", "v1", "tmp"), says: "store", code: 0},
	{name: "no current directory", play: noFolder},
}

// denied cooks as an unprivileged user, edits, and cooks again without a permission.
func (d *fullDisk) denied(ctx context.Context, c denial) (log []string, err error) {
	if c.play != nil {
		return c.play(ctx, d)
	}
	s, at, err := d.scene(outOf, d.seed)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, sceneError(d.endFullDisk(s, at))) }()
	s.user = unprivilegedUser
	if err := errors.Join(os.MkdirAll(s.store, 0o755), own(s.assets), own(s.out), own(s.store)); err != nil {
		return nil, sceneError(err)
	}
	if err := s.checkScene(ctx); err != nil {
		return s.log, err
	}
	err = errors.Join(s.write(filepath.Join(s.assets, "data", "cup.json"), []byte(`{"a": 1}`)),
		s.write(filepath.Join(s.assets, "tex", "sky.png"), oracle.Picture(33)), own(s.assets))
	if err != nil {
		return s.log, sceneError(err)
	}
	before, err := oracle.ReadTree(s.out)
	if err != nil {
		return s.log, sceneError(err)
	}
	if err := c.deny(s, at); err != nil {
		return s.log, sceneError(err)
	}
	end, err := s.run(ctx)
	if err != nil {
		return s.log, err
	}
	if err := c.allow(s, at); err != nil {
		return s.log, sceneError(err)
	}
	after, err := oracle.ReadTree(s.out)
	if err != nil {
		return s.log, sceneError(err)
	}
	if c.stays {
		for name := range before {
			if _, there := after[name]; !there {
				return s.log, fmt.Errorf("output %s was removed", name)
			}
		}
	}
	switch {
	case end.code != c.code:
		return s.log, fmt.Errorf("exit %d, want %d: %s", end.code, c.code, end.stderr)
	case !said(end.stderr, c.says):
		return s.log, fmt.Errorf("no line contains %q: %s", c.says, end.stderr)
	}
	return s.log, s.checkScene(ctx)
}

// said reports whether an error line of the command contains some text.
func said(stderr, text string) bool {
	for line := range strings.Lines(stderr) {
		if (strings.HasPrefix(line, "cook: ") || problemLine.MatchString(line)) && strings.Contains(line, text) {
			return true
		}
	}
	return false
}

// own makes the unprivileged user the owner of a directory and everything below.
func own(dir string) error {
	return filepath.WalkDir(dir, func(name string, _ os.DirEntry, err error) error {
		return errors.Join(err, os.Lchown(name, unprivilegedUser, unprivilegedUser))
	})
}

// noFolder runs cook in a current directory that has been removed: absolute paths must work, and
// relative ones must give an error.
func noFolder(ctx context.Context, d *fullDisk) (log []string, err error) {
	s, at, err := d.scene(outOf, d.seed)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, sceneError(d.endFullDisk(s, at))) }()
	for _, c := range []struct {
		dir  string
		code int
	}{{s.assets, 0}, {"assets", 2}} {
		cmd := exec.CommandContext(ctx, "sh", "-c", `mkdir gone && cd gone && rmdir ../gone && exec "$@"`, "sh",
			s.program, "-dir", c.dir, "-out", s.out, "-cache", s.store)
		cmd.Dir = s.scratch
		var text bytes.Buffer
		cmd.Stderr = &text
		err := cmd.Run()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			return s.log, sceneError(err)
		}
		if code := cmd.ProcessState.ExitCode(); code != c.code || code != 0 && !said(text.String(), "folder") {
			return s.log, fmt.Errorf("-dir %s exits with %d, want %d: %s", c.dir, code, c.code, text.String())
		}
	}
	return s.log, s.checkScene(ctx)
}
