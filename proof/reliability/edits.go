package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/assetcook/assetcook/internal/proof/minimal"
	"github.com/assetcook/assetcook/internal/proof/oracle"
)

// maxPrinted is the maximum number of failures that are shrunk and printed.
const maxPrinted = 3

// edits plays random scripts of package oracle. After every run the outputs must equal the outputs
// of a run from scratch, and the run must not have done needless work. A failure is printed as a
// script for cook/cli/testdata/script.
func edits(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("edits", flag.ContinueOnError)
	var e editing
	flags.IntVar(&e.sequences, "sequences", 1000, "how many scripts")
	flags.IntVar(&e.opt.Rounds, "steps", 10, "rounds of edits and a run in each")
	flags.Uint64Var(&e.seed, "seed", uint64(time.Now().UnixNano()), "seed of the first script; the following ones count up")
	flags.IntVar(&e.jobs, "jobs", 0, "scripts played in parallel (default 4; 200 with -aged, where they mostly wait)")
	flags.StringVar(&e.dir, "dir", os.TempDir(), "directory for assets, outputs and store; the scripts test the stamps of its file system")
	flags.StringVar(&e.scratch, "scratch", "/dev/shm", "directory for the runs from scratch")
	flags.BoolVar(&e.opt.Aged, "aged", false, "wait between edits and runs until stamps are trusted")
	flags.BoolVar(&e.opt.Mappings, "mmap", false, "write to sources through mappings that stay open")
	flags.BoolVar(&e.opt.Targets, "targets", false, "cook for several targets in turn in every script")
	flags.BoolVar(&e.opt.Tools, "tools", true, "cook some assets with a program")
	flags.BoolVar(&e.opt.Twins, "twins", false, "add links to every script that change between directories with the same names and sizes")
	flags.BoolVar(&e.opt.Lies, "lies", false, "cook with traced programs whose dependency files are wrong, and edit the files that they read")
	if flags.Parse(args) != nil {
		return errUsage
	}
	if e.jobs == 0 {
		e.jobs = 4
		if e.opt.Aged {
			e.jobs = 200
		}
	}
	return e.playScripts(ctx)
}

type editing struct {
	sequences, jobs int
	seed            uint64
	dir, scratch    string
	opt             oracle.Options

	runs, edits, stale, needless, stuck atomic.Int64
	printing                            sync.Mutex
	printed                             int
}

func (e *editing) playScripts(ctx context.Context) error {
	fmt.Printf("edits: seed %d\n", e.seed)
	var err error
	if e.dir, err = os.MkdirTemp(e.dir, "edits"); err != nil {
		return err
	}
	defer os.RemoveAll(e.dir)
	if e.scratch, err = os.MkdirTemp(e.scratch, "edits"); err != nil {
		return err
	}
	defer os.RemoveAll(e.scratch)

	begin := time.Now()
	var next, played atomic.Int64
	var players sync.WaitGroup
	for range e.jobs {
		players.Go(func() {
			for i := next.Add(1) - 1; i < int64(e.sequences) && ctx.Err() == nil; i = next.Add(1) - 1 {
				e.playOneScript(ctx, e.seed+uint64(i))
				played.Add(1)
			}
		})
	}
	players.Wait()
	took := time.Since(begin)
	fmt.Printf("edits: %d sequences, %d runs after %d edits: %d stale, %d needless, %d stuck; seed %d; %.1f runs/s, %v\n",
		played.Load(), e.runs.Load(), e.edits.Load(), e.stale.Load(), e.needless.Load(), e.stuck.Load(), e.seed,
		float64(e.runs.Load())/took.Seconds(), took.Round(time.Second))
	if n := e.stale.Load() + e.needless.Load() + e.stuck.Load(); n > 0 {
		return errReported
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return requireNonzero(e.runs.Load(), "runs")
}

// playOneScript plays one script and counts how it ended.
func (e *editing) playOneScript(ctx context.Context, seed uint64) {
	script := oracle.Random(seed, e.opt)
	err := e.playInNewDirs(ctx, script)
	if ctx.Err() != nil {
		return
	}
	runs := int64(script.Runs())
	e.runs.Add(runs)
	e.edits.Add(int64(len(script)) - runs)
	var d *oracle.Difference
	switch {
	case err == nil:
		return
	case !errors.As(err, &d):
		e.stuck.Add(1)
	case d.Needless:
		e.needless.Add(1)
	default:
		e.stale.Add(1)
	}
	e.printing.Lock()
	defer e.printing.Unlock()
	fmt.Printf("edits: seed %d: %v\n", seed, err)
	if e.printed++; e.printed > maxPrinted || d == nil {
		return
	}
	short := oracle.Shrink(script[:d.Step+1], func(s oracle.Script) bool {
		var again *oracle.Difference
		return errors.As(e.playInNewDirs(ctx, s), &again) && again.Needless == d.Needless
	})
	fmt.Printf("-- seed%d.txtar --\n%s-- end --\n", seed, short.Txtar())
}

// playInNewDirs plays a script in new directories.
func (e *editing) playInNewDirs(ctx context.Context, s oracle.Script) error {
	dir, err := os.MkdirTemp(e.dir, "")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	scratch, err := os.MkdirTemp(e.scratch, "")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	place := oracle.Place{Dir: filepath.Join(dir, "place"), Scratch: scratch}
	return oracle.Play(ctx, place, s, oracle.InProcess)
}

// countCooks runs the sequences of package minimal. Each run must do exactly the work that a model
// predicts, and produce the predicted outputs.
func countCooks(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("minimal", flag.ContinueOnError)
	sequences := flags.Int("sequences", 1000, "how many sequences")
	steps := flags.Int("steps", 10, "rounds of edits and two runs in each")
	seed := flags.Uint64("seed", uint64(time.Now().UnixNano()), "seed of the first sequence; the following ones count up")
	jobs := flags.Int("jobs", 4, "sequences played in parallel")
	parent := flags.String("dir", os.TempDir(), "directory for assets, outputs and store")
	tools := flags.Bool("tools", runtime.GOOS == "linux", "cook some assets with programs, with declared and with traced dependencies")
	if flags.Parse(args) != nil {
		return errUsage
	}
	fmt.Printf("minimal: seed %d\n", *seed)
	dir, err := os.MkdirTemp(*parent, "minimal")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var mu sync.Mutex
	var all minimal.Counts
	next, played, wrong := 0, 0, 0
	play := func() bool {
		mu.Lock()
		n := *seed + uint64(next)
		next++
		mu.Unlock()
		if n-*seed >= uint64(*sequences) || ctx.Err() != nil {
			return false
		}
		at, err := os.MkdirTemp(dir, "")
		counts := minimal.Counts{}
		if err == nil {
			counts, err = minimal.Play(ctx, at, n, minimal.Options{Steps: *steps, Tools: *tools})
			os.RemoveAll(at)
		}
		mu.Lock()
		defer mu.Unlock()
		if ctx.Err() != nil {
			return false
		}
		played++
		all.Runs += counts.Runs
		all.Edits += counts.Edits
		all.Actions += counts.Actions
		all.Cooked += counts.Cooked
		if err != nil {
			wrong++
			fmt.Printf("minimal: %v\n", err)
		}
		return true
	}
	begin := time.Now()
	var players sync.WaitGroup
	for range *jobs {
		players.Go(func() {
			for play() {
			}
		})
	}
	players.Wait()
	fmt.Printf("minimal: %d sequences, %d runs after %d edits: %d recipes executed for %d assets, %d sequences with more or less work; seed %d; %v\n",
		played, all.Runs, all.Edits, all.Cooked, all.Actions, wrong, *seed, time.Since(begin).Round(time.Second))
	if wrong > 0 {
		return errReported
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return requireNonzero(int64(all.Cooked), "recipes carried out")
}
