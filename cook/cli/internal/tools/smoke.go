package tools

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/cli/internal/cmdline"
	"github.com/assetcook/assetcook/cook/internal/scenario"
	"github.com/assetcook/assetcook/internal/atomicfile"
	"github.com/assetcook/assetcook/internal/busyfile"
	"github.com/assetcook/assetcook/internal/frontend"
	"github.com/assetcook/assetcook/internal/smokerun"
	"github.com/assetcook/assetcook/profile/smoke"
)

const smokeText = `usage: cook smoke [flags] FILE

Finds performance regressions: runs the steps of a scenario (FILE, in TOML), counts their work
and its cost, and compares the figures with a baseline. Counters, the highest frame and the
longest run of spikes of each counter, and artifacts must be the same. Levels that are the same
in every execution, such as peak memory, may not grow; allocated bytes and executed instructions
may grow by 0.1 %.
Processor time is compared only between two programs that take turns (-against).
Prints a summary in Markdown. Exit status 3 means that a figure is worse than allowed.

A scenario:
	[tree]
	dir = "assets"      # or: files = 2000, folders = 40, bytes = 4096, seed = 1

	[[step]]
	do = "cook"         # the first cook cooks all assets; if nothing changed, a no-op run
	name = "first cook" # default: the value of do
	passes = 20         # number of cooks in one process; default 1
	[step.budget]
	"cpu/ns" = 2e9      # highest value of a figure; NAME/peak, NAME/spikes: in frames

	[[step]]
	do = "edit"         # also: touch, rename, remove (then cook); restore, force, verify
	match = ["*.json"]  # default: all
	count = 5           # default: all that match

	[[step]]
	do = "run"          # any program that calls smoke.Start of package profile/smoke
	run = ["{program}", "-frames", "600"]

Example:
	cook smoke -baseline smoke.json -history smoke.jsonl -html smoke.html smoke.toml
`

// unset is the value of a numeric flag that was not given.
const unset = -1

// Smoke is the verb "cook smoke".
var Smoke = cmdline.Verb{
	Name: "smoke", Synopsis: "smoke [flags] FILE", Summary: "measure repeated runs and find regressions", Text: smokeText,
	Takes: cmdline.Argument{Files: true},
	New:   func() cmdline.Handler { return new(smokeOptions).handler() },
	Run: func(ctx context.Context, c *cmdline.Call) int {
		if smoke.Started() {
			return runSmokeStep(ctx, c)
		}
		return c.Do(ctx, c.Find("smoke"), new(smokeOptions).handler())
	},
}

type smokeOptions struct {
	program, against        string
	baseline, history, html string
	record, engine          string
	update, exact           bool
	times                   int
	instructions            string
	quiet                   bool

	stdout, stderr io.Writer
}

func (r *smokeOptions) handler() cmdline.Handler {
	return cmdline.Handler{Flags: r.smokeFlags, Run: r.runSmoke}
}

func (r *smokeOptions) smokeFlags(fs *flag.FlagSet) {
	fs.StringVar(&r.program, "program", "", "`program` to measure (default: this one)")
	fs.StringVar(&r.against, "against", "", "compare with this `program`, an older build: both are run in turn")
	fs.StringVar(&r.baseline, "baseline", "", "compare with the record in this `file`")
	fs.BoolVar(&r.update, "update", false, "write the record to the baseline instead of comparing")
	fs.BoolVar(&r.exact, "exact", false, "compare only figures that never vary between runs, and do not record allocations; with -update, write only such figures to the baseline")
	fs.StringVar(&r.record, "record", "", "write the record to this `file`")
	fs.StringVar(&r.history, "history", "", "append the record to this `file` and print the changes since the previous record")
	fs.StringVar(&r.html, "html", "", "write a page with the trend of each figure to this `file`; needs -history")
	fs.IntVar(&r.times, "times", unset, "`number` of times that each step is timed (default: 5; with -against as many as its noise demands, 30 to 400)")
	cmdline.ListedFlag(fs, &r.instructions, "instructions", "auto", "count instructions with valgrind: `yes`, no, or auto: if it is installed", instructionChoices)
	cmdline.EngineFlag(fs, &r.engine)
	fs.BoolVar(&r.quiet, "q", false, "do not print progress")
}

// instructionChoices returns the values of -instructions.
func instructionChoices() []string { return []string{"yes", "no", "auto"} }

func (r *smokeOptions) runSmoke(ctx context.Context, c *cmdline.Call, files []string) int {
	r.stdout, r.stderr = c.Stdout, c.Stderr
	if err := r.checkRecordings(files); err != nil {
		return c.Wrong("%v", err)
	}
	s, err := scenario.Read(files[0])
	if err != nil {
		return c.Wrong("%v", err)
	}
	c.AtWork()
	changes, err := r.measureAndCompare(ctx, s)
	if err != nil {
		return c.Fail(ctx, err)
	}
	for i := range changes {
		if changes[i].Worse() && (!r.exact || changes[i].Class == smokerun.Exact) {
			return cmdline.Different
		}
	}
	return frontend.OK
}

// checkRecordings returns an error if the flags for recordings contradict each other.
func (r *smokeOptions) checkRecordings(files []string) error {
	switch {
	case len(files) != 1:
		return errors.New("want one scenario; see cook help smoke")
	case r.update && r.baseline == "":
		return errors.New("-update writes the baseline; name its file with -baseline")
	case r.html != "" && r.history == "":
		return errors.New("-html draws the history; name its file with -history")
	case r.against != "" && r.baseline != "":
		return errors.New("-against and -baseline cannot be combined; choose one")
	case r.times < unset || r.times > 10_000:
		return fmt.Errorf("-times %d: want 0 to 10000", r.times)
	case !slices.Contains(instructionChoices(), r.instructions):
		return fmt.Errorf("-instructions %s: want yes, no or auto", r.instructions)
	case r.instructions == "yes" && !smokerun.CanCount():
		return errors.New("-instructions yes: valgrind is not installed; install it, or choose auto")
	}
	return nil
}

// measureAndCompare measures the steps of a scenario, compares the results, and writes the
// requested files.
func (r *smokeOptions) measureAndCompare(ctx context.Context, s *scenario.Scenario) ([]smokerun.Change, error) {
	suite, err := s.Suite(r.stepArgs)
	if err != nil {
		return nil, err
	}
	if r.program == "" {
		if r.program, err = os.Executable(); err != nil {
			return nil, err
		}
	}
	// The length of the name is fixed because it influences the number of allocations.
	dir := filepath.Join(os.TempDir(), fmt.Sprintf("cook-smoke-%010d", os.Getpid()))
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, err
	}
	defer busyfile.RemoveAll(dir)
	runner := smokerun.Runner{
		Suite: suite, Dir: dir, Times: r.times,
		Instructions:  r.instructions == "yes" || r.instructions == "auto" && smokerun.CanCount(),
		NoAllocations: r.exact,
	}
	if r.times == unset {
		runner.Times = 0
		if r.against == "" {
			runner.Times = smokerun.DefaultTimes
		}
	}
	if !r.quiet {
		runner.Log = func(line string) { fmt.Fprintf(r.stderr, "cook: smoke: %s\n", line) }
	}
	record, changes, err := r.measureSmoke(ctx, &runner)
	if err != nil {
		return nil, err
	}
	changes = append(changes, smokerun.OverBudget(record)...)
	if err := smokerun.WriteMarkdown(r.stdout, record, changes); err != nil {
		return nil, err
	}
	return changes, r.keepRecord(record)
}

// measureSmoke measures the steps of a scenario, and compares them with another program or with the
// baseline.
func (r *smokeOptions) measureSmoke(ctx context.Context, runner *smokerun.Runner) (*smokerun.Record, []smokerun.Change, error) {
	if r.against != "" {
		c, err := runner.Against(ctx, r.against, r.program)
		if err != nil {
			return nil, nil, err
		}
		for _, step := range c.After.Steps {
			fmt.Fprintf(r.stderr, "cook: smoke: %s: %d rounds; a change of processor time by %.1f %% would have been found\n", step.Name, c.Rounds, 100*c.Detectable[step.Name])
		}
		return c.After, c.Changes, nil
	}
	var before *smokerun.Record
	if r.baseline != "" && !r.update {
		var err error
		if before, err = smokerun.ReadFile(r.baseline); err != nil {
			return nil, nil, fmt.Errorf("baseline: %w", err)
		}
	}
	record, err := runner.Run(ctx, r.program)
	if err != nil || before == nil {
		return record, nil, err
	}
	changes, err := smokerun.Compare(before, record)
	if err != nil {
		return nil, nil, fmt.Errorf("baseline %s: %w; write a new one with -update", r.baseline, err)
	}
	return record, changes, nil
}

// keepRecord writes the measurements to the files that flags name.
func (r *smokeOptions) keepRecord(record *smokerun.Record) error {
	if r.update {
		baseline := record
		if r.exact {
			baseline = record.OnlyExact()
		}
		if err := baseline.WriteFile(r.baseline); err != nil {
			return err
		}
	}
	if r.record != "" {
		if err := record.WriteFile(r.record); err != nil {
			return err
		}
	}
	if r.history == "" {
		return nil
	}
	if err := smokerun.Append(r.history, record); err != nil {
		return err
	}
	history, skipped, err := smokerun.ReadHistory(r.history, record.Suite)
	if err != nil {
		return err
	}
	if skipped > 0 {
		fmt.Fprintf(r.stderr, "cook: smoke: %s: %d lines were skipped, because they are damaged or from another version\n", r.history, skipped)
	}
	for _, shift := range history.Shifts() {
		if shift.At >= len(history)-smokerun.FreshRecords {
			fmt.Fprintf(r.stdout, "\nhistory, since %s: %s\n", history[shift.At].Build, shift.String())
		}
	}
	if r.html == "" {
		return nil
	}
	return atomicfile.Write(r.html, 0o666, history.WriteHTML)
}

// stepArgs returns the arguments that make a cook program run one step of a scenario.
func (r *smokeOptions) stepArgs(step *scenario.Step, work string) []string {
	args := []string{"smoke", "-step", step.Do, "-work", work, "-passes", strconv.Itoa(step.Passes)}
	if r.engine != "" {
		args = append(args, "-engine", r.engine)
	}
	return args
}

// runSmokeStep runs one step of a scenario, while the parent process measures it.
func runSmokeStep(ctx context.Context, c *cmdline.Call) int {
	fs := flag.NewFlagSet("cook smoke", flag.ContinueOnError)
	do := fs.String("step", "", "")
	work := fs.String("work", "", "")
	passes := fs.Int("passes", 1, "")
	project := cook.Project{Recipes: c.Recipes}
	cmdline.EngineFlag(fs, &project.Engine)
	if _, err := frontend.Parse(fs, c.Args); err != nil {
		return c.Wrong("%v", err)
	}
	if err := scenario.Do(ctx, *do, *passes, *work, project); err != nil {
		return c.Fail(ctx, err)
	}
	return frontend.OK
}
