package memory

import (
	"fmt"
	"strings"
	"testing"
)

// keys returns the worker and scope of all rows.
func keys(s *Snapshot) string {
	var all []string
	for _, r := range s.Rows {
		all = append(all, r.Worker+":"+r.Scope)
	}
	return strings.Join(all, " ")
}

func TestScopes(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(w *Worker)
		want string
	}{
		{"none", func(w *Worker) {}, "w:"},
		{"one", func(w *Worker) { w.Push("a") }, "w:a"},
		{"two", func(w *Worker) { w.Push("a").Push("b") }, "w:a;b"},
		{"left", func(w *Worker) { w.Push("a").Push("b").Pop() }, "w:a"},
		{"all left", func(w *Worker) { w.Push("a").Pop() }, "w:"},
		{"semicolons", func(w *Worker) { w.Push("a;b").Push("c") }, "w:a;b;c"},
		{"semicolons left", func(w *Worker) { w.Push("a;b").Pop() }, "w:"},
		{"empty", func(w *Worker) { w.Push("").Push("a;;b;").Push(";") }, "w:a;b"},
		{"deep", func(w *Worker) {
			for i := range 20 {
				w.Push(fmt.Sprint(i))
			}
		}, "w:0;1;2;3;4;5;6;7;8;9;10;11;12;13;14;15;16;17;18;19"},
	} {
		tracker := New(Options{})
		w := tracker.Worker("w")
		tt.do(w)
		tracker.Group("g", GroupOptions{}).Grow(w, 1)
		if got := keys(tracker.Snapshot()); got != tt.want {
			t.Errorf("%s: entered under %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestEqualStacksAreOneRow(t *testing.T) {
	tracker := New(Options{})
	g := tracker.Group("g", GroupOptions{})
	for range 3 {
		w := tracker.Worker("w")
		g.Grow(w.Push("a").Push("b"), 1)
		g.Grow(w.Push("c"), 1)
		w.Pop()
		g.Grow(w, 1)
		w.Pop()
		w.Pop()
		g.Grow(w.Push("a;b"), 1)
	}
	g.Grow(nil, 1)
	g.Grow(tracker.Worker(""), 1)
	s := tracker.Snapshot()
	if got, want := keys(s), ": w:a;b w:a;b;c"; got != want {
		t.Fatalf("rows %q, want %q", got, want)
	}
	for i, want := range []int64{2, 9, 3} {
		if r := s.Rows[i]; r.Bytes != want || r.Count != want || r.Peak != want {
			t.Errorf("row %q has %d bytes in %d, at most %d; want %d of each", r.Scope, r.Bytes, r.Count, r.Peak, want)
		}
	}
}

// Scopes that do not fit in the table are recorded in the enclosing scope.
func TestScopesThatDoNotFit(t *testing.T) {
	for _, tt := range []struct {
		scopes     int
		name, want string
		coarse     int64
	}{
		{1, "a", "w:", 2},
		{2, "a", "w:a", 1},
		{3, "a", "w:a;b", 0},
		{3, strings.Repeat("a", 4*bytesOfScope), "w:b", 1}, // The shorter name fits.
	} {
		tracker := New(Options{Scopes: tt.scopes})
		w := tracker.Worker("w").Push(tt.name).Push("b")
		tracker.Group("g", GroupOptions{}).Grow(w, 1)
		s := tracker.Snapshot()
		if got := keys(s); got != tt.want || s.Coarse != tt.coarse {
			t.Errorf("%d scopes: entered under %q with %d coarse, want %q with %d", tt.scopes, got, s.Coarse, tt.want, tt.coarse)
		}
		w.Pop()
		w.Pop() // A scope that did not fit still counts as a level that Pop must leave.
	}
	tracker := New(Options{Scopes: 1})
	tracker.Worker("first")
	tracker.Group("g", GroupOptions{}).Grow(tracker.Worker("second"), 1)
	if got := keys(tracker.Snapshot()); got != ":" {
		t.Errorf("an excess worker is recorded as %q, want no worker", got)
	}
}

func TestPopWithoutPush(t *testing.T) {
	w := New(Options{}).Worker("w").Push("a")
	w.Pop()
	wantPanic(t, "no scope is open", w.Pop)
}

// wantPanic calls f, which must panic. The message must contain all parts of want, separated by
// semicolons.
func wantPanic(t *testing.T, want string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		got := fmt.Sprint(recover())
		for part := range strings.SplitSeq(want, ";") {
			if !strings.Contains(got, part) {
				t.Errorf("panic %q, want one with %q", got, part)
			}
		}
	}()
	f()
}
