package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/assetcook/assetcook/cook/cooktest"
)

// mostPrinted is how many failures are made short and printed.
const mostPrinted = 3

// edits plays random scripts of package cooktest: after every run the outputs have
// to be those of a run from scratch, and nothing may be done that nothing asked
// for. What fails is printed as a script for cmd/cook/testdata/script.
func edits(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("edits", flag.ContinueOnError)
	var e editing
	flags.IntVar(&e.sequences, "sequences", 1000, "how many scripts")
	flags.IntVar(&e.opt.Rounds, "steps", 10, "rounds of edits and a run in each")
	flags.Uint64Var(&e.seed, "seed", uint64(time.Now().UnixNano()), "of the first script; the next one has the next")
	flags.IntVar(&e.jobs, "jobs", 0, "scripts played side by side (default 4; 200 with -aged, where they mostly wait)")
	flags.StringVar(&e.dir, "dir", os.TempDir(), "folder for assets, outputs and store; its file system's stamps are relied on")
	flags.StringVar(&e.scratch, "scratch", "/dev/shm", "folder for the runs from scratch")
	flags.BoolVar(&e.opt.Aged, "aged", false, "wait between edits and runs until stamps are trusted")
	flags.BoolVar(&e.opt.Mappings, "mmap", false, "write to sources through mappings that stay open")
	flags.BoolVar(&e.opt.Tools, "tools", true, "have some assets cooked by a program")
	if flags.Parse(args) != nil {
		return errUsage
	}
	if e.jobs == 0 {
		e.jobs = 4
		if e.opt.Aged {
			e.jobs = 200
		}
	}
	return e.run(ctx)
}

type editing struct {
	sequences, jobs int
	seed            uint64
	dir, scratch    string
	opt             cooktest.Options

	runs, edits, stale, needless, stuck atomic.Int64
	printing                            sync.Mutex
	printed                             int
}

func (e *editing) run(ctx context.Context) error {
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
				e.one(ctx, e.seed+uint64(i))
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
		return errTold
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return mustShow(e.runs.Load(), "runs")
}

// one plays one script and counts how it ended.
func (e *editing) one(ctx context.Context, seed uint64) {
	script := cooktest.Random(seed, e.opt)
	err := e.play(ctx, script)
	if ctx.Err() != nil {
		return
	}
	runs := int64(script.Runs())
	e.runs.Add(runs)
	e.edits.Add(int64(len(script)) - runs)
	var d *cooktest.Difference
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
	if e.printed++; e.printed > mostPrinted || d == nil {
		return
	}
	short := cooktest.Shrink(script[:d.Step+1], func(s cooktest.Script) bool {
		var again *cooktest.Difference
		return errors.As(e.play(ctx, s), &again) && again.Needless == d.Needless
	})
	fmt.Printf("-- seed%d.txtar --\n%s-- end --\n", seed, short.Txtar())
}

// play plays a script in folders of its own.
func (e *editing) play(ctx context.Context, s cooktest.Script) error {
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
	place := cooktest.Place{Dir: filepath.Join(dir, "place"), Scratch: scratch}
	return cooktest.Play(ctx, place, s, cooktest.InProcess)
}
