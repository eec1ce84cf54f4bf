package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/assetcook/assetcook/cook/cooktest"
)

// kills kills the cook command (SIGKILL) at random instants of first cooks, of
// runs after edits and of watching, with programs among the recipes.
//
// Right after a kill every file of the output folder has to be whole: as it was
// before, or as a cook from scratch makes it. After the next run everything has
// to be as from scratch, and nothing of the killed one may be left.
func kills(ctx context.Context, args []string) error {
	fs := flag.NewFlagSet("kills", flag.ContinueOnError)
	var c killing
	fs.IntVar(&c.kills, "kills", 1000, "how many")
	fs.IntVar(&c.jobs, "jobs", 4, "trees side by side")
	fs.Uint64Var(&c.seed, "seed", uint64(time.Now().UnixNano()), "what the edits and instants are drawn from")
	fs.StringVar(&c.dir, "dir", "/dev/shm", "folder to work in")
	fs.StringVar(&c.program, "cook", "", "the command, built if not given")
	if fs.Parse(args) != nil {
		return errUsage
	}
	dir, err := os.MkdirTemp(c.dir, "kills")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	c.dir = dir
	if c.program == "" {
		if c.program, err = build(ctx, dir); err != nil {
			return err
		}
	}
	return c.run(ctx)
}

type killing struct {
	dir, program string
	kills, jobs  int
	seed         uint64

	next, done, amid, watched, wrong atomic.Int64
}

func (c *killing) run(ctx context.Context) error {
	fmt.Printf("kills: seed %d\n", c.seed)
	begin := time.Now()
	var group sync.WaitGroup
	errs := make([]error, c.jobs)
	for i := range c.jobs {
		group.Go(func() { errs[i] = c.job(ctx, i) })
	}
	group.Wait()
	fmt.Printf("kills: %d kills, %d amid a cook, %d of them watching, %d wrong, seed %d, %s\n",
		c.done.Load(), c.amid.Load(), c.watched.Load(), c.wrong.Load(), c.seed, time.Since(begin).Round(time.Second))
	if err := errors.Join(errs...); err != nil {
		return err
	}
	if c.wrong.Load() > 0 {
		return fmt.Errorf("%d wrong", c.wrong.Load())
	}
	return nil
}

// programRules have programs cook some of the files: one that takes its time, one
// that writes a dependency file.
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

func (c *killing) job(ctx context.Context, n int) error {
	dir := filepath.Join(c.dir, fmt.Sprintf("job%d", n))
	s := &scene{
		assets: filepath.Join(dir, "assets"), out: filepath.Join(dir, "cooked"), store: filepath.Join(dir, "store"),
		scratch: dir, program: c.program, rng: rand.New(rand.NewPCG(c.seed, uint64(n))), moreRules: programRules,
	}
	if err := s.fill(); err != nil {
		return err
	}
	if err := s.changeRules(); err != nil {
		return err
	}
	for c.next.Add(1) <= int64(c.kills) && ctx.Err() == nil {
		s.log = nil
		err := c.cycle(ctx, s)
		if err == nil {
			err = s.check(ctx)
		}
		c.done.Add(1)
		if err == nil || ctx.Err() != nil {
			continue
		}
		if c.wrong.Add(1) <= 10 {
			fmt.Printf("wrong: job %d: %v\n  %s\n", n, err, strings.Join(s.log, "\n  "))
		}
		if err := errors.Join(empty(s.out), os.RemoveAll(s.store)); err != nil {
			return err
		}
	}
	return nil
}

// cycle edits, cooks, edits, and kills.
func (c *killing) cycle(ctx context.Context, s *scene) error {
	took, after := 30*time.Millisecond, 4
	first := s.rng.IntN(5) == 0
	if first {
		s.note("no outputs")
		took, after = 100*time.Millisecond, 12
		if err := empty(s.out); err != nil {
			return err
		}
		if s.rng.IntN(2) == 0 {
			if err := os.RemoveAll(s.store); err != nil {
				return err
			}
		}
	}
	if !first && s.rng.IntN(2) == 0 {
		if err := s.edits(s.rng.IntN(3)); err != nil {
			return err
		}
		end, err := s.run(ctx)
		if err != nil {
			return err
		}
		if end.code > 1 || end.code < 0 {
			return fmt.Errorf("exit %d before the kill: %s", end.code, end.stderr)
		}
		took = end.took
	}
	if s.rng.IntN(5) == 0 {
		return c.killWatcher(ctx, s)
	}
	if err := s.edits(s.rng.IntN(5)); err != nil {
		return err
	}
	before, err := cooktest.ReadTree(s.out)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	cmd := s.command(ctx)
	var text strings.Builder
	cmd.Stdout, cmd.Stderr = &text, &text
	if err := cmd.Start(); err != nil {
		return err
	}
	wait := time.Duration(s.rng.Int64N(int64(took + took/3)))
	time.Sleep(wait)
	cmd.Process.Kill()
	if cmd.Wait() != nil {
		c.amid.Add(1)
	}
	s.note("killed after %s of %s; cook said: %s", wait, took, text.String())
	if err := s.whole(ctx, before); err != nil {
		return err
	}
	return s.edits(s.rng.IntN(after)) // so that what the killed run made is no longer right
}

// killWatcher starts a watcher, edits beside it, and kills it.
func (c *killing) killWatcher(ctx context.Context, s *scene) error {
	cmd := s.command(ctx, "-watch")
	if err := cmd.Start(); err != nil {
		return err
	}
	defer cmd.Wait()
	defer cmd.Process.Kill()
	for range 1 + s.rng.IntN(3) {
		time.Sleep(time.Duration(s.rng.Int64N(int64(150 * time.Millisecond))))
		if err := s.edits(s.rng.IntN(3)); err != nil {
			return err
		}
	}
	time.Sleep(time.Duration(s.rng.Int64N(int64(150 * time.Millisecond))))
	s.note("watcher killed")
	c.amid.Add(1)
	c.watched.Add(1)
	return nil
}
