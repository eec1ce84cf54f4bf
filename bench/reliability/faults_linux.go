//go:build amd64 || arm64

package main

import (
	"context"
	"fmt"
	"os/exec"
	"runtime"
	"sort"
	"strings"

	"github.com/assetcook/assetcook/cook/faultsweep"
)

// ofProcessor is what there is for this kind of processor.
func ofProcessor() []campaign {
	return []campaign{{"faults", "every system call on a file broken in every way", faults}}
}

// faults breaks each system call that concerns a file, in each scene, by each
// fault.
func faults(ctx context.Context, args []string) error {
	w := workplace{name: "faults"}
	flags := w.flags()
	sample := flags.Int("sample", 0, "break a call only so `many` times (default: each one by each fault)")
	scenes := flags.String("scenes", "", "`names` of the scenes to play, separated by commas (default all)")
	workers := flags.Int("workers", runtime.GOMAXPROCS(0), "cooks broken at once")
	if flags.Parse(args) != nil {
		return errUsage
	}
	if err := w.open(ctx); err != nil {
		return err
	}
	defer w.close()
	sweep := faultsweep.Sweep{
		Command: func(args ...string) *exec.Cmd { return exec.Command(w.program, args...) },
		Dir:     w.dir, Sample: *sample, Seed: w.seed, Workers: *workers,
		Found:  func(f faultsweep.Finding) { fmt.Println(f) },
		Played: func(scene string, runs int) { fmt.Printf("faults: %s: %d runs\n", scene, runs) },
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
	wrong, silent, hangs := tally.Kinds[faultsweep.Wrong], tally.Kinds[faultsweep.Silent], tally.Kinds[faultsweep.Hang]
	fmt.Printf("faults: %d runs in %v (%d missed their call): %d wrong, %d silent, %d hangs\n",
		tally.Runs, w.took(), tally.Missed, wrong, silent, hangs)
	switch broken := wrong + silent + hangs; {
	case err != nil:
		return err
	case broken > 0:
		return fmt.Errorf("%d promises broken", broken)
	}
	return mustShow(int64(tally.Runs-tally.Missed), "calls that were broken")
}
