//go:build unix

package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// rounds is the main part of most campaigns. It injects faults and checks the results, with
// several jobs in parallel.
type rounds struct {
	workplace
	count int // total number of rounds
	jobs  int // number of jobs, each with its own tree; 0 if the campaign does not use the method each

	next, done, wrong atomic.Int64
}

// maxReported is the maximum number of failed rounds that are printed in full.
const maxReported = 10

// flags returns a flag set. The flag named each sets the number of rounds. The current values of
// count and jobs are the defaults.
func (r *rounds) flags(each string) *flag.FlagSet {
	fs := r.workplace.flags()
	fs.IntVar(&r.count, each, r.count, "how many")
	if r.jobs > 0 {
		fs.IntVar(&r.jobs, "jobs", r.jobs, "how many trees to work on in parallel")
	}
	return fs
}

// A job plays one round after another.
type job struct {
	// These are the scenes of the job. After a failed round, their logs are printed, and their
	// outputs and stores are removed.
	scenes []*scene
	// round plays one round, and returns the failed check. An errScene ends the campaign.
	round func(ctx context.Context) error
	end   func() // may be nil
}

// playAllRounds plays all rounds. It calls begin for each job; jobs are numbered from 0. end is
// called even if begin failed for the job.
func (r *rounds) playAllRounds(ctx context.Context, begin func(ctx context.Context, n int) (job, error)) error {
	var group sync.WaitGroup
	errs := make([]error, r.jobs)
	for n := range r.jobs {
		group.Go(func() {
			j, err := begin(ctx, n)
			if j.end != nil {
				defer j.end()
			}
			if err == nil {
				err = r.playJobRounds(ctx, n, j)
			}
			errs[n] = err
		})
	}
	group.Wait()
	return errors.Join(errs...)
}

func (r *rounds) playJobRounds(ctx context.Context, n int, j job) error {
	for r.next.Add(1) <= int64(r.count) && ctx.Err() == nil {
		for _, s := range j.scenes {
			s.log, s.recent = nil, nil
		}
		err := j.round(ctx)
		if ctx.Err() != nil {
			return nil
		}
		r.done.Add(1)
		if err == nil {
			continue
		}
		var log []string
		var emptied error
		for _, s := range j.scenes {
			log = append(log, s.log...)
			emptied = errors.Join(emptied, s.emptySceneDirs())
		}
		if errors.Is(err, errScene) {
			return fmt.Errorf("job %d: %w\n  %s", n, err, strings.Join(log, "\n  "))
		}
		r.reportFailedRound(fmt.Sprintf("job %d", n), log, err)
		if emptied != nil {
			return emptied
		}
	}
	return nil
}

// reportFailedRound counts a failed round, and prints the failure with the log of the round.
func (r *rounds) reportFailedRound(where string, log []string, err error) {
	if r.wrong.Add(1) <= maxReported {
		fmt.Printf("wrong: %s: %v\n  %s\n", where, err, strings.Join(log, "\n  "))
	}
}

// printLastLine prints the last line, with the campaign's counts. It returns err or, if a check
// failed or the fault was never injected (times is 0), an error that says so.
func (r *rounds) printLastLine(ctx context.Context, err error, counted string, times int64, what string) error {
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
	return requireNonzero(times, what)
}

// newJobScene returns a scene in an empty directory. Scenes with different stream numbers use
// different random numbers.
func (r *rounds) newJobScene(dir string, stream uint64) *scene {
	return &scene{
		assets: filepath.Join(dir, "assets"), out: filepath.Join(dir, "cooked"), store: filepath.Join(dir, "store"),
		scratch: dir, program: r.program, rng: rand.New(rand.NewPCG(r.seed, stream)),
	}
}

// A workplace holds the working directory and the cook command of a campaign.
type workplace struct {
	name    string // name of the campaign in its output
	seed    uint64
	dir     string // working directory; openWorkplace replaces it by a new subdirectory
	program string
	began   time.Time
}

// flags returns a flag set that sets the fields of the workplace. The current value of dir is the
// default.
func (w *workplace) flags() *flag.FlagSet {
	fs := flag.NewFlagSet(w.name, flag.ContinueOnError)
	fs.Uint64Var(&w.seed, "seed", uint64(time.Now().UnixNano()), "seed of all random numbers; timing varies anyway")
	fs.StringVar(&w.dir, "dir", w.dir, "`directory` to work in, preferably on tmpfs (default: the temporary directory)")
	fs.StringVar(&w.program, "cook", "", "cook `command` (default: built from this module)")
	return fs
}

// openWorkplace prints the seed, creates the working directory and, without -cook, builds the
// command. The function close removes the directory.
func (w *workplace) openWorkplace(ctx context.Context) error {
	fmt.Printf("%s: seed %d\n", w.name, w.seed)
	w.began = time.Now()
	dir, err := os.MkdirTemp(w.dir, w.name)
	if err != nil {
		return err
	}
	w.dir = dir
	if w.program == "" {
		if w.program, err = build(ctx, dir); err != nil {
			w.closeWorkplace()
		}
	}
	return err
}

func (w *workplace) closeWorkplace() { os.RemoveAll(w.dir) }

// took formats the time since openWorkplace.
func (w *workplace) took() time.Duration { return time.Since(w.began).Round(time.Second) }

// build builds the cook command in dir.
func build(ctx context.Context, dir string) (string, error) {
	program := filepath.Join(dir, "cook")
	cmd := exec.CommandContext(ctx, "go", "build", "-o", program, "github.com/assetcook/assetcook/cmd/cook")
	if text, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build cook: %w: %s", err, text)
	}
	return program, nil
}

// cpuTime returns the CPU time of this process, which does not depend on other load.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0 // cannot fail for this process
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
