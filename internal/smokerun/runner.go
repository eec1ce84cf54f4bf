package smokerun

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// DefaultTimes is the default number of timed executions per step.
const DefaultTimes = 5

// exactRounds is the number of executions that measure exact figures. More than one execution shows
// which figures vary.
const exactRounds = 2

// A Runner executes the steps of a suite.
type Runner struct {
	Suite Suite
	Dir   string // working directory, which only the runner may use
	// Times is the number of timed executions of each step. If it is 0, Run measures no time, and
	// Against chooses the number.
	Times int
	// Instructions requests counting instructions, which takes about ten times as long; see
	// [CanCount].
	Instructions bool
	// NoAllocations omits the allocations by function. They would require that every allocation is
	// in the profile.
	NoAllocations bool
	// Log, if not nil, receives a line about each stage.
	Log func(line string)
}

// A mode is a way to execute a step.
type mode int

const (
	plain   mode = iota // normal execution
	exact               // execution with deterministic counts and allocations
	counted             // execution under valgrind, which counts instructions
)

// deterministic lists settings of the Go runtime. With them, a process with one worker allocates
// nearly the same amount each time. The garbage collector runs only if memory gets short.
var deterministic = []string{"GOMAXPROCS=1", "GOGC=off", "GOMEMLIMIT=2GiB"}

// profiled lists GODEBUG settings that record every allocation in the profile. Stacks are just deep
// enough to include the caller of the runtime, because deeper stacks take too much time.
const profiled = "memprofilerate=1,profstackdepth=16"

func (r *Runner) environment(m mode) []string {
	switch {
	case m == plain:
		return nil
	case m == exact && !r.NoAllocations:
		return append(slices.Clone(deterministic), "GODEBUG="+strings.Trim(os.Getenv("GODEBUG")+","+profiled, ","))
	}
	return deterministic
}

// Run measures a program and returns its record.
func (r *Runner) Run(ctx context.Context, program string) (*Record, error) {
	w, err := r.workspace("a", program)
	if err != nil {
		return nil, err
	}
	if err := r.deterministicRounds(ctx, w); err != nil {
		return nil, err
	}
	for i := range r.Times {
		r.logf("round %d of %d", i+1, r.Times)
		if err := r.round(ctx, plain, len(r.Suite.Steps), w); err != nil {
			return nil, err
		}
	}
	return r.record(w), nil
}

// deterministicRounds measures exact figures and allocations, and counts instructions if requested.
func (r *Runner) deterministicRounds(ctx context.Context, spaces ...*workspace) error {
	for i := range exactRounds {
		r.logf("counting, %d of %d", i+1, exactRounds)
		if err := r.round(ctx, exact, len(r.Suite.Steps), spaces...); err != nil {
			return err
		}
	}
	if !r.Instructions {
		return nil
	}
	r.logf("counting instructions")
	return r.round(ctx, counted, len(r.Suite.Steps), spaces...)
}

// A workspace holds the directories of one program, and its results.
type workspace struct {
	program string
	dir     string // working directory of the program
	file    string // sample file of the processes
	build   Build
	steps   []executions
}

// executions holds the results of all executions of one step.
type executions struct {
	plain, exact, counted []Step
	cpu                   []float64 // processor times of the plain executions
}

func (r *Runner) workspace(name, program string) (*workspace, error) {
	path, err := exec.LookPath(program)
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return nil, fmt.Errorf("program to measure: %w", err)
	}
	dir, err := filepath.Abs(filepath.Join(r.Dir, name))
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	return &workspace{program: path, dir: dir, file: dir + ".sample", steps: make([]executions, len(r.Suite.Steps))}, nil
}

// round executes the first steps of the suite once in each workspace. The workspaces take turns.
func (r *Runner) round(ctx context.Context, m mode, steps int, spaces ...*workspace) error {
	for _, w := range spaces {
		if err := r.Suite.Reset(w.dir); err != nil {
			return fmt.Errorf("preparing %s: %w", r.Suite.Name, err)
		}
	}
	for i := range steps {
		first := i + len(spaces[0].steps[i].plain) // index of the workspace that is first; it alternates between steps and rounds
		for k := range spaces {
			w := spaces[(first+k)%len(spaces)]
			if err := r.execute(ctx, m, i, w); err != nil {
				return fmt.Errorf("step %q: %w", r.Suite.Steps[i].Name, err)
			}
		}
	}
	return nil
}

// execute executes one step in one workspace and stores the result there.
func (r *Runner) execute(ctx context.Context, m mode, i int, w *workspace) error {
	task := r.Suite.Steps[i]
	if task.Prepare != nil {
		if err := task.Prepare(w.dir); err != nil {
			return err
		}
	}
	cmd := task.Command(ctx, w.program, w.dir)
	cmd.Env = append(append(cmd.Environ(), r.environment(m)...), SampleVariable+"="+w.file)
	profile := w.file + ".instructions"
	if m == counted {
		cmd = counting(ctx, cmd, profile)
	}
	found, err := w.runCommand(cmd)
	if err != nil {
		return err
	}
	w.build = found.Build
	e := &w.steps[i]
	switch m {
	case plain:
		e.plain = append(e.plain, found.Step)
		e.cpu = append(e.cpu, float64(cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime()))
	case exact:
		if task.Inspect != nil {
			items, err := task.Inspect(w.dir)
			if err != nil {
				return err
			}
			found.Step.Items = append(found.Step.Items, items...)
		}
		e.exact = append(e.exact, found.Step)
	case counted:
		figures, err := readInstructions(profile)
		if err != nil {
			return err
		}
		os.Remove(profile)
		e.counted = append(e.counted, Step{Figures: figures})
	}
	return nil
}

// runCommand runs a command and reads the sample that it writes.
func (w *workspace) runCommand(cmd *exec.Cmd) (Sample, error) {
	var found Sample
	os.Remove(w.file)
	var said tail
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Run(); err != nil {
		return found, fmt.Errorf("%s: %w%s", filepath.Base(w.program), err, said.quote())
	}
	text, err := os.ReadFile(w.file)
	if errors.Is(err, os.ErrNotExist) {
		return found, fmt.Errorf("%s measured nothing; the program must call smoke.Start at its start and Finish at its end%s", w.program, said.quote())
	}
	if err == nil {
		err = json.Unmarshal(text, &found)
	}
	os.Remove(w.file)
	return found, err
}

// record summarizes all executions in a record.
func (r *Runner) record(w *workspace) *Record {
	rec := &Record{
		Format: formatVersion, Suite: r.Suite.Name, Sum: r.Suite.Sum, At: time.Now().UTC().Truncate(time.Second),
		Build: w.build, Machine: Machine{Name: processorName(), Cores: runtime.NumCPU()},
	}
	for i, task := range r.Suite.Steps {
		step := w.steps[i].step()
		step.Name, step.Budgets = task.Name, task.Budgets
		rec.Steps = append(rec.Steps, step)
	}
	return rec
}

// step combines all executions of a step.
func (e *executions) step() Step {
	first := e.exact[0]
	step := Step{Frames: first.Frames, Items: first.Items}
	for _, f := range first.Figures {
		switch f.Class {
		case Exact:
			if values, same := each(e.exact, f.Name); !same {
				f.Class, f.Values = UnsteadyClass, values
			}
			f.Loose = !sameFrames(e.exact, f)
		case AllocationsClass:
			values, _ := each(e.exact, f.Name)
			f.Value = slices.Min(values)
		case TimeClass, LevelClass:
			_, same := each(e.exact, f.Name)
			if f.Steady = f.Class == LevelClass && same && sameFrames(e.exact, f) && !ofProcess(f.Name); !f.Steady && len(e.plain) > 0 {
				f = middle(e.plain, f)
			}
		}
		step.Figures = append(step.Figures, f)
	}
	for _, again := range e.exact[1:] {
		for _, f := range again.Figures {
			if _, ok := first.Figure(f.Name); !ok && f.Class == Exact {
				values, _ := each(e.exact, f.Name)
				step.Figures = append(step.Figures, Figure{Name: f.Name, Class: UnsteadyClass, Value: f.Value, Values: values})
			}
		}
		step.Items = unsteadyItems(step.Items, again.Items)
	}
	if len(e.cpu) > 0 {
		step.Figures = append(step.Figures, Figure{Name: CPUTime, Class: CPUClass, Value: median(e.cpu), Values: e.cpu})
	}
	for _, c := range e.counted {
		step.Figures = append(step.Figures, c.Figures...)
	}
	took := map[string][]float64{}
	for _, p := range e.plain {
		for _, item := range p.Items {
			took[item.Name] = append(took[item.Name], item.NS)
		}
	}
	for i, item := range step.Items {
		if ns, ok := took[item.Name]; ok {
			step.Items[i].NS = median(ns)
		}
	}
	step.Sort()
	return step
}

// each returns the values of a figure in the given steps, with 0 where it is missing. It also
// reports whether all values are equal.
func each(steps []Step, name string) (values []float64, same bool) {
	same = true
	for i := range steps {
		f, ok := steps[i].Figure(name)
		values = append(values, f.Value)
		same = same && ok && f.Value == values[0]
	}
	return values, same
}

// sameFrames reports whether the frames of a figure have the same Peak and Spikes in all steps.
func sameFrames(steps []Step, f Figure) bool {
	for i := range steps {
		if g, ok := steps[i].Figure(f.Name); !ok || g.Peak != f.Peak || g.Spikes != f.Spikes {
			return false
		}
	}
	return true
}

// middle returns a figure whose value is the median of the values in the given steps.
func middle(steps []Step, f Figure) Figure {
	var values, peaks []float64
	f.Spikes = 0
	for i := range steps {
		if g, ok := steps[i].Figure(f.Name); ok {
			values, peaks = append(values, g.Value), append(peaks, g.Peak)
			f.Spikes = max(f.Spikes, g.Spikes)
		}
	}
	f.Value, f.Peak = median(values), median(peaks)
	return f
}

// unsteadyItems marks items of a as unsteady if they differ from b or are missing in b. It also
// adds the items that only b has.
func unsteadyItems(a, b []Item) []Item {
	states := map[string]string{}
	for _, item := range b {
		states[item.Name] = item.State
	}
	for i, item := range a {
		if states[item.Name] != item.State {
			a[i].State = string(UnsteadyClass)
		}
		delete(states, item.Name)
	}
	for name := range states {
		a = append(a, Item{Name: name, State: string(UnsteadyClass)})
	}
	return a
}

func (r *Runner) logf(format string, args ...any) {
	if r.Log != nil {
		r.Log(fmt.Sprintf(format, args...))
	}
}

// A tail is a writer that keeps only the last bytes written.
type tail struct{ b []byte }

const tailSize = 2000

func (t *tail) Write(p []byte) (int, error) {
	t.b = append(t.b, p...)
	t.b = t.b[max(0, len(t.b)-tailSize):]
	return len(p), nil
}

func (t *tail) quote() string {
	text := bytes.TrimSpace(t.b)
	if len(text) == 0 {
		return ""
	}
	return "; it printed:\n" + string(text)
}

// processorName returns the system's name of the processor.
func processorName() string {
	if text, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(text)) {
			if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
				return strings.TrimSpace(value)
			}
		}
	}
	return runtime.GOARCH
}

// A Suite is a sequence of steps. Each step is a separate process of the measured program, and
// continues with the files that the previous step left.
type Suite struct {
	Name string
	Sum  string // identifies the inputs of exact figures; see [Record]
	// Reset prepares a working directory for the first step. The directory is empty, or still has
	// the files of an earlier round.
	Reset func(work string) error
	Steps []Task
}

// A Task is a step that the runner executes.
type Task struct {
	Name    string
	Budgets map[string]float64      // maximum values by name of the figure
	Prepare func(work string) error // runs before each execution, unmeasured; may be nil
	// Command returns the command that executes the step. The program must call [Start].
	Command func(ctx context.Context, program, work string) *exec.Cmd
	// Inspect, if not nil, returns items that are visible from outside, such as digests of output
	// files. It is called after each execution that measures exact figures.
	Inspect func(work string) ([]Item, error)
}
