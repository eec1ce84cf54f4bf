package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"sync/atomic"
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
	err := c.each(ctx, c.job)
	counted := fmt.Sprintf("%d kills, %d amid a cook, %d of them watching", c.done.Load(), c.amid.Load(), c.watched.Load())
	return c.printLastLine(ctx, err, counted, c.amid.Load(), "kills amid a cook")
}

type killing struct {
	rounds
	amid, watched atomic.Int64
}

// programRules cook some files with tools: a slow one, and one that writes a depfile.
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

func (c *killing) job(_ context.Context, n int) (job, error) {
	s := c.scene(filepath.Join(c.dir, fmt.Sprintf("job%d", n)), uint64(n))
	s.moreRules = programRules
	if err := s.fill(); err != nil {
		return job{}, err
	}
	round := func(ctx context.Context) error {
		if err := c.cycle(ctx, s); err != nil {
			return err
		}
		return s.checkScene(ctx)
	}
	return job{scenes: []*scene{s}, round: round}, s.changeRules()
}

// cycle edits, cooks, edits, and kills.
func (c *killing) cycle(ctx context.Context, s *scene) error {
	took, after := 30*time.Millisecond, 4
	if s.rng.IntN(5) == 0 { // a first cook
		took, after = 100*time.Millisecond, 12
		if err := s.forgetOutputs(); err != nil {
			return err
		}
	} else if s.rng.IntN(2) == 0 {
		if err := s.edits(s.rng.IntN(3)); err != nil {
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
	recent := s.rng.IntN(3) == 0 // edit the same files again after the kill
	if recent {
		s.recent = nil
		if err := s.startSlowEdit(); err != nil {
			return err
		}
	} else if err := s.edits(s.rng.IntN(5)); err != nil {
		return err
	}
	before, err := s.outputs()
	if err != nil {
		return err
	}
	amid, err := s.runAndKill(ctx, s.part(took), nil)
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
	return s.edits(s.rng.IntN(after)) // so that the outputs of the killed run are stale
}

// killWatcher starts a watcher, edits while it runs, and kills it.
//
// The watcher may cook any state between two edits, even a partial edit. So the outputs
// after the kill are only checked if the edits are atomic, that is, if atOnce.
func (c *killing) killWatcher(ctx context.Context, s *scene, atOnce bool) error {
	edit := s.edit
	if atOnce {
		edit = s.editAtomically
	}
	before, err := s.outputs()
	if err != nil {
		return err
	}
	seen := []oracle.Tree{before}
	look := func() error {
		if !atOnce {
			return nil
		}
		tree, _, err := s.fromScratch(ctx)
		seen = append(seen, tree)
		return err
	}
	if err := look(); err != nil {
		return err
	}

	var text strings.Builder
	cmd := s.command(ctx, "-watch")
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
	s.note("watcher: %s; it printed: %s", cmd.ProcessState, text.String())
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
