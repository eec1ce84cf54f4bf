//go:build unix

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
)

// rounds are what most campaigns consist of: harm and a look at what came of it,
// again and again, with some jobs side by side.
type rounds struct {
	workplace
	count int // how many in all
	jobs  int // each with a tree of its own; 0 if the campaign does not use each

	next, done, wrong atomic.Int64
}

// mostTold is how many of the rounds that went wrong are told in full.
const mostTold = 10

// flags has the number of rounds under the name of what happens in each, for
// which what count and jobs are already is the default.
func (r *rounds) flags(each string) *flag.FlagSet {
	fs := r.workplace.flags()
	fs.IntVar(&r.count, each, r.count, "how many")
	if r.jobs > 0 {
		fs.IntVar(&r.jobs, "jobs", r.jobs, "how many trees are worked on side by side")
	}
	return fs
}

// A job is what plays one round after another.
type job struct {
	// scenes are emptied of outputs and store, and their logs are told, after a
	// round that went wrong.
	scenes []*scene
	// round plays one and says what was wrong. An errScene ends the campaign.
	round func(ctx context.Context) error
	end   func() // nil for nothing to do
}

// each plays all rounds. begin makes the jobs, which are numbered from 0; the
// end of one that could not begin is called too.
func (r *rounds) each(ctx context.Context, begin func(ctx context.Context, n int) (job, error)) error {
	var group sync.WaitGroup
	errs := make([]error, r.jobs)
	for n := range r.jobs {
		group.Go(func() {
			j, err := begin(ctx, n)
			if j.end != nil {
				defer j.end()
			}
			if err == nil {
				err = r.play(ctx, n, j)
			}
			errs[n] = err
		})
	}
	group.Wait()
	return errors.Join(errs...)
}

func (r *rounds) play(ctx context.Context, n int, j job) error {
	for r.next.Add(1) <= int64(r.count) && ctx.Err() == nil {
		for _, s := range j.scenes {
			s.log, s.recent = nil, nil
		}
		err := j.round(ctx)
		if ctx.Err() != nil {
			return nil // see over
		}
		r.done.Add(1)
		if err == nil {
			continue
		}
		var log []string
		var emptied error
		for _, s := range j.scenes {
			log = append(log, s.log...)
			emptied = errors.Join(emptied, s.empty())
		}
		if errors.Is(err, errScene) {
			return fmt.Errorf("job %d: %w\n  %s", n, err, strings.Join(log, "\n  "))
		}
		r.tell(fmt.Sprintf("job %d", n), log, err)
		if emptied != nil {
			return emptied
		}
	}
	return nil
}

// tell counts what was wrong, and prints it with what was done before.
func (r *rounds) tell(where string, log []string, err error) {
	if r.wrong.Add(1) <= mostTold {
		fmt.Printf("wrong: %s: %v\n  %s\n", where, err, strings.Join(log, "\n  "))
	}
}

// over prints the last line, with what the campaign has counted, and returns the
// campaign's error: err, or that something was wrong, or that times is 0, which
// is how often that came to pass which it is about.
func (r *rounds) over(ctx context.Context, err error, counted string, times int64, what string) error {
	wrong := r.wrong.Load()
	fmt.Printf("%s: %s, %d wrong, seed %d, %s\n", r.name, counted, wrong, r.seed, r.took())
	switch {
	case err != nil:
		return err
	case wrong > 0:
		return fmt.Errorf("%d wrong", wrong)
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return mustShow(times, what)
}

// scene describes a tree in a folder, in which nothing is yet. stream is a number
// that makes what is drawn in one scene differ from what is drawn in others.
func (r *rounds) scene(dir string, stream uint64) *scene {
	return &scene{
		assets: filepath.Join(dir, "assets"), out: filepath.Join(dir, "cooked"), store: filepath.Join(dir, "store"),
		scratch: dir, program: r.program, rng: rand.New(rand.NewPCG(r.seed, stream)),
	}
}
