// Command alarm measures how often a comparison of two builds (package profile/smoke) is wrong. It
// compares a program with itself, where every alarm is false, and with a changed version of itself,
// where no alarm is a miss.
//
//	go run ./bench/alarm -same 1000 -rounds 10 -out runs.jsonl
//	go run ./bench/alarm -same 200 -changed 200 -only time -out runs.jsonl
//	go run ./bench/alarm -report runs.jsonl -svg bench/results/smoke.svg
//
// Each comparison executes this program in separate processes that run alternately. Each process
// computes and allocates for some milliseconds. With -report the command prints the table of
// bench/results/smoke.md from the recorded runs, and draws the receiver operating characteristic of
// three tests on the same processor times: the U test, Welch's t-test, and a fixed threshold for
// the ratio of the means.
package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/assetcook/assetcook/internal/smokerun"
	"github.com/assetcook/assetcook/profile/counters"
	"github.com/assetcook/assetcook/profile/smoke"
)

func main() {
	if smoke.Started() {
		exit(work(os.Args[1:]))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	exit(runAlarm(ctx, os.Args[1:], os.Stdout))
}

func exit(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "alarm:", err)
		os.Exit(1)
	}
	os.Exit(0)
}

func runAlarm(ctx context.Context, args []string, stdout io.Writer) error {
	flags := flag.NewFlagSet("alarm", flag.ExitOnError)
	same := flags.Int("same", 0, "`number` of comparisons of a program with itself")
	changed := flags.Int("changed", 0, "`number` of comparisons with a changed one")
	only := flags.String("only", "", "plant only changes whose name has this `text`")
	rounds := flags.Int("rounds", 0, "`number` of rounds of each comparison (default: depends on the noise)")
	out := flags.String("out", "runs.jsonl", "`file` to append results to")
	report := flags.String("report", "", "print the table of the results in this `file` instead")
	svg := flags.String("svg", "", "`file` for a picture of the report")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *report != "" {
		return writeReport(*report, *svg, stdout)
	}
	f, err := os.OpenFile(*out, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	defer f.Close()
	chosen := slices.DeleteFunc(slices.Clone(changes), func(c change) bool { return !strings.Contains(c.Name, *only) })
	if len(chosen) == 0 {
		return fmt.Errorf("no change is called %q", *only)
	}
	for i := range *same + *changed {
		// Unchanged and changed comparisons alternate, so that neither kind runs only while the
		// machine is fast.
		c := unchanged
		if i**changed/(*same+*changed) != (i+1)**changed/(*same+*changed) {
			c = chosen[i**changed/(*same+*changed)%len(chosen)]
		}
		t, err := compareAlarms(ctx, c, *rounds)
		if err != nil {
			return err
		}
		line, err := json.Marshal(t)
		if err != nil {
			return err
		}
		if _, err := f.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return f.Close()
}

// A change modifies one of the two compared programs. The comparison must detect the change.
type change struct {
	Name   string
	Figure string // name of the figure that the comparison must report; "" if nothing changed
	args   []string
}

var unchanged = change{Name: "none"}

// changes lists the changes that the command measures.
var changes = []change{
	{"processor time +3 %", smokerun.CPUTime, []string{"-time", "1.038"}}, // The 3 % include the start of the process, so the work itself grows by 3.8 %.
	{"one count more", "work/units", []string{"-counts", "1"}},
	{"processor time +5 %", smokerun.CPUTime, []string{"-time", "1.066"}},
	{"allocations +1 %", smokerun.AllocatedBytes, []string{"-allocations", "1.01"}},
	{"an item made otherwise", smokerun.Items, []string{"-item", "otherwise"}},
}

// A trial is the result of one comparison.
type trial struct {
	Change  string
	Tripped []tripped
	Rounds  int
	// Before and After are the processor times of the two builds in the first measurement.
	Before, After []float64
}

type tripped struct{ Figure, Class string }

// compareAlarms compares this program with itself, once unchanged and once with the change.
func compareAlarms(ctx context.Context, c change, rounds int) (*trial, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "alarm-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	suite := smokerun.Suite{Name: "alarm", Sum: "1", Reset: func(string) error { return nil }}
	suite.Steps = []smokerun.Task{{Name: "work", Command: func(ctx context.Context, program, work string) *exec.Cmd {
		if filepath.Base(work) == "b" {
			return exec.CommandContext(ctx, program, c.args...)
		}
		return exec.CommandContext(ctx, program)
	}}}
	runner := smokerun.Runner{Suite: suite, Dir: dir, Times: rounds}
	found, err := runner.Against(ctx, exe, exe)
	if err != nil {
		return nil, err
	}
	t := &trial{Change: c.Name, Rounds: found.Rounds}
	for _, c := range found.Changes {
		t.Tripped = append(t.Tripped, tripped{c.Figure, string(c.Class)})
	}
	before, _ := found.Before.Steps[0].Figure(smokerun.CPUTime)
	after, _ := found.After.Steps[0].Figure(smokerun.CPUTime)
	t.Before, t.After = before.Values, after.Values
	return t, nil
}

// readTrials reads the recorded trials from a file of JSON lines.
func readTrials(name string) ([]trial, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var all []trial
	for decoder := json.NewDecoder(bufio.NewReader(f)); ; {
		var t trial
		switch err := decoder.Decode(&t); {
		case errors.Is(err, io.EOF):
			return all, nil
		case err != nil:
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		all = append(all, t)
	}
}

// factor declares a flag that multiplies the amount of work.
func factor(flags *flag.FlagSet, name string) *float64 {
	f := 1.0
	flags.Func(name, "", func(text string) (err error) { f, err = strconv.ParseFloat(text, 64); return err })
	return &f
}

// These constants set the work of the program without a change.
const (
	units     = 12_000 // Each unit takes some microseconds.
	unitBytes = 1 << 10

	buffers     = 400
	bufferBytes = 2 << 10
)

var (
	digest [sha256.Size]byte
	kept   [][]byte
)

// work runs the computations and allocations that the comparison measures.
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
