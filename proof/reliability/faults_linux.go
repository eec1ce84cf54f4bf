//go:build amd64 || arm64

package main

import (
	"context"
	"fmt"
	"os/exec"
	"runtime"
	"sort"
	"strings"

	"github.com/assetcook/assetcook/internal/proof/faults"
)

// archCampaigns returns the campaigns that exist only for this processor architecture.
func archCampaigns() []campaign {
	return []campaign{{"faults", "each fault in each system call on a file", breakCalls}}
}

// breakCalls injects each fault into each file-related system call, in each scene.
func breakCalls(ctx context.Context, args []string) error {
	w := workplace{name: "faults"}
	flags := w.flags()
	sample := flags.Int("sample", 0, "`number` of runs (default: each fault at each call)")
	scenes := flags.String("scenes", "", "`names` of the scenes to play, separated by commas (default all)")
	workers := flags.Int("workers", runtime.GOMAXPROCS(0), "cooks at once")
	if flags.Parse(args) != nil {
		return errUsage
	}
	if err := w.openWorkplace(ctx); err != nil {
		return err
	}
	defer w.closeWorkplace()
	sweep := faults.Sweep{
		Command: func(args ...string) *exec.Cmd { return exec.Command(w.program, args...) },
		Dir:     w.dir, Sample: *sample, Seed: w.seed, Workers: *workers,
		Found:     func(f faults.Finding) { fmt.Println(f) },
		SceneDone: func(scene string, runs int) { fmt.Printf("faults: %s: %d runs\n", scene, runs) },
	}
	if *scenes != "" {
		sweep.Scenes = strings.Split(*scenes, ",")
	}
	tally, err := sweep.Run(ctx)
	var calls []string
	for name, n := range tally.Calls {
		calls = append(calls, fmt.Sprintf("%s %d", name, n))
	}
	sort.Strings(calls)
	fmt.Printf("faults: calls: %s\n", strings.Join(calls, ", "))
	wrong, silent, hangs := tally.Kinds[faults.Wrong], tally.Kinds[faults.Silent], tally.Kinds[faults.Hang]
	fmt.Printf("faults: %d runs in %v (%d missed their call): %d wrong, %d silent, %d hangs\n",
		tally.Runs, w.took(), tally.Missed, wrong, silent, hangs)
	switch broken := wrong + silent + hangs; {
	case err != nil:
		return err
	case broken > 0:
		return fmt.Errorf("%d promises broken", broken)
	}
	return requireNonzero(int64(tally.Runs-tally.Missed), "injected faults")
}
