package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"
)

// A Command is a process to start.
type Command struct {
	Argv []string
	Dir  string
	Env  []string
}

// A Result describes a process that has ended.
type Result struct {
	Wall         time.Duration // wall time from fork until wait returns
	User, System time.Duration
	MaxRSS       int64 // peak memory in bytes, at least Floor
	Floor        int64 // peak memory of the starting process in bytes
	Exit         int   // exit status, or -1 if a signal ended the process
	Stdout       string
	Stderr       string
}

// A Runner runs a command until it ends. A process that fails also has a Result. The error is
// non-nil only if the process could not be started, or if ctx ended.
type Runner func(ctx context.Context, c Command) (Result, error)

// A Do measures something inside this process.
type Do func(ctx context.Context) (Result, error)

// A Contestant is a process or function that a row measures.
type Contestant struct {
	Name    string
	Command Command
	// Do, if not nil, runs instead of Command. It measures a duration other than the lifetime of a
	// process.
	Do Do
	// Prepare, if not nil, runs before each run and is not timed. Rounds count from 0.
	Prepare func(ctx context.Context, round int) error
	// Check checks the result of a run that exited with 0; nil accepts any result.
	Check func(Result) error
	// Missing is the reason why the contestant cannot run, such as "not installed".
	Missing string
}

// A Row is a contest between contestants.
type Row struct {
	Name        string
	Reference   string // name of the contestant whose time is the denominator of the ratios
	WarmUp      int    // number of rounds that are not counted
	Contestants []Contestant
	Close       func() // cleans up; may be nil
}

// Quartiles holds the quartiles of a set of numbers.
type Quartiles struct{ Low, Median, High float64 }

// An Entry holds the medians of a contestant's runs.
type Entry struct {
	Name      string
	Missing   string
	Wall, CPU time.Duration
	MaxRSS    int64
	AtMost    bool // true if MaxRSS is only an upper bound of the peak
	Reference bool
	Ratio     *Quartiles // wall time relative to the reference; nil if there is no reference
}

// Rounds limits the counted rounds of a contest.
type Rounds struct {
	Most int
	// Within, if not 0, is a time limit. After that time no new round begins, except for the first
	// three rounds.
	Within time.Duration
	Now    func() time.Time // time.Now if nil
}

// fewest is the minimum number of counted rounds, unless Most is smaller.
const fewest = 3

// An Outcome is the result of a contest.
type Outcome struct {
	Row     string
	Rounds  int // number of counted rounds
	Entries []Entry
	Err     error // set if the row could not be measured
}

// Entry returns the entry with the given name, or nil.
func (s *Outcome) Entry(name string) *Entry {
	i := slices.IndexFunc(s.Entries, func(e Entry) bool { return e.Name == name })
	if i < 0 || s.Err != nil || s.Entries[i].Missing != "" {
		return nil
	}
	return &s.Entries[i]
}

// Hold runs the contest: in each round, each contestant runs once, in turn.
func (r *Row) Hold(ctx context.Context, run Runner, rounds Rounds) Outcome {
	s := Outcome{Row: r.Name}
	now := rounds.Now
	if now == nil {
		now = time.Now
	}
	begin := now()
	results := make([][]Result, len(r.Contestants))
	for round := range r.WarmUp + rounds.Most {
		if s.Rounds >= fewest && rounds.Within > 0 && now().Sub(begin) >= rounds.Within {
			break
		}
		for i, c := range r.Contestants {
			if c.Missing != "" {
				continue
			}
			result, err := c.runRound(ctx, run, round)
			if err != nil {
				s.Err = fmt.Errorf("%s, round %d: %w", c.Name, round, err)
				return s
			}
			if round >= r.WarmUp {
				results[i] = append(results[i], result)
			}
		}
		if round >= r.WarmUp {
			s.Rounds++
		}
	}
	reference := slices.IndexFunc(r.Contestants, func(c Contestant) bool { return c.Name == r.Reference })
	for i, c := range r.Contestants {
		e := Entry{Name: c.Name, Missing: c.Missing, Reference: i == reference}
		if len(results[i]) > 0 {
			e.Wall = median(results[i], func(r Result) time.Duration { return r.Wall })
			e.CPU = median(results[i], func(r Result) time.Duration { return r.User + r.System })
			e.MaxRSS = median(results[i], func(r Result) int64 { return r.MaxRSS })
			e.AtMost = e.MaxRSS <= median(results[i], func(r Result) int64 { return r.Floor })
			if reference >= 0 && i != reference && len(results[reference]) > 0 {
				e.Ratio = ratios(results[i], results[reference])
			}
		}
		s.Entries = append(s.Entries, e)
	}
	return s
}

func (c *Contestant) runRound(ctx context.Context, run Runner, round int) (Result, error) {
	if c.Prepare != nil {
		if err := c.Prepare(ctx, round); err != nil {
			return Result{}, fmt.Errorf("prepare: %w", err)
		}
	}
	if c.Do != nil {
		run = func(ctx context.Context, _ Command) (Result, error) { return c.Do(ctx) }
	}
	return checked(ctx, run, c.Command, c.Check)
}

// checked runs a command, and returns an error if the command or its check fails.
func checked(ctx context.Context, run Runner, command Command, check func(Result) error) (Result, error) {
	result, err := run(ctx, command)
	if err != nil {
		return result, err
	}
	if result.Exit != 0 {
		return result, fmt.Errorf("exit status %d: %s", result.Exit, excerpt(result))
	}
	if check != nil {
		if err := check(result); err != nil {
			return result, err
		}
	}
	return result, nil
}

// excerpt returns the last line of a process's output, for an error message.
func excerpt(r Result) string {
	if line := lastLine(r.Stderr); line != "" {
		return line
	}
	if line := lastLine(r.Stdout); line != "" {
		return line
	}
	return "no output"
}

// says returns a check that requires a process to print one of the texts.
func says(texts ...string) func(Result) error {
	return func(r Result) error {
		if slices.ContainsFunc(texts, func(text string) bool { return containsEither(r, text) }) {
			return nil
		}
		return fmt.Errorf("did not print %q but: %s", texts[0], excerpt(r))
	}
}

// silent is a check that requires a process to print nothing.
func silent(r Result) error {
	if r.Stdout == "" && r.Stderr == "" {
		return nil
	}
	return errors.New("should print nothing, but printed: " + excerpt(r))
}

func median[T time.Duration | int64](results []Result, value func(Result) T) T {
	sorted := make([]float64, 0, len(results))
	for _, r := range results {
		sorted = append(sorted, float64(value(r)))
	}
	slices.Sort(sorted)
	return T(math.Round(quantile(sorted, 0.5)))
}

// ratios returns the quartiles of the ratios of wall times in each round. A time of zero counts as
// one nanosecond.
func ratios(of, to []Result) *Quartiles {
	sorted := make([]float64, len(of))
	for i := range of {
		sorted[i] = float64(max(of[i].Wall, 1)) / float64(max(to[i].Wall, 1))
	}
	slices.Sort(sorted)
	return &Quartiles{quantile(sorted, 0.25), quantile(sorted, 0.5), quantile(sorted, 0.75)}
}

// quantile interpolates between adjacent elements of a nonempty sorted list.
func quantile(sorted []float64, q float64) float64 {
	at := q * float64(len(sorted)-1)
	i := int(at)
	if i+1 == len(sorted) {
		return sorted[i]
	}
	return sorted[i] + (at-float64(i))*(sorted[i+1]-sorted[i])
}
