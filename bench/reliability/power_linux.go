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

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/scan"
)

// settle is longer than a stamp must be old to be trusted.
const settle = scan.SettleTime + 150*time.Millisecond

// power cuts the power of file systems while the cook command works on them.
//
// Between two cuts somebody edits the sources, syncs nothing, and cooks a few
// times, sometimes after a pause in which stamps become old enough to be trusted.
// After a cut the file system is mounted again, and the next run has to give
// what a run from scratch gives of the sources as the cut has left them.
func power(ctx context.Context, args []string) error {
	fs := flag.NewFlagSet("power", flag.ContinueOnError)
	var p powerCuts
	fs.StringVar(&p.fs, "fs", "ext4", "`ext4 or xfs`")
	fs.IntVar(&p.cuts, "cuts", 500, "how many")
	fs.IntVar(&p.jobs, "jobs", 8, "file systems side by side; they mostly wait")
	fs.Uint64Var(&p.seed, "seed", uint64(time.Now().UnixNano()), "what the edits and instants are drawn from")
	fs.StringVar(&p.dir, "dir", "/dev/shm", "folder for the file systems' images, best in memory")
	fs.StringVar(&p.program, "cook", "", "the command, built if not given")
	fs.BoolVar(&p.apart, "apart", false, "assets on another file system than outputs and store")
	if fs.Parse(args) != nil {
		return errUsage
	}
	work, err := inOwnMounts()
	if err != nil || !work {
		return err
	}
	dir, err := os.MkdirTemp(p.dir, "power")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	p.dir = dir
	if p.program == "" {
		if p.program, err = build(ctx, dir); err != nil {
			return err
		}
	}
	return p.run(ctx)
}

type powerCuts struct {
	fs, dir, program string
	cuts, jobs       int
	seed             uint64
	apart            bool

	next, done, wrong, amid atomic.Int64
}

func (p *powerCuts) run(ctx context.Context) error {
	fmt.Printf("power: %s, seed %d\n", p.fs, p.seed)
	begin := time.Now()
	var group sync.WaitGroup
	errs := make([]error, p.jobs)
	for i := range p.jobs {
		group.Go(func() { errs[i] = p.job(ctx, i) })
	}
	group.Wait()
	fmt.Printf("power: %s, apart %t: %d cuts, %d amid a cook, %d wrong, seed %d, %s\n",
		p.fs, p.apart, p.done.Load(), p.amid.Load(), p.wrong.Load(), p.seed, time.Since(begin).Round(time.Second))
	if err := errors.Join(errs...); err != nil {
		return err
	}
	if p.wrong.Load() > 0 {
		return fmt.Errorf("%d wrong", p.wrong.Load())
	}
	return nil
}

// job has a file system of its own, or two.
func (p *powerCuts) job(ctx context.Context, n int) error {
	main, err := newImage(p.dir, fmt.Sprintf("job%d", n), p.fs)
	if err != nil {
		return err
	}
	defer main.remove()
	images := []*image{main}
	assets := main
	if p.apart {
		if assets, err = newImage(p.dir, fmt.Sprintf("assets%d", n), p.fs); err != nil {
			return err
		}
		defer assets.remove()
		images = append(images, assets)
	}
	s := &scene{
		assets: filepath.Join(assets.at, "assets"), out: filepath.Join(main.at, "cooked"), store: filepath.Join(main.at, "store"),
		scratch: p.dir, program: p.program, rng: rand.New(rand.NewPCG(p.seed, uint64(n))),
	}
	if err := s.fill(); err != nil {
		return err
	}
	for _, m := range images { // a cut that takes all of it shows nothing
		if err := m.sync(); err != nil {
			return err
		}
	}
	for p.next.Add(1) <= int64(p.cuts) && ctx.Err() == nil {
		s.log = nil
		if err := p.cycle(ctx, s, images); err != nil {
			return fmt.Errorf("%w\n%s", err, strings.Join(s.log, "\n"))
		}
		p.done.Add(1)
		err := s.check(ctx)
		if err == nil || ctx.Err() != nil {
			continue
		}
		if p.wrong.Add(1) <= 10 {
			fmt.Printf("wrong: job %d: %v\n  %s\n", n, err, strings.Join(s.log, "\n  "))
		}
		if err := errors.Join(empty(s.out), os.RemoveAll(s.store)); err != nil {
			return err
		}
	}
	return nil
}

// cycle edits, cooks, and cuts the power once.
func (p *powerCuts) cycle(ctx context.Context, s *scene, images []*image) error {
	if s.rng.IntN(8) == 0 { // a first cook
		s.note("no outputs")
		if err := empty(s.out); err != nil {
			return err
		}
		if s.rng.IntN(2) == 0 {
			if err := os.RemoveAll(s.store); err != nil {
				return err
			}
		}
	}
	took := 20 * time.Millisecond
	for range s.rng.IntN(3) {
		if err := p.edits(ctx, s, 1+s.rng.IntN(3)); err != nil {
			return err
		}
		end, err := s.run(ctx, p.way(s)...)
		if err != nil {
			return err
		}
		if end.code > 1 || end.code < 0 {
			return fmt.Errorf("exit %d before the cut: %s", end.code, end.stderr)
		}
		took = end.took
	}
	if err := p.edits(ctx, s, s.rng.IntN(4)); err != nil {
		return err
	}
	return p.cookAndCut(ctx, s, images, took)
}

// way chooses the ordinary run, or now and then one that looks at every asset.
func (p *powerCuts) way(s *scene) []string {
	switch s.rng.IntN(6) {
	case 0:
		return []string{"-v", "-explain"}
	case 1:
		return []string{"-verify"}
	}
	return nil
}

// edits edits and, now and then, waits until stamps are trusted.
func (p *powerCuts) edits(ctx context.Context, s *scene, n int) error {
	if err := s.edits(n); err != nil {
		return err
	}
	if s.rng.IntN(5) < 2 {
		s.note("pause")
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(settle):
		}
	}
	return nil
}

// cookAndCut starts a cook that takes about so long, and cuts the power before
// it ends, or soon after.
func (p *powerCuts) cookAndCut(ctx context.Context, s *scene, images []*image, took time.Duration) error {
	how := []int{shutNow, shutNow, shutNow, shutWriteLog, shutWriteLog, shutWriteAll}[s.rng.IntN(6)]
	wait := time.Duration(s.rng.Int64N(int64(took + took/3)))
	killFirst := s.rng.IntN(2) == 0
	if len(images) > 1 && s.rng.IntN(2) == 0 {
		images[0], images[1] = images[1], images[0]
	}
	var text strings.Builder
	cmd := s.command(ctx, p.way(s)...)
	cmd.Stdout, cmd.Stderr = &text, &text
	if err := cmd.Start(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	time.Sleep(wait)
	var err error
	if killFirst {
		cmd.Process.Kill()
	}
	for _, m := range images {
		err = errors.Join(err, m.cut(how))
	}
	cmd.Process.Kill()
	select {
	case exit := <-ended:
		if exit != nil {
			p.amid.Add(1)
		}
		s.note("cut (%d) after %s of %s; cook said: %s", how, wait, took, text.String())
	case <-time.After(time.Minute):
		return errors.New("cook cannot be killed")
	}
	for _, m := range images {
		err = errors.Join(err, m.powerUp())
	}
	if err == nil {
		err = p.mendRules(ctx, s)
	}
	if err == nil && s.rng.IntN(3) == 0 { // so that what was made is no longer right
		err = s.edits(1 + s.rng.IntN(3))
	}
	return err
}

// mendRules does what the user has to if the cut has spoilt the rules.
func (p *powerCuts) mendRules(ctx context.Context, s *scene) error {
	_, _, err := s.fromScratch(ctx)
	var config *cook.ConfigError
	if !errors.As(err, &config) {
		return err
	}
	end, err := s.run(ctx)
	if err != nil {
		return err
	}
	if end.code != 2 {
		return fmt.Errorf("exit %d with rules that the cut has spoilt, want 2: %s", end.code, end.stderr)
	}
	return s.changeRules()
}
