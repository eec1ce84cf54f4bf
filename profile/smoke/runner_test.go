//go:build !race

// Excluded with the race detector: its allocations would count.

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

	"github.com/assetcook/assetcook/profile/counters"
)

// The test program measures itself: it plays a game of some frames.
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

// game draws frames. Plants change its behavior: they are files of these names in the working
// directory.
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
	set.Source(func() { // allocates and is slow, like a memory tracker's source
		loadTexture(64 << 10)
		for began, takes := time.Now(), time.Duration(rand.IntN(60_000)); time.Since(began) < takes; {
		}
	})
	for frame := range 20 {
		n := 100
		if frame == 7 || frame == 8 {
			n = 500
		}
		if planted("stutter") && frame == 9 { // three in a row, with the same total
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

// gameSuite returns a suite of two steps; the second one has the plant.
func gameSuite(plant string) Suite {
	command := func(ctx context.Context, program, work string) *exec.Cmd {
		return exec.CommandContext(ctx, program, work)
	}
	return Suite{
		Name: "game", Sum: "1",
		Reset: func(work string) error {
			entries, err := os.ReadDir(work)
			for _, e := range entries {
				err = errors.Join(err, os.Remove(filepath.Join(work, e.Name())))
			}
			return err
		},
		Steps: []Task{
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

func measure(t *testing.T, plant string) *Record {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r := Runner{Suite: gameSuite(plant), Dir: t.TempDir(), Times: 1}
	record, err := r.Run(t.Context(), exe)
	if err != nil {
		t.Fatal(err)
	}
	return record
}

func TestRunMeasuresTheSuite(t *testing.T) {
	r := measure(t, "")
	if r.Suite != "game" || len(r.Steps) != 2 || r.Build.Go != runtime.Version() || r.Machine.Cores < 1 {
		t.Fatalf("record %+v", r)
	}
	s := r.step("level")
	if s.Frames != 20 || len(s.Items) != 1 || s.Items[0] != (Item{"level", "made", 1e6}) {
		t.Errorf("step has %d frames and items %v", s.Frames, s.Items)
	}
	draws, _ := s.Figure("game/draws")
	if draws.Class != Exact || draws.Value != 2800 || draws.Peak != 500 || draws.Spikes != 2 {
		t.Errorf("draws %+v, want 2800 in all, at most 500 in a frame, 2 frames of spikes", draws)
	}
	update, _ := s.Figure("game/update")
	calls, _ := s.Figure("game/update/calls")
	if update.Class != timeClass || update.Value != 20e6 || calls.Class != Exact || calls.Value != 20 {
		t.Errorf("timer %+v, calls %+v", update, calls)
	}
	if f, ok := s.Figure(CPUTime); !ok || f.Class != cpuClass || f.Value <= 0 {
		t.Errorf("processor time %+v", f)
	}
	if f, ok := s.Figure(AllocatedBytes); !ok || f.Class != allocationsClass || f.Value < 20*10*4096 {
		t.Errorf("allocated %+v", f)
	}
	if over := OverBudget(r); len(over) > 0 {
		t.Errorf("over budget: %v", over)
	}
	again := measure(t, "")
	if changes, err := Compare(r, again); err != nil || len(changes) > 0 {
		t.Errorf("the same build differs: %v, %v", changes, err)
	}
}

// A planted change is found, named, and found nowhere else.
func TestPlantedChangeIsFound(t *testing.T) {
	before := measure(t, "")
	for plant, want := range map[string]struct{ figure, because string }{
		"draws":    {"game/draws", ""},
		"item":     {Items, "level: made -> made otherwise"},
		"stutter":  {"game/draws/spikes", ""},
		"memory":   {"memory/high/peak", ""},
		"textures": {AllocatedBytes, "site/github.com/assetcook/assetcook/profile/smoke.loadTexture +80.0 KiB"},
	} {
		changes, err := Compare(before, measure(t, plant))
		if err != nil {
			t.Fatal(err)
		}
		found := slices.ContainsFunc(changes, func(c Change) bool {
			return c.Step == "level" && c.Figure == want.figure && c.Worse() && strings.HasPrefix(c.because(), want.because)
		})
		if !found {
			t.Errorf("planted %s: found %v", plant, changes)
		}
		for _, c := range changes {
			if c.Step != "level" || c.Class == Exact && (plant == "textures" || plant == "memory") {
				t.Errorf("planted %s: reported as %s", plant, c.String())
			}
		}
	}
	over := OverBudget(measure(t, "draws"))
	if len(over) != 1 || over[0].String() != "level: game/draws: 2801 is over the budget of 2800 (+0.036 %)" {
		t.Errorf("over budget: %v", over)
	}
}

// A varying figure is not compared, unless it was exact before.
func TestUnsteadyFigureIsNotCompared(t *testing.T) {
	was := measure(t, "unsteady")
	f, _ := was.step("level").Figure("game/pid")
	if f.Class != unsteadyClass || len(f.Values) != exactRounds {
		t.Fatalf("process number is %+v", f)
	}
	now := measure(t, "unsteady")
	if changes, err := Compare(was, now); err != nil || len(changes) > 0 {
		t.Errorf("unsteady figures were compared: %v, %v", changes, err)
	}
	figures := was.step("level").Figures
	for i := range figures {
		if figures[i].Class == unsteadyClass {
			figures[i].Class = Exact
		}
	}
	if changes, err := Compare(was, now); err != nil || len(changes) != 1 || changes[0].Figure != "game/pid" {
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
		"silent": "has measured nothing: it must call smoke.Start",
		"twice":  `two figures are called "game/draws"`,
	} {
		r := Runner{Suite: gameSuite(plant), Dir: t.TempDir()}
		if _, err := r.Run(t.Context(), exe); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), `step "level"`) {
			t.Errorf("planted %s: %v, want %s", plant, err, want)
		}
	}
	r := Runner{Suite: gameSuite(""), Dir: t.TempDir()}
	if _, err := r.Run(t.Context(), "no-such-program"); err == nil || !strings.Contains(err.Error(), "no-such-program") {
		t.Errorf("a missing program: %v", err)
	}
}

// Two builds take turns, and their exact figures and allocations are compared.
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
	r := Runner{Suite: suite, Dir: t.TempDir(), Times: 4}
	c, err := r.Against(t.Context(), exe, exe)
	if err != nil {
		t.Fatal(err)
	}
	found := slices.ContainsFunc(c.Changes, func(c Change) bool { return c.Figure == AllocatedBytes && c.Step == "level" })
	if !found || c.Rounds != 4 {
		t.Errorf("found %v in %d rounds", c.Changes, c.Rounds)
	}
	if n := len(c.After.Steps[0].Figures); n == 0 || c.Detectable["menu"] < cpuLimit {
		t.Errorf("%d figures, detectable %v", n, c.Detectable)
	}
	// Both builds do each step before the next one, and neither is always first.
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

// The number of rounds depends on the noise of the steps.
func TestRoundsNeeded(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	space := func(noise float64) *workspace {
		w := &workspace{steps: make([]executions, 2)}
		for range 100 {
			w.steps[0].cpu = append(w.steps[0].cpu, 1)
			w.steps[1].cpu = append(w.steps[1].cpu, 1+noise*random.NormFloat64())
		}
		return w
	}
	for noise, want := range map[float64][2]int{0: {30, 30}, 0.01: {30, 30}, 0.03: {30, 65}, 0.5: {400, 400}} {
		if n := roundsNeeded(space(noise), space(noise)); n < want[0] || n > want[1] {
			t.Errorf("noise of %g: %d rounds, want %v", noise, n, want)
		}
	}
	// The needed rounds detect the intended growth.
	a, b := space(0.02).steps[1].cpu, space(0.02).steps[1].cpu
	if d := detectable(a, b); d < 0.01 || d > 0.03 {
		t.Errorf("100 rounds with a noise of 2 %% find %g", d)
	}
}

func TestCanceled(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := Runner{Suite: gameSuite(""), Dir: t.TempDir()}
	if _, err := r.Run(ctx, exe); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

// A process that no Runner started measures nothing.
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

// Without allocations, all exact figures are the same as with them.
func TestExactFiguresIgnoreNoAllocations(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var records [2]*Record
	for i := range records {
		r := Runner{Suite: gameSuite(""), Dir: t.TempDir(), NoAllocations: i == 1}
		if records[i], err = r.Run(t.Context(), exe); err != nil {
			t.Fatal(err)
		}
	}
	if changes, err := Compare(records[0].OnlyExact(), records[1]); err != nil || len(changes) > 0 {
		t.Errorf("changes %v, error %v", changes, err)
	}
	for i, step := range records[1].Steps {
		for _, f := range step.Figures {
			if f.Class == allocationsClass || f.Class == siteClass {
				t.Errorf("step %q has %s", step.Name, f.Name)
			}
		}
		if _, ok := records[0].Steps[i].Figure(AllocatedBytes); ok == raceDetector {
			t.Errorf("step %q has %s where it is asked for: %t", step.Name, AllocatedBytes, ok)
		}
	}
}
