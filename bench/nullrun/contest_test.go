package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// script is a Runner with a predefined duration for each run, by Argv[0], that logs runs.
type script struct {
	walls map[string][]time.Duration
	log   []string
}

func (s *script) run(_ context.Context, c Command) (Result, error) {
	name := c.Argv[0]
	s.log = append(s.log, name)
	walls := s.walls[name]
	if len(walls) == 0 {
		return Result{}, fmt.Errorf("%s ran too often", name)
	}
	s.walls[name] = walls[1:]
	return Result{Wall: walls[0], User: walls[0] / 2, System: walls[0] / 4, MaxRSS: int64(walls[0]), Floor: 6, Stdout: name + "\n"}, nil
}

func (s *script) contestant(name string) Contestant {
	return Contestant{
		Name:    name,
		Command: Command{Argv: []string{name}},
		Prepare: func(_ context.Context, round int) error {
			s.log = append(s.log, fmt.Sprintf("prepare %s %d", name, round))
			return nil
		},
		Check: says(name + "\n"),
	}
}

func TestHoldRunsInTurnAndComparesWithinRounds(t *testing.T) {
	s := &script{walls: map[string][]time.Duration{
		"ours":  {1000, 30, 20, 10},
		"limit": {1, 10, 10, 1},
	}}
	missing := Contestant{Name: "peer", Missing: "not installed"}
	row := Row{Name: "row", Reference: "limit", WarmUp: 1, Contestants: []Contestant{s.contestant("ours"), missing, s.contestant("limit")}}
	got := row.Hold(t.Context(), s.run, 3)

	want := Outcome{Row: "row", Entries: []Entry{
		{Name: "ours", Wall: 20, CPU: 15, MaxRSS: 20, Ratio: &Quartiles{2.5, 3, 6.5}},
		{Name: "peer", Missing: "not installed"},
		{Name: "limit", Wall: 10, CPU: 7, MaxRSS: 10, Reference: true},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	var log []string
	for round := range 4 {
		log = append(log, fmt.Sprint("prepare ours ", round), "ours", fmt.Sprint("prepare limit ", round), "limit")
	}
	if diff := cmp.Diff(log, s.log); diff != "" {
		t.Error(diff)
	}
}

func TestHoldWithoutItsReference(t *testing.T) {
	s := &script{walls: map[string][]time.Duration{"ours": {4, 6}}}
	row := Row{Reference: "limit", Contestants: []Contestant{s.contestant("ours"), {Name: "limit", Missing: "no compiler"}}}
	got := row.Hold(t.Context(), s.run, 2)
	want := []Entry{
		{Name: "ours", Wall: 5, CPU: 4, MaxRSS: 5, AtMost: true},
		{Name: "limit", Missing: "no compiler", Reference: true},
	}
	if diff := cmp.Diff(want, got.Entries); diff != "" {
		t.Error(diff)
	}
}

func TestHoldGivesNoFigureForOtherWork(t *testing.T) {
	broken := errors.New("broken")
	for _, test := range []struct {
		name string
		row  func(c *Contestant) Runner
		want string
	}{
		{"check", func(c *Contestant) Runner {
			c.Check = func(Result) error { return broken }
			return func(context.Context, Command) (Result, error) { return Result{}, nil }
		}, "ours, round 0: broken"},
		{"prepare", func(c *Contestant) Runner {
			c.Prepare = func(context.Context, int) error { return broken }
			return nil
		}, "ours, round 0: prepare: broken"},
		{"exit status", func(*Contestant) Runner {
			return func(context.Context, Command) (Result, error) {
				return Result{Exit: 3, Stdout: "ours\n", Stderr: "first\nlast\n"}, nil
			}
		}, "ours, round 0: exit status 3: last"},
		{"start", func(*Contestant) Runner {
			return func(context.Context, Command) (Result, error) { return Result{}, broken }
		}, "ours, round 0: broken"},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := Contestant{Name: "ours", Command: Command{Argv: []string{"ours"}}}
			run := test.row(&c)
			row := Row{Reference: "ours", Contestants: []Contestant{c}}
			got := row.Hold(t.Context(), run, 1)
			if got.Err == nil || got.Err.Error() != test.want || got.Entries != nil {
				t.Errorf("got %+v, want the error %q", got, test.want)
			}
			if got.Entry("ours") != nil {
				t.Error("a failed row has an entry")
			}
		})
	}
}

func TestChecks(t *testing.T) {
	for _, test := range []struct {
		name  string
		check func(Result) error
		r     Result
		want  string // part of the error; "" for none
	}{
		{"says on stdout", says("a", "b"), Result{Stdout: "xbx"}, ""},
		{"says on stderr", says("a"), Result{Stderr: "a"}, ""},
		{"says something else", says("a"), Result{Stdout: "one\ntwo\n"}, "two"},
		{"says nothing", says("a"), Result{}, "no output"},
		{"silent", silent, Result{}, ""},
		{"not silent", silent, Result{Stdout: ">f.st...... x"}, ">f.st...... x"},
		{"both", both(says("a"), says("b")), Result{Stdout: "ab"}, ""},
		{"only one", both(says("a"), says("b")), Result{Stdout: "a"}, `"b"`},
		{"cook", expect(7, 2), Result{Stdout: "note\ncook: 7 assets: 5 up to date, 0 unchanged, 0 restored, 2 cooked, 0 failed in 3ms (saved 0s)\n"}, ""},
		{"another number", expect(7, 0), Result{Stdout: "cook: 7 assets: 6 up to date, 0 unchanged, 0 restored, 1 cooked, 0 failed in 3ms\n"}, "want 7 assets, 0 of them cooked"},
		{"restored", expect(7, 1), Result{Stdout: "cook: 7 assets: 6 up to date, 0 unchanged, 1 restored, 0 cooked, 0 failed in 3ms\n"}, "1 restored"},
		{"fewer files", expect(7, 0), Result{Stdout: "cook: 6 assets: 6 up to date, 0 unchanged, 0 restored, 0 cooked, 0 failed in 3ms\n"}, "want 7"},
		{"more after the summary", expect(7, 0), Result{Stdout: "cook: 7 assets: 7 up to date, 0 unchanged, 0 restored, 0 cooked, 0 failed in 3ms\nmore\n"}, `"more"`},
		{"by stamp", byStamp(12), Result{Stdout: "    found  12  1\n  up to date by stamp  12  692\nup to date by checksum  0 0\n"}, ""},
		{"by checksum", byStamp(12), Result{Stdout: "  up to date by stamp  3  692\nup to date by checksum  9 0\n"}, "3 of 12"},
		{"no counters", byStamp(12), Result{Stdout: "cook: 12 assets"}, "no line"},
	} {
		t.Run(test.name, func(t *testing.T) {
			err := test.check(test.r)
			if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}
