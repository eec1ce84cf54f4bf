package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/assetcook/assetcook/internal/proof/oracle"
)

// kills kills the cook command (SIGKILL) at random instants of first cooks, incremental cooks and
// watchers. Some assets are cooked by tools.
//
// After a kill every output must be complete: unchanged, or equal to the output of a cook from
// scratch; see killWatcher for watchers. After the next run all outputs must equal the outputs of
// a cook from scratch, and no temporary files of the killed run may be left.
func kills(ctx context.Context, args []string) error {
	c := killing{rounds: rounds{workplace: workplace{name: "kills", dir: "/dev/shm"}, count: 1000, jobs: 4}}
	if c.flags("kills").Parse(args) != nil {
		return errUsage
	}
	if err := c.openWorkplace(ctx); err != nil {
		return err
	}
	defer c.closeWorkplace()
	err := c.playAllRounds(ctx, c.newKillJob)
	counted := fmt.Sprintf("%d kills, %d amid a cook, %d of them watching", c.done.Load(), c.amid.Load(), c.watched.Load())
	return c.printLastLine(ctx, err, counted, c.amid.Load(), "kills amid a cook")
}

type killing struct {
	rounds
	amid, watched atomic.Int64
}

// programRules are rules that cook some files with tools: a slow tool, and a tool that writes a
// depfile.
const programRules = `
[[rule]]
match = "big/*.txt"
command = ["sh", "-c", "head -c 2000 \"$1\" >\"$2\"; sleep 0.01; tail -c +2001 \"$1\" >>\"$2\"", "sh", "{in}", "{out}"]
outputs = ["{stem}.slow"]

[[rule]]
match = "same/*.txt"
command = ["sh", "-c", "cat \"$1\" >\"$2\"; echo \"$2: $1\" >\"$3\"", "sh", "{in}", "{out}", "{depfile}"]
outputs = ["{stem}.dep"]
`

func (c *killing) newKillJob(_ context.Context, n int) (job, error) {
	s := c.newJobScene(filepath.Join(c.dir, fmt.Sprintf("job%d", n)), uint64(n))
	s.moreRules = programRules
	if err := s.writeFirstSources(); err != nil {
		return job{}, err
	}
	round := func(ctx context.Context) error {
		if err := c.cookAndKillOnce(ctx, s); err != nil {
			return err
		}
		return s.checkScene(ctx)
	}
	return job{scenes: []*scene{s}, round: round}, s.changeRules()
}

// cookAndKillOnce edits, cooks, edits, and kills.
func (c *killing) cookAndKillOnce(ctx context.Context, s *scene) error {
	took, after := 30*time.Millisecond, 4
	if s.rng.IntN(5) == 0 {
		took, after = 100*time.Millisecond, 12
		if err := s.forgetOutputs(); err != nil {
			return err
		}
	} else if s.rng.IntN(2) == 0 {
		if err := s.applyRandomEdits(s.rng.IntN(3)); err != nil {
			return err
		}
		var err error
		if took, err = s.cookBefore(ctx); err != nil {
			return err
		}
	}
	if s.rng.IntN(5) == 0 {
		return c.killWatcher(ctx, s, s.rng.IntN(2) == 0)
	}
	recent := s.rng.IntN(3) == 0 // set if the same files are edited again after the kill
	if recent {
		s.recent = nil
		if err := s.startSlowEdit(); err != nil {
			return err
		}
	} else if err := s.applyRandomEdits(s.rng.IntN(5)); err != nil {
		return err
	}
	before, err := s.readSceneOutputs()
	if err != nil {
		return err
	}
	amid, err := s.runAndKill(ctx, s.randomWait(took), nil)
	if err != nil {
		return err
	}
	if amid {
		c.amid.Add(1)
	}
	if err := s.checkOutputs(ctx, before); err != nil {
		return err
	}
	if recent {
		return s.editRecent()
	}
	return s.applyRandomEdits(s.rng.IntN(after)) // these edits make the outputs of the killed run stale
}

// killWatcher starts a watcher, edits sources while it runs, and kills it.
//
// The watcher may cook any state between two edits, even a partial edit. The outputs after the kill
// are therefore checked only if atOnce is set, which makes the edits atomic.
func (c *killing) killWatcher(ctx context.Context, s *scene, atOnce bool) error {
	edit := s.edit
	if atOnce {
		edit = s.editAtomically
	}
	before, err := s.readSceneOutputs()
	if err != nil {
		return err
	}
	seen := []oracle.Tree{before}
	look := func() error {
		if !atOnce {
			return nil
		}
		tree, _, err := s.cookSceneFromScratch(ctx)
		seen = append(seen, tree)
		return err
	}
	if err := look(); err != nil {
		return err
	}

	var text strings.Builder
	cmd := s.cookCommand(ctx, "-watch")
	cmd.Stdout, cmd.Stderr = &text, &text
	if err := cmd.Start(); err != nil {
		return sceneError(err)
	}
	pause := func() { time.Sleep(time.Duration(s.rng.Int64N(int64(150 * time.Millisecond)))) }
	for range 1 + s.rng.IntN(3) {
		pause()
		for range s.rng.IntN(3) {
			if err == nil {
				err = edit()
			}
			if err == nil {
				err = look()
			}
		}
	}
	pause()
	cmd.Process.Kill()
	cmd.Wait()
	s.addSceneNote("watcher: %s; it printed: %s", cmd.ProcessState, text.String())
	if err != nil {
		return err
	}
	if !killed(cmd) {
		return fmt.Errorf("the watcher ended before it was killed: %s: %s", cmd.ProcessState, text.String())
	}
	c.amid.Add(1)
	c.watched.Add(1)
	if atOnce {
		return s.checkOutputs(ctx, seen...)
	}
	return nil
}

// forgetOutputs removes the outputs so that the next run is a first cook; half of the time it also
// removes the store.
func (s *scene) forgetOutputs() error {
	s.addSceneNote("no outputs")
	err := empty(s.out)
	if s.rng.IntN(2) == 0 {
		err = errors.Join(err, os.RemoveAll(s.store))
	}
	return sceneError(err)
}

// cookBefore cooks without faults, and returns how long the run took.
func (s *scene) cookBefore(ctx context.Context, more ...string) (time.Duration, error) {
	end, err := s.run(ctx, more...)
	if err == nil && (end.code > 1 || end.code < 0) {
		err = fmt.Errorf("exit %d without a fault: %s", end.code, end.stderr)
	}
	return end.took, err
}

// randomWait returns a random duration, at most a third longer than a run takes.
func (s *scene) randomWait(took time.Duration) time.Duration {
	return time.Duration(s.rng.Int64N(int64(took + took/3)))
}

// runAndKill starts the command, waits, and kills the command with SIGKILL. If harm is not nil,
// runAndKill first calls harm to inject a fault. amid reports whether the fault or the kill stopped
// the command before its end. A command that ends earlier must exit with 0 or 1.
func (s *scene) runAndKill(ctx context.Context, wait time.Duration, harm func(kill func()) error, more ...string) (amid bool, err error) {
	var text strings.Builder
	cmd := s.cookCommand(ctx, more...)
	cmd.Stdout, cmd.Stderr = &text, &text
	if err := cmd.Start(); err != nil {
		return false, sceneError(err)
	}
	ended := make(chan struct{})
	go func() { cmd.Wait(); close(ended) }()
	kill := func() { cmd.Process.Kill() }
	unharmed := func() error {
		if code := cmd.ProcessState.ExitCode(); !killed(cmd) && code != 0 && code != 1 {
			return fmt.Errorf("exit %d without a fault: %s", code, text.String())
		}
		return nil
	}

	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		amid = true
	case <-ended:
		if err := unharmed(); err != nil {
			return false, err
		}
		<-timer.C
	}
	if harm != nil {
		err = harm(kill)
	}
	kill()
	select {
	case <-ended:
	case <-time.After(time.Minute):
		return false, sceneError(errors.Join(err, errors.New("cook cannot be killed")))
	}
	s.addSceneNote("fault after %s; cook %s; it printed: %s", wait, cmd.ProcessState, text.String())
	amid = amid && !cmd.ProcessState.Success()
	if harm == nil {
		amid = killed(cmd)
		err = unharmed()
	}
	return amid, err
}

// killed reports whether SIGKILL has ended a command. Wait must have returned.
func killed(cmd *exec.Cmd) bool { return endedBy(cmd, syscall.SIGKILL) }
