package builtin

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/assetcook/assetcook/cook/recipe"
)

// Run runs a program for a recipe as the recipe command does: in the asset folder,
// without a shell, with an environment that is the same everywhere, and with nothing
// left behind of it. Its name comes first; the recipe must be a recipe.ToolUser that
// names it. The error carries what it printed.
func Run(ctx context.Context, job *recipe.Job, timeout time.Duration, argv []string) error {
	assets, err := filepath.Abs(job.Assets())
	if err != nil {
		return err
	}
	scratch, err := job.Scratch()
	if err != nil {
		return err
	}
	program, err := recipe.FindTool(assets, argv[0])
	if err != nil {
		return err
	}
	c := &Command{Command: argv, Timeout: timeout}
	if err := c.run(ctx, &call{assets: assets, scratch: scratch, program: program, args: argv, vars: job.Vars()}, grace); err != nil {
		return fmt.Errorf("%s: %w", argv[0], err)
	}
	return nil
}

// CheckOutput returns an error unless a program has made a plain file of its own.
func CheckOutput(file string) error {
	if err := checkOutput(file); err != nil {
		return fmt.Errorf("the program %w its output", err)
	}
	return nil
}
