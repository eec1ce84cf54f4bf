//go:build amd64 || arm64

package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sort"
	"strings"
	"time"

	"github.com/assetcook/assetcook/cook/faultsweep"
	"github.com/assetcook/assetcook/internal/faultfs"
)

func init() {
	faultfs.Init() // this process may be one that is to become cook
	campaigns["faults"] = campaign{"every system call on a file broken in every way", faults}
}

// faults breaks each system call that concerns a file, in each scene, by each
// fault.
func faults(ctx context.Context, args []string) error {
	flags := flag.NewFlagSet("faults", flag.ContinueOnError)
	sample := flags.Int("sample", 0, "break a call only so `many` times (default: each one by each fault)")
	seed := flags.Uint64("seed", uint64(time.Now().UnixNano()%1e6), "decides which calls a sample has")
	scenes := flags.String("scenes", "", "`names` of the scenes to play, separated by commas (default all)")
	workers := flags.Int("workers", runtime.GOMAXPROCS(0), "cooks broken at once")
	program := flags.String("cook", "", "the `program` to break (default: the one built from here)")
	dir := flags.String("dir", "", "`folder` to work in (default: a temporary one)")
	if err := flags.Parse(args); err != nil {
		return errUsage
	}
	fmt.Printf("faults: seed %d\n", *seed)
	work, err := os.MkdirTemp(*dir, "cook-faults")
	if err != nil {
		return err
	}
	defer os.RemoveAll(work)
	if *program == "" {
		*program = filepath.Join(work, "cook")
		build := exec.CommandContext(ctx, "go", "build", "-o", *program, "github.com/assetcook/assetcook/cmd/cook")
		if out, err := build.CombinedOutput(); err != nil {
			return fmt.Errorf("%w\n%s", err, out)
		}
	}
	sweep := faultsweep.Sweep{
		Command: func(args ...string) *exec.Cmd { return exec.Command(*program, args...) },
		Dir:     work, Sample: *sample, Seed: *seed, Workers: *workers,
		Found:  func(f faultsweep.Finding) { fmt.Println(f) },
		Played: func(scene string, runs int) { fmt.Printf("faults: %s: %d runs\n", scene, runs) },
	}
	if *scenes != "" {
		sweep.Scenes = strings.Split(*scenes, ",")
	}
	begin := time.Now()
	tally, err := sweep.Run(ctx)
	var calls []string
	for name, n := range tally.Calls {
		calls = append(calls, fmt.Sprintf("%s %d", name, n))
	}
	sort.Strings(calls)
	fmt.Printf("faults: calls: %s\n", strings.Join(calls, ", "))
	wrong, silent, hangs := tally.Kinds[faultsweep.Wrong], tally.Kinds[faultsweep.Silent], tally.Kinds[faultsweep.Hang]
	fmt.Printf("faults: %d runs in %v (%d missed their call): %d wrong, %d silent, %d hangs\n",
		tally.Runs, time.Since(begin).Round(time.Second), tally.Missed, wrong, silent, hangs)
	if err == nil && wrong+silent+hangs > 0 {
		err = fmt.Errorf("%d promises broken", wrong+silent+hangs)
	}
	return err
}
