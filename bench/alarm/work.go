package main

import (
	"crypto/sha256"
	"flag"

	"github.com/assetcook/assetcook/profile/counters"
	"github.com/assetcook/assetcook/profile/smoke"
)

// The amount of work without a planted change.
const (
	units     = 12_000 // some microseconds each
	unitBytes = 1 << 10

	buffers     = 400
	bufferBytes = 2 << 10
)

var (
	digest [sha256.Size]byte
	kept   [][]byte
)

// work is the measured program.
func work(args []string) error {
	flags := flag.NewFlagSet("alarm", flag.ExitOnError)
	more, allocations := factor(flags, "time"), factor(flags, "allocations")
	counts := flags.Int64("counts", 0, "")
	state := flags.String("item", "made", "")
	if err := flags.Parse(args); err != nil {
		return err
	}
	set := counters.New(counters.Options{Max: 16})
	run := smoke.Start(set)
	set.Counter("work/units").Add(units + *counts)
	run.Item("result", *state, 0)
	for range int(buffers * *allocations) {
		kept = append(kept, make([]byte, bufferBytes))
	}
	compute(int(units * *more))
	return run.Finish()
}

func compute(n int) {
	var block [unitBytes]byte
	for range n {
		digest = sha256.Sum256(block[:])
		copy(block[:], digest[:])
	}
}
