package cook

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/explain"
	"github.com/assetcook/assetcook/cook/internal/lint"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/cook/internal/survey"
	"github.com/assetcook/assetcook/cook/internal/todo"
	"github.com/assetcook/assetcook/internal/dependency"
)

// An Explanation lists everything that determines the result of one asset for one target.
type Explanation struct {
	Path, Target string
	// ID is the ID of the asset. It is "" if assets have no IDs, or if the asset was never cooked.
	ID string
	// Runs is true if a run would work on the asset, for the given Reasons. Err is the error that
	// the run would report.
	Runs    bool
	Reasons []Reason
	Err     error
	// Makes has lines of the recipe about the expected result. Warnings has one line for each
	// likely mistake.
	Makes, Warnings []string
	// Options are the recipe and its options. Rules are the rules that set them, with increasing
	// precedence. Both are empty if no recipe could be chosen.
	Options []Option
	Rules   []string
	// Overruled has a line for each setting that a rule of higher precedence overrides.
	Overruled []string
	// Inputs are the source, the dependencies in the last run, and the programs.
	Inputs []Input
	Last   *LastTime // nil if the asset was never cooked
}

// An Option is the value of one option, and the origin of the value.
type Option struct {
	Key   string `json:"key"` // key of the option; the first option is "recipe"
	Value string `json:"value"`
	From  string `json:"from"` // such as "cook.toml:3", "built-in" or "default"
}

// An Input is a file that the result depends on. Was is its content in the last run; "" if unknown.
// Now is its current content; "" if the file is missing. Err is true if the file cannot be read.
type Input struct {
	Path    string `json:"path"`
	Now     string `json:"now,omitempty"` // BLAKE3 hash
	Was     string `json:"was,omitempty"` // BLAKE3 hash, or "absent"
	Program bool   `json:"program,omitempty"`
	Err     bool   `json:"unreadable,omitempty"`
}

// LastTime describes the last work on an asset.
type LastTime struct {
	Outcome  Outcome       `json:"outcome"`
	At       time.Time     `json:"at"`
	CookTime time.Duration `json:"cook_ns"`
	Reasons  []string      `json:"reasons"`
	Outputs  []Output      `json:"outputs"`
	Origin   *Origin       `json:"origin,omitempty"` // nil if this machine cooked the asset
}

// An Origin describes where a result comes from, as the server claims. It has the fields
//
//	Server string    // address
//	Run    string    // ID of the run that cooked the result
//	Host   string    // machine of that run
//	Key    string    // fingerprint of the signing key; "" for none
//	At     time.Time // time of that run; zero if unknown
type Origin = store.Origin

// An Output is an artifact and its state on the disk.
type Output struct {
	Path  string `json:"path"`
	Blob  string `json:"blob"` // BLAKE3 hash
	Size  int64  `json:"bytes"`
	State string `json:"state"` // "intact", "missing" or "edited"
}

// ErrNoAsset is the error for a path that names no asset.
var ErrNoAsset = explain.ErrNoAsset

// Why explains one asset without changing anything on the disk. It returns one explanation for each
// target. The path names a source, relative to Project.Dir or to the working directory, or an
// output.
func Why(ctx context.Context, p Project, path string, opt WhyOptions) ([]Explanation, error) {
	all, err := explainAsset(ctx, opt.questionOptions(p), path)
	return all, asPublic(err)
}

// WhyOptions describe the run to explain. Fields of the same name mean the same as in CookOptions.
type WhyOptions struct {
	IgnoreTimestamps bool
	OutputsByFolder  bool
	Workers          int
	Observer         Observer
}

func (o *WhyOptions) questionOptions(p Project) session.Options {
	opt := p.sessionOptions()
	opt.Mode.DryRun, opt.Mode.IgnoreStamps, opt.Mode.OutputsByFolder = true, o.IgnoreTimestamps, o.OutputsByFolder
	opt.Limits.Workers = o.Workers
	opt.Observer = o.Observer
	return opt
}

func explainAsset(ctx context.Context, opt session.Options, name string) ([]Explanation, error) {
	answer, err := explain.AskAbout(ctx, opt, name)
	if err != nil {
		return nil, err
	}
	defer answer.Close()
	var all []Explanation
	for i := range answer.Todo.Plan.Actions {
		all = append(all, explanation(ctx, answer.Session, answer.Todo, &answer.Todo.Plan.Actions[i]))
	}
	return all, nil
}

func explanation(ctx context.Context, s *session.Session, t *todo.Todo, a *plan.Action) Explanation {
	e := Explanation{Path: a.Path, Target: a.Target, Runs: a.Runs(), Reasons: a.Reasons, Err: a.Err}
	was := ""
	if a.Last != nil {
		was = a.Last.Source.String()
		e.ID, e.Last = t.IDs.Of(a.Path), lastTime(a.Last)
		if o := survey.Origin(t.Store, a); o != (Origin{}) {
			e.Last.Origin = &o
		}
	}
	e.Inputs = append(e.Inputs, inputOf(a.Path, was, *a.Source))
	if a.Last != nil {
		for i := range a.Last.Deps {
			d := &a.Last.Deps[i]
			was := "absent"
			if d.Found && d.On.Kind == dependency.Presence {
				was = ""
			} else if d.Found {
				was = d.Blob.String()
			}
			now := t.Contents.At(ctx, d.On)
			if contents.IsSilent(*d) && plan.Dependency(d.Name, d.On, now) == *d {
				continue // omit an extract that was empty before and still is
			}
			e.Inputs = append(e.Inputs, inputOf(t.Contents.Asked(d.On), was, now))
		}
	}
	if a.Method == nil {
		return e
	}
	for _, tool := range a.Method.Tools {
		in := inputOf(tool.Path, "", tool)
		in.Program = true
		e.Inputs = append(e.Inputs, in)
	}
	e.Options, e.Rules = ruleChoices(a.Method)
	e.Overruled = t.Rules.Set.Overruled(a.Path, a.Target)
	makes, warnings := survey.Makes(ctx, s, a)
	e.Makes, e.Warnings = makes, append(lint.Suspect(s, a), warnings...)
	return e
}

func ruleChoices(m *plan.Method) (options []Option, rules []string) {
	for step := range m.Choice.Steps("") {
		options = append(options, Option{"recipe" + step.Of, fmt.Sprintf("%s version %d", step.Recipe.Name, step.Recipe.Version), step.Chosen().String()})
		for _, o := range step.Options {
			options = append(options, Option{o.Key + step.Of, o.Value, o.From.String()})
		}
		for _, r := range step.Rules {
			rules = append(rules, fmt.Sprintf("%s match %s", r, r.Match))
		}
	}
	return options, rules
}

func inputOf(path, was string, now contents.File) Input {
	in := Input{Path: path, Was: was, Err: now.How == contents.Unreadable}
	if now.Known() {
		in.Now = now.Blob.String()
	}
	return in
}

func lastTime(b *contents.Before) *LastTime {
	l := &LastTime{Outcome: Outcome(b.Decision.Outcome), At: b.Decision.At, CookTime: b.CookTime}
	for why := range strings.Lines(b.Decision.Why) {
		l.Reasons = append(l.Reasons, strings.TrimSuffix(why, "\n"))
	}
	for _, o := range b.Outputs {
		state := "intact"
		switch o.State {
		case contents.Missing:
			state = "missing"
		case contents.Edited:
			state = "edited"
		}
		l.Outputs = append(l.Outputs, Output{o.Artifact.Path, o.Artifact.Blob.String(), o.Artifact.Stamp.Size, state})
	}
	return l
}
