package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"runtime"
	"sync"
	"time"

	"github.com/assetcook/assetcook/internal/proof/minimal"
)

// countCooks plays sequences of package minimal. Each run must do exactly the work that a model
// predicts, and give the predicted outputs.
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
