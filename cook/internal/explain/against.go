package explain

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/cook/internal/state"
	"github.com/assetcook/assetcook/cook/internal/survey"
	"github.com/assetcook/assetcook/internal/confine"
	"github.com/assetcook/assetcook/internal/dependency"
	"github.com/assetcook/assetcook/internal/human"
	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/profile/guid"
)

// A Side is the other side of a comparison.
type Side struct {
	Name string // name in messages
	// Actions returns the recorded actions of a source, at least those for the given targets.
	Actions func(source string, targets []string) ([]index.Action, error)

	state   *state.Dir
	past    bool // set for an earlier run
	closers []func()
}

// OpenSide opens a side by its name on the command line: an output directory, a run of the output
// directory out, or the number of such a run. The caller must close it.
func OpenSide(out, name string) (*Side, error) {
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		return OpenFolder(name)
	}
	id, err := guid.Parse(name)
	number, notNumber := strconv.Atoi(name)
	if err != nil && notNumber != nil {
		return nil, &session.ConfigError{Err: fmt.Errorf("%s is neither an output directory nor a run; cook history lists the runs", pathname.Show(name))}
	}
	if notNumber == nil {
		runs, err := survey.Runs(out)
		if err != nil {
			return nil, err
		}
		if number < 1 || number > len(runs) {
			return nil, &session.ConfigError{Err: fmt.Errorf("the history has %s, and no run %d; cook history lists them", human.Count(len(runs), "run"), number)}
		}
		id = runs[number-1].ID
	}
	return openRun(out, name, id)
}

// openRun returns the side that an earlier run of an output directory was.
func openRun(out, name string, id guid.ID) (*Side, error) {
	side, err := OpenFolder(out)
	if err != nil {
		return nil, err
	}
	now := side.Actions
	side.Name, side.past = "run "+name, true
	side.Actions = func(source string, targets []string) (list []index.Action, err error) {
		known, err := now(source, targets)
		if err != nil {
			return nil, err
		}
		for i := range known {
			targets = append(targets, known[i].Target)
		}
		slices.Sort(targets)
		for _, target := range slices.Compact(targets) {
			var last *index.Action
			if i := slices.IndexFunc(known, func(a index.Action) bool { return a.Target == target }); i >= 0 {
				last = &known[i]
			}
			was, err := side.state.Earlier.ActionAfter(id, source, target, last)
			switch {
			case errors.Is(err, index.ErrNoRun):
				return nil, &session.ConfigError{Err: fmt.Errorf("%s: %w; cook keeps records of the last runs of %s only; for a run of another machine, name the output directory of that machine", side.Name, err, pathname.Show(out))}
			case err != nil:
				return nil, fmt.Errorf("%s: %w; name a later run", side.Name, err)
			case was != nil:
				list = append(list, *was)
			}
		}
		return list, nil
	}
	return side, nil
}

// OfIndex returns the side that an index describes. It does not close the index. describe adds the
// name of the index to an error.
func OfIndex(name string, x *index.Index, describe func(error) error) *Side {
	return &Side{Name: name, Actions: func(source string, _ []string) (list []index.Action, err error) {
		err = index.Guard(func() error {
			if err := x.Load(); err != nil {
				return err
			}
			list = x.Results().ActionsOf(source)
			return nil
		})
		if err != nil {
			return nil, describe(err)
		}
		return list, nil
	}}
}

// OpenFolder returns the side that an output directory describes. The caller must close it.
func OpenFolder(name string) (_ *Side, err error) {
	out, err := confine.Open(name)
	if err != nil {
		return nil, &session.ConfigError{Err: fmt.Errorf("output directory: %w", err)}
	}
	in := state.Open(out)
	side := &Side{state: in, closers: []func(){func() { out.Close() }, in.Close}}
	defer func() {
		if err != nil {
			side.Close()
		}
	}()
	known, err := in.Index.Load()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &session.ConfigError{Err: fmt.Errorf("%s has no %s; %s", pathname.Show(name), state.IndexName, whereIndex(name))}
	case errors.Is(err, index.ErrVersion):
		return nil, fmt.Errorf("%w; cook there again with this version of cook", in.Index.Describe(err))
	case errors.Is(err, state.ErrUnreadable):
		return nil, in.Index.Describe(err)
	case err != nil:
		return nil, fmt.Errorf("%w; cook there again, or copy the directory again", in.Index.Describe(err))
	}
	of := OfIndex(pathname.Show(name), known.Index, in.Index.Describe)
	side.Name, side.Actions, side.closers = of.Name, of.Actions, append(side.closers, known.Close)
	return side, nil
}

// whereIndex returns advice on a directory without an index.
func whereIndex(name string) string {
	abs, err := filepath.Abs(name)
	if err != nil {
		abs = name
	}
	beside := session.DefaultOut(abs)
	if _, err := os.Stat(filepath.Join(beside, filepath.FromSlash(state.IndexName))); err == nil {
		return "name the output directory " + pathname.Show(pathname.FromHere(beside))
	}
	return "name an output directory, and copy the directory .cook with it"
}

// Close closes the files of a side.
func (s *Side) Close() {
	for i := len(s.closers) - 1; i >= 0; i-- {
		s.closers[i]()
	}
}

// A Result is the result of a comparison. The JSON output contains its text.
type Result string

const (
	Same        Result = "same"
	Different   Result = "different"
	AbsentThere Result = "absent there" // the other side has no action for the source and target
	FailsHere   Result = "fails here"   // the run would fail before the asset has a key
)

// A Comparison compares the key of an asset for one target with another side.
type Comparison struct {
	Path, Target string
	Against      string // name of the side
	Result       Result
	Differences  []plan.Difference // set if Result is Different
	Text         string            // one line about any other result, and about a failure there
}

// Against compares each action of an answer with the action of a side for the same target.
func (a *Answer) Against(ctx context.Context, side *Side) ([]Comparison, error) {
	var targets []string
	for i := range a.Todo.Plan.Actions {
		targets = append(targets, a.Todo.Plan.Actions[i].Target)
	}
	recorded, err := side.Actions(a.Source, targets)
	if err != nil {
		return nil, err
	}
	present := func(on dependency.Dependency) contents.File { return a.Todo.Contents.At(ctx, on) }
	var all []Comparison
	for i := range a.Todo.Plan.Actions {
		all = append(all, compareAction(&a.Todo.Plan.Actions[i], recorded, side, present))
	}
	return all, nil
}

func compareAction(here *plan.Action, recorded []index.Action, side *Side, present func(dependency.Dependency) contents.File) Comparison {
	name := side.Name
	c := Comparison{Path: here.Path, Target: here.Target, Against: name}
	there, targets := (*index.Action)(nil), []string(nil)
	for i := range recorded {
		targets = append(targets, recorded[i].Target)
		if recorded[i].Target == here.Target {
			there = &recorded[i]
		}
	}
	switch {
	case here.Err != nil:
		c.Result, c.Text = FailsHere, "fails here: "+here.Err.Error()
		return c
	case there == nil:
		c.Result, c.Text = AbsentThere, side.absence(here.Target, targets)
		return c
	}
	if there.State == index.Failed {
		c.Text = "failed in " + name + ": " + lastError(there)
	}
	if c.Differences = plan.CompareKeys(here, there, present); len(c.Differences) > 0 {
		c.Result = Different
		return c
	}
	c.Result = Same
	if c.Text == "" {
		c.Text = "same as in " + name + ": source, recipe, options, programs and dependencies are equal"
	}
	if here.Runs() {
		reasons := make([]string, len(here.Reasons))
		for i, r := range here.Reasons {
			reasons[i] = r.String()
		}
		c.Text += "; the next cook works on it because of: " + strings.Join(reasons, "; ")
	}
	return c
}

// absence says that a side has no action for a target, and what to do. targets are the targets for
// which it has the asset.
func (s *Side) absence(target string, targets []string) string {
	text, advice := s.Name+" has no such asset", "cook it there, or compare the source files and the file .cookignore"
	if len(targets) > 0 {
		text, advice = s.Name+" has this asset only for "+targetsInWords(targets), "cook "+targetsInWords([]string{target})+" there"
	}
	if s.past {
		return strings.Replace(text, " has ", " had ", 1)
	}
	return text + "; " + advice
}

// targetsInWords lists targets for a message.
func targetsInWords(targets []string) string {
	words := make([]string, len(targets))
	for i, t := range targets {
		words[i] = "target " + pathname.Show(t)
		if t == "" {
			words[i] = "the unnamed target"
		}
	}
	return strings.Join(words, ", ")
}

// lastError returns the error of a failed action.
func lastError(a *index.Action) string {
	lines := strings.Split(a.Decision.Why, "\n")
	return pathname.Escape(strings.TrimPrefix(lines[len(lines)-1], "error: "))
}
