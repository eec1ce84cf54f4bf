package broker

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/rules"
	"github.com/assetcook/assetcook/cook/recipe"
)

// TestActionsLeaveIfItPays checks when actions are sent away. While the overhead is unknown, they
// are sent one at a time. Later, all actions are sent that take more than twice the overhead.
func TestActionsLeaveIfItPays(t *testing.T) {
	const ms = time.Millisecond
	var s offload
	for range probes {
		if !s.takeAction(50*ms, false) || s.takeAction(time.Hour, false) {
			t.Fatal("not one at a time")
		}
		if !s.takeAction(0, true) {
			t.Error("not always")
		}
		s.countReturned()
		s.countReturned()
		s.noteOverhead(100 * ms)
	}
	if s.takeAction(49*ms, false) || !s.takeAction(50*ms, false) {
		t.Error("nothing finds out whether it costs less now")
	}
	for took, want := range map[time.Duration]bool{0: false, 150 * ms: false, 200 * ms: false, 201 * ms: true} {
		if got := s.takeAction(took, false); got != want {
			t.Errorf("%v: %v", took, got)
		}
	}
	s.noteOverhead(10 * ms)
	if !s.takeAction(21*ms, false) {
		t.Error("not by the cheapest")
	}
	for range samples {
		s.noteOverhead(100 * ms)
	}
	if s.takeAction(150*ms, false) {
		t.Error("by what is long past")
	}
	s.turnOff()
	if s.takeAction(time.Hour, true) || !s.isTurnedOff() {
		t.Error("although it is off")
	}
}

// TestUnknownProgramKeepsActionsHere checks that no action is sent away if the program's file
// cannot be found. One warning must say so.
func TestUnknownProgramKeepsActionsHere(t *testing.T) {
	var told []string
	m := &Machines{opt: &Options{Say: Say{Note: func(line string) { told = append(told, line) }}}}
	m.program.locate = func() (string, error) { return "", errors.New("it is gone") }
	for range 2 {
		if _, err := m.ownProgram(t.Context()); err == nil {
			t.Error("no error")
		}
	}
	if len(told) != 1 || !strings.Contains(told[0], "they cannot run this program: it is gone") || m.offload.takeAction(time.Hour, true) {
		t.Errorf("told %q", told)
	}
}

// TestCookTimesAreLearned checks that the cook times of earlier actions predict the cook times of
// actions with the same recipe and size. The time in the last run takes precedence.
func TestCookTimesAreLearned(t *testing.T) {
	action := func(name string, size int64) *plan.Action {
		f := &contents.File{}
		f.Stamp.Size = size
		return &plan.Action{Method: &plan.Method{Choice: &rules.Method{Recipe: recipe.Recipe{Name: name}}}, Source: f}
	}
	var m costModel
	if got := m.expected(action("a", 100)); got != 0 {
		t.Errorf("nothing known: %v", got)
	}
	m.addCost(action("a", 99), time.Second)
	m.addCost(action("a", 299), 3*time.Second)
	m.addCost(action("b", 0), time.Minute)
	for size, want := range map[int64]time.Duration{0: 10 * time.Millisecond, 99: time.Second, 999: 10 * time.Second} {
		if got := m.expected(action("a", size)); (got - want).Abs() > time.Microsecond {
			t.Errorf("%d bytes: %v, want %v", size, got, want)
		}
	}
	if got := m.expected(action("b", 0)); got != time.Minute {
		t.Errorf("an empty source: %v", got)
	}
	before := action("a", 99)
	before.Last = &contents.Before{Action: &index.Action{CookTime: time.Hour}}
	if got := m.expected(before); got != time.Hour {
		t.Errorf("as last time: %v", got)
	}
}
