package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/assetcook/assetcook/internal/proof/oracle"
)

func systemCampaigns() []campaign {
	return append([]campaign{
		{"disk", "full disks at many levels, and denied permissions (as root)", disk},
		{"kills", "SIGKILL at random instants of first, incremental and watching runs", kills},
		{"looks", "traced programs that access a tree in many ways, with random edits between and during runs", looks},
		{"power", "power cuts of ext4 and xfs while cook works on them (as root)", power},
		{"together", togetherAbout, together},
	}, archCampaigns()...)
}

// looks runs random sequences with oracle.PlayLooks.
func looks(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("looks", flag.ContinueOnError)
	sequences := flags.Int("sequences", 400, "how many sequences")
	steps := flags.Int("steps", 5, "rounds of edits and runs in each")
	seed := flags.Uint64("seed", uint64(time.Now().UnixNano()), "seed of the first sequence; the following ones count up")
	jobs := flags.Int("jobs", 4, "sequences played in parallel")
	racing := flags.Bool("racing", true, "make some edits while programs run")
	parent := flags.String("dir", os.TempDir(), "directory for assets, outputs and store")
	if flags.Parse(args) != nil {
		return errUsage
	}
	fmt.Printf("looks: seed %d\n", *seed)
	dir, err := os.MkdirTemp(*parent, "looks")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	numbers := make(chan int)
	var mu sync.Mutex
	var all oracle.LooksCounts
	played, wrong := 0, 0
	begin := time.Now()
	var players sync.WaitGroup
	for range *jobs {
		players.Go(func() {
			for n := range numbers {
				at := filepath.Join(dir, fmt.Sprint(n))
				counts, err := oracle.PlayLooks(ctx, at, *seed+uint64(n), oracle.LooksOptions{Steps: *steps, Racing: *racing})
				os.RemoveAll(at)
				mu.Lock()
				if ctx.Err() == nil {
					played++
					all.Runs, all.Edits, all.Raced, all.Failed = all.Runs+counts.Runs, all.Edits+counts.Edits, all.Raced+counts.Raced, all.Failed+counts.Failed
					if err != nil {
						wrong++
						fmt.Printf("looks: %v\n", err)
					}
				}
				mu.Unlock()
			}
		})
	}
	for n := 0; n < *sequences && ctx.Err() == nil; n++ {
		numbers <- n
	}
	close(numbers)
	players.Wait()
	fmt.Printf("looks: %d sequences, %d rounds after %d edits and %d while programs ran: %d programs failed, %d sequences wrong; seed %d; %v\n",
		played, all.Runs, all.Edits, all.Raced, all.Failed, wrong, *seed, time.Since(begin).Round(time.Second))
	if wrong > 0 {
		return errReported
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return requireNonzero(int64(all.Runs), "rounds")
}
