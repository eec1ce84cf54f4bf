//go:build !race

// These tests are omitted with the race detector, whose own allocations would count.

package smoke

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/assetcook/assetcook/internal/smokerun"
	"github.com/assetcook/assetcook/profile/counters"
)

// The test program runs itself as the measured program, a game of a few frames.
func TestMain(m *testing.M) {
	if Started() {
		if err := game(os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

var kept [][]byte

//go:noinline
func loadTexture(bytes int) { kept = append(kept, make([]byte, bytes)) }

// game draws frames. A test changes the game's behavior by a file in the working directory. The
// name of the file selects the change.
func game(args []string) error {
	work := args[0]
	planted := func(name string) bool {
		_, err := os.Stat(filepath.Join(work, name))
		return err == nil
	}
	set := counters.New(counters.Options{})
	run := Start(set)
	draws, update := set.Counter("game/draws"), set.Timer("game/update")
	high, noise := set.Gauge("memory/high"), set.Gauge("game/noise")
	set.Source(func() { // Like a memory tracker, this source allocates and is slow.
		loadTexture(64 << 10)
		for began, takes := time.Now(), time.Duration(rand.IntN(60_000)); time.Since(began) < takes; {
		}
	})
	for frame := range 20 {
		n := 100
		if frame == 7 || frame == 8 {
			n = 500
		}
		if planted("stutter") && frame == 9 { // This third spike follows two spikes, and the total does not change.
			n = 500
		} else if planted("stutter") && frame > 15 {
			n = 0
		}
		high.Set(10 << 20)
		if planted("memory") && frame == 5 {
			high.Set(20 << 20)
		}
		noise.Set(rand.Float64())
		if planted("draws") && frame == 3 {
			n++
		}
		draws.Add(int64(n))
		update.Record(time.Millisecond)
		textures := 10
		if planted("textures") {
			textures = 11
		}
		for range textures {
			loadTexture(4096)
		}
		run.Frame()
	}
	state := "made"
	if planted("item") {
		state = "made otherwise"
	}
	run.Item("level", state, time.Millisecond)
	if planted("unsteady") {
		run.Exact("game/pid", int64(os.Getpid()))
	}
	if planted("twice") {
		run.Exact("game/draws", 1)
	}
	if planted("fails") {
		return errors.New("the game is over")
	}
	if planted("silent") {
		return nil
	}
	return run.Finish()
}

// gameSuite returns a suite of two steps. The planted change is in the second step.
func gameSuite(plant string) smokerun.Suite {
	command := func(ctx context.Context, program, work string) *exec.Cmd {
		return exec.CommandContext(ctx, program, work)
	}
	return smokerun.Suite{
		Name: "game", Sum: "1",
		Reset: func(work string) error {
			entries, err := os.ReadDir(work)
			for _, e := range entries {
				err = errors.Join(err, os.Remove(filepath.Join(work, e.Name())))
			}
			return err
		},
		Steps: []smokerun.Task{
			{Name: "menu", Command: command},
			{Name: "level", Command: command, Budgets: map[string]float64{"game/draws": 2800, "game/draws/spikes": 2, "memory/high/peak": 12 << 20}, Prepare: func(work string) error {
				if plant == "" {
					return nil
				}
				return os.WriteFile(filepath.Join(work, plant), nil, 0o666)
			}},
		},
	}
}

func measure(t *testing.T, plant string) *smokerun.Record {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r := smokerun.Runner{Suite: gameSuite(plant), Dir: t.TempDir(), Times: 1}
	record, err := r.Run(t.Context(), exe)
	if err != nil {
		t.Fatal(err)
	}
	return record
}

// levelOf returns the second step of a record.
func levelOf(r *smokerun.Record) *smokerun.Step { return &r.Steps[1] }

func TestRunMeasuresTheSuite(t *testing.T) {
	r := measure(t, "")
	if r.Suite != "game" || len(r.Steps) != 2 || r.Build.Go != runtime.Version() || r.Machine.Cores < 1 {
		t.Fatalf("record %+v", r)
	}
	s := levelOf(r)
	if s.Frames != 20 || len(s.Items) != 1 || s.Items[0] != (smokerun.Item{Name: "level", State: "made", NS: 1e6}) {
		t.Errorf("step has %d frames and items %v", s.Frames, s.Items)
	}
	draws, _ := s.Figure("game/draws")
	if draws.Class != smokerun.Exact || draws.Value != 2800 || draws.Peak != 500 || draws.Spikes != 2 {
		t.Errorf("draws %+v, want 2800 in all, at most 500 in a frame, 2 frames of spikes", draws)
	}
	update, _ := s.Figure("game/update")
	calls, _ := s.Figure("game/update/calls")
	if update.Class != smokerun.TimeClass || update.Value != 20e6 || calls.Class != smokerun.Exact || calls.Value != 20 {
		t.Errorf("timer %+v, calls %+v", update, calls)
	}
	if f, ok := s.Figure(smokerun.CPUTime); !ok || f.Class != smokerun.CPUClass || f.Value <= 0 {
		t.Errorf("processor time %+v", f)
	}
	if f, ok := s.Figure(smokerun.AllocatedBytes); !ok || f.Class != smokerun.AllocationsClass || f.Value < 20*10*4096 {
		t.Errorf("allocated %+v", f)
	}
	if over := smokerun.OverBudget(r); len(over) > 0 {
		t.Errorf("over budget: %v", over)
	}
	again := measure(t, "")
	if changes, err := smokerun.Compare(r, again); err != nil || len(changes) > 0 {
		t.Errorf("the same build differs: %v, %v", changes, err)
	}
}

// Compare must find and explain each planted change, and must report no change in the other step.
func TestPlantedChangeIsFound(t *testing.T) {
	before := measure(t, "")
	for plant, want := range map[string]struct{ figure, because string }{
		"draws":    {"game/draws", ""},
		"item":     {smokerun.Items, "level: made -> made otherwise"},
		"stutter":  {"game/draws/spikes", ""},
		"memory":   {"memory/high/peak", ""},
		"textures": {smokerun.AllocatedBytes, "site/github.com/assetcook/assetcook/profile/smoke.loadTexture +80.0 KiB"},
	} {
		changes, err := smokerun.Compare(before, measure(t, plant))
		if err != nil {
			t.Fatal(err)
		}
		found := slices.ContainsFunc(changes, func(c smokerun.Change) bool {
			return c.Step == "level" && c.Figure == want.figure && c.Worse() && strings.Contains(c.String(), want.because)
		})
		if !found {
			t.Errorf("planted %s: found %v", plant, changes)
		}
		for _, c := range changes {
			if c.Step != "level" || c.Class == smokerun.Exact && (plant == "textures" || plant == "memory") {
				t.Errorf("planted %s: reported as %s", plant, c.String())
			}
		}
	}
	over := smokerun.OverBudget(measure(t, "draws"))
	if len(over) != 1 || over[0].String() != "level: game/draws: 2801 exceeds the budget of 2800 (+0.036 %)" {
		t.Errorf("over budget: %v", over)
	}
}

// Compare must ignore a figure that varies, unless it was exact in the earlier record.
func TestUnsteadyFigureIsNotCompared(t *testing.T) {
	was := measure(t, "unsteady")
	f, _ := levelOf(was).Figure("game/pid")
	if f.Class != smokerun.UnsteadyClass || len(f.Values) < 2 {
		t.Fatalf("process number is %+v", f)
	}
	now := measure(t, "unsteady")
	if changes, err := smokerun.Compare(was, now); err != nil || len(changes) > 0 {
		t.Errorf("unsteady figures were compared: %v, %v", changes, err)
	}
	figures := levelOf(was).Figures
	for i := range figures {
		if figures[i].Class == smokerun.UnsteadyClass {
			figures[i].Class = smokerun.Exact
		}
	}
	if changes, err := smokerun.Compare(was, now); err != nil || len(changes) != 1 || changes[0].Figure != "game/pid" {
		t.Errorf("a figure that is no longer exact: %v, %v", changes, err)
	}
}

func TestProgramErrors(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for plant, want := range map[string]string{
		"fails":  "the game is over",
		"silent": "measured nothing; the program must call smoke.Start",
		"twice":  `two figures are called "game/draws"`,
	} {
		r := smokerun.Runner{Suite: gameSuite(plant), Dir: t.TempDir()}
		if _, err := r.Run(t.Context(), exe); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), `step "level"`) {
			t.Errorf("planted %s: %v, want %s", plant, err, want)
		}
	}
	r := smokerun.Runner{Suite: gameSuite(""), Dir: t.TempDir()}
	if _, err := r.Run(t.Context(), "no-such-program"); err == nil || !strings.Contains(err.Error(), "no-such-program") {
		t.Errorf("a missing program: %v", err)
	}
}

func TestTwoBuildsTakeTurns(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	suite := gameSuite("")
	prepare := suite.Steps[1].Prepare
	suite.Steps[1].Prepare = func(work string) error {
		if filepath.Base(work) == "b" {
			return os.WriteFile(filepath.Join(work, "textures"), nil, 0o666)
		}
		return prepare(work)
	}
	var order []string
	for i := range suite.Steps {
		command := suite.Steps[i].Command
		suite.Steps[i].Command = func(ctx context.Context, program, work string) *exec.Cmd {
			order = append(order, filepath.Base(work)+strconv.Itoa(i))
			return command(ctx, program, work)
		}
	}
	r := smokerun.Runner{Suite: suite, Dir: t.TempDir(), Times: 4}
	c, err := r.Against(t.Context(), exe, exe)
	if err != nil {
		t.Fatal(err)
	}
	found := slices.ContainsFunc(c.Changes, func(c smokerun.Change) bool { return c.Figure == smokerun.AllocatedBytes && c.Step == "level" })
	if !found || c.Rounds != 4 {
		t.Errorf("found %v in %d rounds", c.Changes, c.Rounds)
	}
	if n := len(c.After.Steps[0].Figures); n == 0 || c.Detectable["menu"] < 0.01 {
		t.Errorf("%d figures, detectable %v", n, c.Detectable)
	}
	// The two builds must alternate: both do a step before the next step begins, and each build is
	// sometimes first.
	first := map[string]int{}
	for i := 0; i+1 < len(order); i += 2 {
		if order[i][1:] != order[i+1][1:] || order[i] == order[i+1] {
			t.Fatalf("order %v", order)
		}
		first[order[i][:1]]++
	}
	if first["a"] < 2 || first["b"] < 2 {
		t.Errorf("who went first: %v", first)
	}
}

func TestCanceled(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := smokerun.Runner{Suite: gameSuite(""), Dir: t.TempDir()}
	if _, err := r.Run(ctx, exe); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

func TestUnstartedProcessMeasuresNothing(t *testing.T) {
	run := Start(counters.New(counters.Options{}))
	run.Frame()
	run.Exact("a", 1)
	run.Level("b", 2)
	run.Item("c", "d", 0)
	if err := run.Finish(); run != nil || err != nil {
		t.Errorf("%v, %v", run, err)
	}
}

// The exact figures must stay the same if allocations are not recorded.
func TestExactFiguresIgnoreNoAllocations(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var records [2]*smokerun.Record
	for i := range records {
		r := smokerun.Runner{Suite: gameSuite(""), Dir: t.TempDir(), NoAllocations: i == 1}
		if records[i], err = r.Run(t.Context(), exe); err != nil {
			t.Fatal(err)
		}
	}
	if changes, err := smokerun.Compare(records[0].OnlyExact(), records[1]); err != nil || len(changes) > 0 {
		t.Errorf("changes %v, error %v", changes, err)
	}
	for i, step := range records[1].Steps {
		for _, f := range step.Figures {
			if f.Class == smokerun.AllocationsClass || f.Class == smokerun.SiteClass {
				t.Errorf("step %q has %s", step.Name, f.Name)
			}
		}
		if _, ok := records[0].Steps[i].Figure(smokerun.AllocatedBytes); ok == raceDetector {
			t.Errorf("step %q has %s where it is asked for: %t", step.Name, smokerun.AllocatedBytes, ok)
		}
	}
}
