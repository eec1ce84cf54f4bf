package smoke

import (
	"context"
	"os/exec"
)

// A Suite is a sequence of steps that a program runs through, each in a process of its
// own and in the state that the step before has left.
type Suite struct {
	Name string
	Sum  string // changes with whatever makes exact figures differ; see [Record]
	// Reset makes a working folder as it is before the first step. It is empty, or as the
	// last step left it.
	Reset func(work string) error
	Steps []Task
}

// A Task is a step to be done.
type Task struct {
	Name    string
	Budgets map[string]float64      // the highest values that figures may have
	Prepare func(work string) error // done before, not measured; nil for nothing
	// Command returns how to start the program so that it does the step; it must call
	// [Start].
	Command func(ctx context.Context, program, work string) *exec.Cmd
	// Inspect returns items that can be seen from outside, such as digests of the files
	// that were made. It is called after each execution that exact figures are taken from;
	// nil for none.
	Inspect func(work string) ([]Item, error)
}
