package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync/atomic"
	"time"

	"github.com/assetcook/assetcook/cook"
)

// settle is longer than the age at which a stamp is trusted, which is 2.2 s.
const settle = 2350 * time.Millisecond

// power cuts the power of file systems while the cook command works on them.
//
// Between two cuts it edits the sources without syncing, and cooks several times, sometimes after
// a pause that makes the stamps old enough to be trusted. After a cut the file system is mounted
// again. The next run must give the same outputs as a run from scratch with the sources that
// survived.
func power(ctx context.Context, args []string) error {
	p := powerCuts{rounds: rounds{workplace: workplace{name: "power", dir: "/dev/shm"}, count: 500, jobs: 8}}
	flags := p.flags("cuts")
	flags.StringVar(&p.fs, "fs", "ext4", "`ext4 or xfs`")
	flags.BoolVar(&p.apart, "apart", false, "assets on another file system than outputs and store")
	if flags.Parse(args) != nil {
		return errUsage
	}
	work, err := inMountNamespace()
	if err != nil || !work {
		return err
	}
	if err := p.openWorkplace(ctx); err != nil {
		return err
	}
	defer p.closeWorkplace()
	return p.run(ctx)
}

// powerCuts is the campaign power. Its jobs mostly wait, so there are many.
type powerCuts struct {
	rounds
	fs    string
	apart bool
	amid  atomic.Int64
}

func (p *powerCuts) run(ctx context.Context) error {
	err := p.each(ctx, p.job)
	counted := fmt.Sprintf("%s, apart %t: %d cuts, %d amid a cook", p.fs, p.apart, p.done.Load(), p.amid.Load())
	return p.printLastLine(ctx, err, counted, p.amid.Load(), "cuts amid a cook")
}

// job returns a job with its own file system, or two.
func (p *powerCuts) job(_ context.Context, n int) (j job, err error) {
	var images []*image
	j.end = func() {
		for _, m := range images {
			m.remove()
		}
	}
	names := []string{"job"}
	if p.apart {
		names = append(names, "assets")
	}
	for _, name := range names {
		m, err := newImage(p.dir, fmt.Sprint(name, n), p.fs)
		if err != nil {
			return j, err
		}
		images = append(images, m)
	}
	s := p.scene(images[0].at, uint64(n))
	s.assets, s.scratch = filepath.Join(images[len(images)-1].at, "assets"), p.dir
	j.scenes = []*scene{s}
	j.round = func(ctx context.Context) error {
		if err := p.cycle(ctx, s, images); err != nil {
			return err
		}
		return s.checkScene(ctx)
	}
	if err := s.fill(); err != nil {
		return j, err
	}
	for _, m := range images { // otherwise a cut could lose everything, and would test nothing
		if err := m.sync(); err != nil {
			return j, err
		}
	}
	return j, nil
}

// cycle edits, cooks, and cuts the power once.
func (p *powerCuts) cycle(ctx context.Context, s *scene, images []*image) error {
	if s.rng.IntN(8) == 0 { // a first cook
		if err := s.forgetOutputs(); err != nil {
			return err
		}
	}
	took := 20 * time.Millisecond
	for range s.rng.IntN(3) {
		if err := p.edits(ctx, s, 1+s.rng.IntN(3)); err != nil {
			return err
		}
		var err error
		if took, err = s.cookBefore(ctx, p.runFlags(s)...); err != nil {
			return err
		}
	}
	if err := p.edits(ctx, s, s.rng.IntN(4)); err != nil {
		return err
	}
	return p.cookAndCut(ctx, s, images, took)
}

// runFlags mostly chooses an ordinary run, and sometimes one that checks every asset.
func (p *powerCuts) runFlags(s *scene) []string {
	switch s.rng.IntN(6) {
	case 0:
		return []string{"-v", "-explain"}
	case 1:
		return []string{"-verify"}
	}
	return nil
}

// edits makes n edits, and sometimes waits until stamps are trusted.
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

// cookAndCut starts a cook that is expected to take a certain time, and cuts the power before it
// ends or soon after.
func (p *powerCuts) cookAndCut(ctx context.Context, s *scene, images []*image, took time.Duration) error {
	how := []int{shutNow, shutNow, shutNow, shutWriteLog, shutWriteLog, shutWriteAll}[s.rng.IntN(6)]
	wait := s.part(took)
	killFirst := s.rng.IntN(2) == 0
	if len(images) > 1 && s.rng.IntN(2) == 0 {
		images = []*image{images[1], images[0]}
	}
	amid, err := s.runAndKill(ctx, wait, func(kill func()) error {
		s.note("cut (%d)", how)
		if killFirst {
			kill()
		}
		var err error
		for _, m := range images {
			err = errors.Join(err, m.cut(how))
		}
		return sceneError(err)
	}, p.runFlags(s)...)
	if amid {
		p.amid.Add(1)
	}
	if err != nil {
		return err
	}
	for _, m := range images {
		err = errors.Join(err, m.powerUp())
	}
	if err != nil {
		return sceneError(err)
	}
	if err := p.repairRules(ctx, s); err != nil {
		return err
	}
	switch s.rng.IntN(6) { // so that the outputs are stale
	case 0:
		return s.editRecent()
	case 1, 2:
		return s.edits(1 + s.rng.IntN(3))
	}
	return nil
}

// repairRules replaces rules that the cut has damaged, as a user would.
func (p *powerCuts) repairRules(ctx context.Context, s *scene) error {
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
		return fmt.Errorf("exit %d with damaged rules, want 2: %s", end.code, end.stderr)
	}
	return s.changeRules()
}
