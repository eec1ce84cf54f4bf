package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/assetcook/assetcook/internal/proof/oracle"
)

// disk fills the disk that holds the outputs, the store or everything, to many levels. A run that
// fails must report this by its exit status, a line with the path and the cause, and the summary.
// No output may be partially written. With free space again, the next run must produce the outputs
// of a run from scratch.
//
// It also removes permissions; see denied.
func disk(ctx context.Context, args []string) error {
	d := fullDisk{rounds: rounds{workplace: workplace{name: "disk", dir: "/dev/shm"}, count: 500}}
	if d.flags("levels").Parse(args) != nil {
		return errUsage
	}
	work, err := inMountNamespace()
	if err != nil || !work {
		return err
	}
	if err := d.openWorkplace(ctx); err != nil {
		return err
	}
	defer d.closeWorkplace()
	if err := os.Chmod(d.dir, 0o755); err != nil { // the unprivileged user must be able to enter
		return err
	}
	return d.run(ctx, shortages, denials)
}

// fullDisk is the campaign disk. Each round has a level of free space; the levels are spread evenly
// over the space that a run needs.
type fullDisk struct {
	rounds
	full int // number of levels that left the run too little space
}

// A shortage is a lack of space or inodes in a directory.
type shortage struct {
	name   string
	small  func(s *scene) string // function that returns the directory with its own file system
	inodes bool
	again  bool // set to apply the limit to the second run instead of the first
	most   int  // number of pages or inodes that is always enough
}

func outOf(s *scene) string   { return s.out }
func storeOf(s *scene) string { return s.store }
func allOf(s *scene) string   { return filepath.Dir(s.out) }

var shortages = []shortage{
	{name: "room for outputs", small: outOf, most: 450},
	{name: "room for outputs, second run", small: outOf, again: true, most: 450},
	{name: "inodes for outputs", small: outOf, inodes: true, most: 60},
	{name: "inodes for outputs, second run", small: outOf, inodes: true, again: true, most: 20},
	{name: "room for the store", small: storeOf, most: 30},
	{name: "inodes for the store", small: storeOf, inodes: true, most: 100},
	{name: "room for everything", small: allOf, most: 450},
	{name: "room for everything, second run", small: allOf, again: true, most: 450},
	{name: "inodes for everything", small: allOf, inodes: true, most: 160},
}

func (d *fullDisk) run(ctx context.Context, shortages []shortage, denials []denial) error {
	cases, err := d.runAllLevels(ctx, shortages, denials)
	counted := fmt.Sprintf("%d levels, full at %d of them, %d denied permissions", d.done.Load(), d.full, cases)
	return d.printLastLine(ctx, err, counted, int64(d.full), "levels at which the disk was full")
}

// runAllLevels runs all levels and then all denials.
func (d *fullDisk) runAllLevels(ctx context.Context, shortages []shortage, denials []denial) (cases int, err error) {
	for _, sh := range shortages {
		each := max(1, d.count/len(shortages))
		for i := range each {
			log, err := d.cookAtFullness(ctx, sh, i*sh.most/each, d.seed+uint64(d.done.Load()))
			if err := d.recordDiskFinding(ctx, fmt.Sprintf("%s, %d left", sh.name, i*sh.most/each), log, err); err != nil {
				return 0, err
			}
			d.done.Add(1)
		}
	}
	for _, c := range denials {
		log, err := d.denied(ctx, c)
		if err := d.recordDiskFinding(ctx, c.name, log, err); err != nil {
			return cases, err
		}
		cases++
	}
	return cases, nil
}

// recordDiskFinding reports a failure. It returns an error if the campaign cannot go on.
func (d *fullDisk) recordDiskFinding(ctx context.Context, what string, log []string, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, errScene):
		return err
	case err != nil:
		d.reportFailedRound(what, log, err)
	}
	return nil
}

// newDiskScene creates a scene with a small file system mounted on one of its directories.
func (d *fullDisk) newDiskScene(small func(*scene) string, seed uint64) (s *scene, at string, err error) {
	dir, err := os.MkdirTemp(d.dir, "level")
	if err != nil {
		return nil, "", sceneError(err)
	}
	all := filepath.Join(dir, "all")
	s = d.rounds.newJobScene(all, 0)
	s.scratch, s.args, s.rng = dir, []string{"-j", "1"}, rand.New(rand.NewPCG(seed, 0))
	at = small(s)
	err = errors.Join(os.Chmod(dir, 0o755), os.MkdirAll(at, 0o755), unix.Mount("tmpfs", at, "tmpfs", 0, "size=64m,nr_inodes=100000,mode=755"))
	if err == nil {
		err = s.writeFirstSources()
	}
	return s, at, sceneError(err)
}

func (d *fullDisk) endFullDisk(s *scene, at string) error {
	return errors.Join(unix.Unmount(at, unix.MNT_DETACH), os.RemoveAll(s.scratch))
}

var fullText = regexp.MustCompile(`(?m)^.+: error: .*[\w./]+.*: no space left on device`)

// cookAtFullness runs cook while the given number of pages or inodes is free.
func (d *fullDisk) cookAtFullness(ctx context.Context, sh shortage, left int, seed uint64) (log []string, err error) {
	s, at, err := d.newDiskScene(sh.small, seed)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, sceneError(d.endFullDisk(s, at))) }()
	if sh.again {
		if err := s.checkScene(ctx); err != nil {
			return s.log, err
		}
		if err := s.applyRandomEdits(1 + s.rng.IntN(8)); err != nil {
			return s.log, err
		}
	}
	before, err := s.readSceneOutputs()
	if err != nil {
		return s.log, sceneError(err)
	}
	if err := leave(at, left, sh.inodes); err != nil {
		return s.log, sceneError(err)
	}
	end, err := s.run(ctx)
	if err != nil {
		return s.log, err
	}
	if strings.Contains(end.stderr, "no space left") {
		d.full++
	}
	if err := s.checkOutputs(ctx, before); err != nil {
		return s.log, err
	}
	if err := d.checkReport(ctx, s, end, before); err != nil {
		return s.log, err
	}
	if err := unix.Mount("", at, "", unix.MS_REMOUNT, "size=64m,nr_inodes=100000"); err != nil {
		return s.log, sceneError(err)
	}
	return s.log, s.checkScene(ctx)
}

// leave limits a tmpfs so that the given number of pages or inodes is free.
func leave(at string, left int, inodes bool) error {
	var st unix.Statfs_t
	if err := unix.Statfs(at, &st); err != nil {
		return err
	}
	option := fmt.Sprintf("nr_blocks=%d", int(st.Blocks-st.Bfree)+max(left, 1))
	if inodes {
		option = fmt.Sprintf("nr_inodes=%d", int(st.Files-st.Ffree)+max(left, 1))
	}
	return unix.Mount("", at, "", unix.MS_REMOUNT, option)
}

// checkReport compares what a run reports with its outputs. A run that could not start prints no
// summary.
func (d *fullDisk) checkReport(ctx context.Context, s *scene, end ending, before oracle.Tree) error {
	want, summary, err := s.cookSceneFromScratch(ctx)
	if err != nil {
		return sceneError(err)
	}
	got, err := s.readSceneOutputs()
	if err != nil {
		return sceneError(err)
	}
	diff := want.Diff(got)
	bad := summary.Failures() > 0
	switch {
	case end.code == 0 && (diff != "" || bad):
		return fmt.Errorf("exit 0, but: %s", diff)
	case end.code == 0:
		return nil
	case end.code != 1:
		return fmt.Errorf("exit %d", end.code)
	case !bad && !fullText.MatchString(end.stderr):
		return fmt.Errorf("no line contains path and cause: %s", end.stderr)
	case !summaryLine.MatchString(end.stdout) && before.Diff(got) != "": // changed outputs show that the run had started, so it must print a summary
		return fmt.Errorf("no summary: %q, %q", end.stdout, end.stderr)
	}
	return nil
}

// A denial is a missing permission, with the expected result of a run.
type denial struct {
	name string
	// play, if not nil, runs instead of the standard scenario.
	play func(ctx context.Context, d *fullDisk) (log []string, err error)
	// deny removes the permission after a first run; allow restores it.
	deny, allow func(s *scene, at string) error
	// says is a text that an error line must contain; "" if the run must succeed.
	says string
	code int
	// stays means that the run must not remove any output.
	stays bool
}

// unprivilegedUser is the user ID of cook processes, because root is not denied anything.
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

// denied cooks as an unprivileged user, edits, and cooks again while a permission is missing.
func (d *fullDisk) denied(ctx context.Context, c denial) (log []string, err error) {
	if c.play != nil {
		return c.play(ctx, d)
	}
	s, at, err := d.newDiskScene(outOf, d.seed)
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

// said reports whether an error line of the command contains the text.
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

// noFolder runs cook in a working directory that has been removed: absolute paths must work, and
// relative ones must cause an error.
func noFolder(ctx context.Context, d *fullDisk) (log []string, err error) {
	s, at, err := d.newDiskScene(outOf, d.seed)
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
