package smoke_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"os/exec"

	"github.com/assetcook/assetcook/profile/counters"
	"github.com/assetcook/assetcook/profile/smoke"
)

// The calls in a measurable program.
func ExampleStart() {
	set := counters.New(counters.Options{})
	drawn := set.Counter("scene/drawn")
	run := smoke.Start(set) // nil: no Runner has started this process
	for range 600 {
		drawn.Add(12)
		run.Frame()
	}
	fmt.Println(run == nil, run.Finish())
	// Output: true <nil>
}

// Comparing two builds of that program.
func ExampleRunner_Against() {
	suite := smoke.Suite{
		Name:  "fly through level 1",
		Reset: func(work string) error { return nil },
		Steps: []smoke.Task{{
			Name: "flight",
			Command: func(ctx context.Context, program, work string) *exec.Cmd {
				return exec.CommandContext(ctx, program, "-level", "1", "-frames", "600")
			},
		}},
	}
	dir, err := os.MkdirTemp("", "flight-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	runner := smoke.Runner{Suite: suite, Dir: dir, Instructions: smoke.CanCount()}
	found, err := runner.Against(context.Background(), "./game.before", "./game")
	if err != nil {
		log.Print(err)
		return
	}
	smoke.WriteMarkdown(os.Stdout, found.After, found.Changes)
}
