package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// script provides a Runner that logs each run. A run takes the duration given for Argv[0].
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
	got := row.Hold(t.Context(), s.run, Rounds{Most: 3})

	want := Outcome{Row: "row", Rounds: 3, Entries: []Entry{
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
	got := row.Hold(t.Context(), s.run, Rounds{Most: 2})
	want := []Entry{
		{Name: "ours", Wall: 5, CPU: 4, MaxRSS: 5, AtMost: true},
		{Name: "limit", Missing: "no compiler", Reference: true},
	}
	if diff := cmp.Diff(want, got.Entries); diff != "" {
		t.Error(diff)
	}
}

func TestHoldEndsInTime(t *testing.T) {
	for _, test := range []struct {
		most   int
		within time.Duration
		want   int
	}{
		{9, 0, 9},
		{9, 2 * time.Hour, 9},
		{9, 50 * time.Minute, 4}, // A round takes 10 minutes. The first one is for warm-up.
		{9, 45 * time.Minute, 4},
		{9, time.Minute, fewest},
		{2, time.Minute, 2},
	} {
		now := time.Unix(0, 0)
		c := Contestant{Name: "ours", Do: func(context.Context) (Result, error) {
			now = now.Add(10 * time.Minute)
			return Result{Wall: time.Second}, nil
		}}
		row := Row{Reference: "ours", WarmUp: 1, Contestants: []Contestant{c}}
		got := row.Hold(t.Context(), nil, Rounds{Most: test.most, Within: test.within, Now: func() time.Time { return now }})
		if got.Rounds != test.want || got.Err != nil {
			t.Errorf("%d rounds within %v: %d, want %d (%v)", test.most, test.within, got.Rounds, test.want, got.Err)
		}
	}
}

func TestHoldChecksWhatItDoes(t *testing.T) {
	c := Contestant{Name: "ours", Do: func(context.Context) (Result, error) { return Result{Wall: 3, Stdout: "done"}, nil }, Check: says("done")}
	row := Row{Reference: "ours", Contestants: []Contestant{c}}
	if got := row.Hold(t.Context(), nil, Rounds{Most: 1}); got.Err != nil || got.Entry("ours").Wall != 3 {
		t.Errorf("got %+v", got)
	}
	row.Contestants[0].Check = says("other")
	if got := row.Hold(t.Context(), nil, Rounds{Most: 1}); got.Err == nil {
		t.Error("the check was not made")
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
			got := row.Hold(t.Context(), run, Rounds{Most: 1})
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
		want  string
	}{
		{"says on stdout", says("a", "b"), Result{Stdout: "xbx"}, ""},
		{"says on stderr", says("a"), Result{Stderr: "a"}, ""},
		{"says something else", says("a"), Result{Stdout: "one\ntwo\n"}, "two"},
		{"says nothing", says("a"), Result{}, "no output"},
		{"silent", silent, Result{}, ""},
		{"not silent", silent, Result{Stdout: ">f.st...... x"}, ">f.st...... x"},
		{"both", both(says("a"), says("b")), Result{Stdout: "ab"}, ""},
		{"only one", both(says("a"), says("b")), Result{Stdout: "a"}, `"b"`},
		{"cook", expect(7, 2), Result{Stdout: "note\ncook: 7 assets: 5 up to date, 2 cooked in 3ms (saved 0s)\n"}, ""},
		{"another number", expect(7, 0), Result{Stdout: "cook: 7 assets: 6 up to date, 1 cooked in 3ms\n"}, "want 7 assets, 0 of them cooked"},
		{"restored", expect(7, 1), Result{Stdout: "cook: 7 assets: 6 up to date, 1 restored in 3ms\n"}, "1 restored"},
		{"fewer files", expect(7, 0), Result{Stdout: "cook: 6 assets: 6 up to date in 3ms\n"}, "want 7"},
		{"more after the summary", expect(7, 0), Result{Stdout: "cook: 7 assets: 7 up to date in 3ms\nmore\n"}, `"more"`},
		{"results restored", outcomes(7, 2, 1), Result{Stdout: "cook: 7 assets: 4 up to date, 2 restored, 1 cooked in 3ms\n"}, ""},
		{"cooked instead", outcomes(7, 2, 0), Result{Stdout: "cook: 7 assets: 5 up to date, 2 cooked in 3ms\n"}, "2 restored"},
		{"JSON", jsonSummary(7), Result{Stdout: "{}\n" + `{"event":"summary","summary":{"found":{"assets":7,"ns":1},"up_to_date_by_stamp":{"assets":7,"ns":1}}}` + "\n"}, ""},
		{"JSON of another tree", jsonSummary(7), Result{Stdout: `{"event":"summary","summary":{"found":{"assets":70,"ns":1},"up_to_date_by_stamp":{"assets":7,"ns":1}}}`}, "7 assets"},
		{"JSON of files that were read", jsonSummary(7), Result{Stdout: `{"event":"summary","summary":{"found":{"assets":7,"ns":1},"up_to_date_by_stamp":{"assets":6,"ns":1}}}`}, "7 assets"},
		{"JSON cut short", jsonSummary(7), Result{Stdout: `{"event":"up_to_date"}`}, "7 assets"},
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

func TestQuantile(t *testing.T) {
	for _, test := range []struct {
		sorted []float64
		q      float64
		want   float64
	}{
		{[]float64{7}, 0.25, 7},
		{[]float64{7}, 0.75, 7},
		{[]float64{1, 2}, 0.5, 1.5},
		{[]float64{1, 2}, 0.25, 1.25},
		{[]float64{1, 2, 9}, 0.5, 2},
		{[]float64{1, 2, 9}, 0.75, 5.5},
		{[]float64{1, 2, 3, 4, 5}, 0.25, 2},
		{[]float64{1, 2, 3, 4, 5}, 1, 5},
	} {
		if got := quantile(test.sorted, test.q); got != test.want {
			t.Errorf("quantile(%v, %v) = %v, want %v", test.sorted, test.q, got, test.want)
		}
	}
}

func TestRatiosOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		walls := func(label string, n int) []Result {
			return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Result {
				return Result{Wall: time.Duration(rapid.Int64Range(0, 1e12).Draw(t, "wall"))}
			}), n, n).Draw(t, label)
		}
		n := rapid.IntRange(1, 20).Draw(t, "rounds")
		of, to := walls("of", n), walls("to", n)
		q := ratios(of, to)
		if !(0 < q.Low && q.Low <= q.Median && q.Median <= q.High) {
			t.Fatalf("quartiles %+v are out of order", q)
		}
		below := 0
		for i := range of {
			if float64(max(of[i].Wall, 1))/float64(max(to[i].Wall, 1)) <= q.Median {
				below++
			}
		}
		if 2*below < n {
			t.Fatalf("%d of %d ratios are not above the median", below, n)
		}
		wall := func(r Result) time.Duration { return r.Wall }
		before := median(of, wall)
		slices.Reverse(of)
		if after := median(of, wall); after != before {
			t.Fatalf("median %v became %v by turning the runs round", before, after)
		}
	})
}
