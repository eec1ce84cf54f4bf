package builtin

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/busyfile"
	"github.com/assetcook/assetcook/internal/jobs"
	"github.com/assetcook/assetcook/internal/program"
)

// Run runs a program for a recipe, as the recipe command does, in the same sandbox. The program runs
// in the scratch directory of the job, and reads and writes only there. argv begins with its name, which
// must be one of Traits.Tools. The error has the output of the program.
func Run(ctx context.Context, job *recipe.Job, scratch string, timeout time.Duration, argv []string) error {
	assets, err := filepath.Abs(job.Assets())
	if err != nil {
		return err
	}
	if scratch, err = filepath.Abs(scratch); err != nil {
		return err
	}
	program, err := program.Find(assets, argv[0])
	if err != nil {
		return err
	}
	noteOpen(job)
	c := &Command{Command: argv, Timeout: timeout, Sandbox: true}
	vars, _, used := jobs.Programs(job) // no trace: the program is confined to its inputs
	p := &call{assets: assets, scratch: scratch, program: program, args: argv, vars: vars, used: used}
	p.cell = &cell{assets: scratch, write: []string{scratch}, read: readsOf(program, assets, scratch)}
	if err := c.run(ctx, p, grace); err != nil {
		return fmt.Errorf("%s: %w", argv[0], err)
	}
	return nil
}

// Deliver makes a file that a program has made in the scratch directory the job's first
// output. It returns an error unless it is a plain file of its own.
func Deliver(job *recipe.Job, file string) error {
	if err := checkOutput(file); err != nil {
		return fmt.Errorf("the program %w its output", err)
	}
	return busyfile.Rename(file, job.OutputFile(0))
}
