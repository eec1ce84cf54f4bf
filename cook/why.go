package cook

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"strings"

	"github.com/assetcook/assetcook/cook/index"
	"github.com/assetcook/assetcook/cook/plan"
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/cook/report"
	"github.com/assetcook/assetcook/cook/rules"
	"github.com/assetcook/assetcook/cook/run"
	"github.com/assetcook/assetcook/cook/survey"
	"github.com/assetcook/assetcook/internal/pathname"
)

// An Explanation is all that decides about one asset for one target.
type Explanation struct {
	Path, Target string
	// Method is the rules' choice, nil if there is none (see Err).
	Method *rules.Method
	// Tools are the programs whose content counts.
	Tools []survey.File
	// Next are the reasons for what a run would do now; Runs says whether it
	// would do anything.
	Next []plan.Reason
	Runs bool
	Err  error
	// Warnings are what is odd about the source, and Makes what the recipe makes
	// of it, if it can say so; both a line each.
	Warnings, Makes []string
	// Last is what the index remembers, nil if nothing, and LastMade the state
	// of its artifacts.
	Last     *index.Action
	LastMade []survey.Output
	// Source is the asset's content now, Deps the dependencies' of last time.
	Source survey.File
	Deps   []survey.File
}

// ErrNoAsset says that a path names no asset.
var ErrNoAsset = errors.New("no such asset")

// Why explains one asset and changes nothing on the disk. The path is that of
// a source, relative to opt.Dir or as the shell would name it, or that of an
// output. There is one explanation for each target.
func Why(ctx context.Context, opt Options, name string) ([]Explanation, error) {
	opt.DryRun = true
	k, err := begin(opt)
	if err != nil {
		return nil, err
	}
	defer k.close()
	if err := k.readIndex(); err != nil {
		return nil, err
	}
	source := k.sourceOf(name)
	k.only = source
	if err := k.lookAround(ctx); err != nil {
		return nil, err
	}
	p := k.plan(ctx)
	var all []Explanation
	for i := range p.Actions {
		a := &p.Actions[i]
		e := Explanation{
			Path: a.Path, Target: a.Target, Next: a.Reasons, Runs: a.Runs, Err: a.Err,
			Last: a.Last, LastMade: a.LastMade, Source: a.Source,
		}
		if a.Method != nil {
			e.Method = a.Method.Method
			if user, ok := a.Method.Cooker.(recipe.ToolUser); ok {
				for _, name := range user.Tools() {
					tool, _ := k.tool(ctx, name) // plan has found it
					e.Tools = append(e.Tools, tool)
				}
			}
			e.Warnings = k.oddities(a)
			makes, warnings := k.makes(ctx, a)
			e.Makes, e.Warnings = makes, append(e.Warnings, warnings...)
		}
		if a.Last != nil {
			for _, d := range a.Last.Deps {
				e.Deps = append(e.Deps, k.survey.At(ctx, d.Path))
			}
		}
		all = append(all, e)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: %w in %s", pathname.Show(name), ErrNoAsset, k.Dir)
	}
	return all, nil
}

// makes asks a recipe what it makes of a source, and what it warns of. That it cannot
// cook it is said elsewhere.
func (k *kitchen) makes(ctx context.Context, a *plan.Action) (lines, warnings []string) {
	explainer, ok := a.Method.Cooker.(recipe.Explainer)
	if !ok {
		return nil, nil
	}
	job := recipe.NewJob(recipe.Env{
		Recipe: a.Method.Recipe, Path: a.Path, Assets: k.assets.Name(),
		Open: func(p string) (fs.File, error) { return k.assets.OpenFile(p) },
		Stat: k.assets.Stat,
	}, a.Source.Stamp.Size)
	lines, err := run.Explain(ctx, explainer, job)
	if err != nil {
		return []string{err.Error()}, nil
	}
	return lines, job.Warnings()
}

// sourceOf turns what a person typed into a source's path.
func (k *kitchen) sourceOf(name string) string {
	given := path.Clean(filepath.ToSlash(name))
	if _, err := k.assets.Stat(given); err == nil {
		return given
	}
	abs, err := filepath.Abs(name)
	if err != nil {
		return given
	}
	if rel, ok := pathname.Below(k.assets.Name(), abs); ok {
		return rel
	}
	if dir, err := filepath.Abs(k.Dir); err == nil {
		if rel, ok := pathname.Below(dir, abs); ok {
			return rel
		}
	}
	output := given
	if rel, ok := pathname.Below(k.Out, abs); ok {
		output = rel
	}
	for i := range k.last.Actions() {
		first, n := k.last.ActionArtifacts(i)
		for row := first; row < first+n; row++ {
			if k.last.ArtifactPath(row) == output {
				return k.last.ActionPath(i)
			}
		}
	}
	return given
}

// WriteTo prints an explanation.
func (e *Explanation) WriteTo(w io.Writer) (int64, error) {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	name := pathname.Show(e.Path)
	if e.Target != "" {
		name += " [" + e.Target + "]"
	}
	line("%s", name)
	switch {
	case e.Err != nil:
		line("  now:      fails: %v", e.Err)
	case e.Runs:
		line("  now:      has work to do")
	default:
		line("  now:      up to date")
	}
	for _, r := range e.Next {
		line("    because %s", r)
	}
	e.writeLast(line)
	for _, text := range e.Makes {
		line("  makes:    %s", pathname.Escape(text))
	}
	for _, text := range e.Warnings {
		line("  warning:  %s", pathname.Escape(text))
	}
	e.writeMethod(line)
	line("  inputs:")
	was := ""
	if e.Last != nil {
		was = e.Last.Source.String()
	}
	line("    %s", input(e.Path, was, e.Source))
	for i, d := range e.Deps {
		was := "absent"
		switch last := &e.Last.Deps[i]; {
		case recipe.PresenceOnly(last.Name) && last.Found:
			was = ""
		case last.Found:
			was = e.Last.Deps[i].Blob.String()
		}
		line("    %s", input(d.Path, was, d))
	}
	for _, t := range e.Tools {
		line("    %s %s (program)", t.Blob.String()[:idDigits], pathname.Show(t.Path))
	}
	n, err := io.WriteString(w, b.String())
	return int64(n), err
}

func (e *Explanation) writeLast(line func(string, ...any)) {
	if e.Last == nil {
		line("  last:     never cooked")
		return
	}
	line("  last:     %s on %s, cooking took %s", e.Last.Outcome,
		e.Last.Decided.UTC().Format("2006-01-02 15:04:05 UTC"), report.Duration(e.Last.CookTime))
	for why := range strings.Lines(e.Last.Why) {
		line("    because %s", strings.TrimSuffix(why, "\n"))
	}
	for _, o := range e.LastMade {
		state := "intact"
		switch o.State {
		case survey.Missing:
			state = "missing"
		case survey.Edited:
			state = "edited"
		}
		line("  output:   %s %s (%s, %s)", o.Artifact.Blob.String()[:idDigits],
			pathname.Show(o.Artifact.Path), report.Bytes(o.Artifact.Stamp.Size), state)
	}
}

func (e *Explanation) writeMethod(line func(string, ...any)) {
	if e.Method == nil {
		return
	}
	m := e.Method
	line("  recipe:   %s version %d (%s)", m.Recipe.Name, m.Recipe.Version, m.From["recipe"])
	for _, f := range recipe.Fields(m.Cooker) {
		from := "default"
		if o, ok := m.From[f.Key]; ok {
			from = o.String()
		}
		line("    %s = %s (%s)", f.Key, f.Value, from)
	}
	for _, r := range m.Rules {
		line("  rule:     %s match %s", r, r.Match)
	}
}

// idDigits is how much of an ID people are shown.
const idDigits = 12

// input is one line: content now, path, and the content of last time if that
// was another.
func input(p, was string, now survey.File) string {
	is := "absent      "
	switch {
	case now.How == survey.Unreadable:
		is = "unreadable  "
	case now.Known():
		is = now.Blob.String()[:idDigits]
	}
	s := is + " " + pathname.Show(p)
	if was == "" || now.Known() && was == now.Blob.String() || was == "absent" && now.How == survey.Absent {
		return s
	}
	return s + " (was " + was[:min(idDigits, len(was))] + ")"
}
