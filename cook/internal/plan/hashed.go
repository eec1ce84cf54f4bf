package plan

import (
	"fmt"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/hashname"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/rules"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/internal/dependency"
	"github.com/assetcook/assetcook/internal/recipeset"
)

// HasHashes reports whether the name of any output has {hash}.
func (a *Action) HasHashes() bool { return a.Method != nil && a.Method.Choice.Hashed() }

// HashName returns the name of an output with {hash}, or the zero Name for an output without
// it.
func (a *Action) HashName(i int) (n hashname.Name) {
	if a.HasHashes() {
		n, _ = hashname.Parse(a.Target, a.Outputs[i])
	}
	return n
}

// OutputFor returns the path of an output for an artifact: the final name if the output has
// {hash}.
func (a *Action) OutputFor(i int, content store.BlobID) string {
	if name := a.HashName(i); !name.IsZero() {
		return name.With(hashname.Digits(content))
	}
	return a.Outputs[i]
}

// IsOutput reports whether an artifact has the path that OutputFor returns for output i and the
// content of the artifact.
func (a *Action) IsOutput(i int, m *index.Artifact) bool {
	return i < len(a.Outputs) && m.Path == a.OutputFor(i, m.Blob)
}

// ShownOutput returns an output for messages, with {hash} instead of the digits of a planned name.
func (a *Action) ShownOutput(i int) string {
	if name := a.HashName(i); !name.IsZero() {
		return name.Shape()
	}
	return a.Outputs[i]
}

// ShownOutputs returns the names of all outputs as messages show them.
func (a *Action) ShownOutputs() []string {
	if !a.HasHashes() {
		return a.Outputs
	}
	shown := make([]string, len(a.Outputs))
	for i := range shown {
		shown[i] = a.ShownOutput(i)
	}
	return shown
}

// renamedOutput returns the index of the first output whose name differs from the last run, or
// -1.
func (a *Action) renamedOutput() int {
	for i := range a.Last.Made {
		if i < len(a.Outputs) && !a.IsOutput(i, &a.Last.Made[i]) {
			return i
		}
	}
	return -1
}

// IsLinked reports whether artifacts of a known action contain final names with {hash}. The
// store holds such artifacts with planned names.
func IsLinked(a *index.Action) bool {
	return hasField(a.Method, fieldLinked) || slices.ContainsFunc(a.Deps, isName)
}

func isName(d index.Dep) bool { return d.On.Kind == dependency.Name }

// IsLinked reports whether artifacts of the action may contain names with {hash}. It uses only
// facts that are known before the action runs.
func (a *Action) IsLinked() bool {
	return hasField(a.Method.Fields, fieldLinked) || a.Last != nil && slices.ContainsFunc(a.Last.Deps, isName)
}

// FinalName returns the path, in the output directory, of the artifact that a dependency names. ok
// is false if the dependency is of another kind, or if there is no such artifact.
func FinalName(d index.Dep) (final string, ok bool) {
	if !isName(d) || !d.Found {
		return "", false
	}
	_, output := d.On.NamedOutput()
	name, ok := hashname.Parse("", output)
	return underTarget(d.On.Path, name.With(hashname.Digits(d.Blob))), ok
}

// FollowsRules reports whether the outputs of a method may name artifacts that rules rename. This
// is the case if the method's recipe follows another recipe, and some rule affects that recipe.
func FollowsRules(m index.Method, recipes *recipeset.Set) bool {
	return AnyRecipe(m, func(name string) bool {
		r, ok := recipes.Lookup(name)
		return ok && r.Follow != nil && slices.ContainsFunc(m, func(f index.Field) bool {
			key, _, _ := strings.Cut(f.Key, rules.Of)
			return key == r.Follow.Option && strings.Trim(f.Value, `"`) != ""
		})
	})
}

func hasField(m index.Method, key string) bool {
	return slices.ContainsFunc(m, func(f index.Field) bool { return f.Key == key })
}

// Finals holds all facts of a plan about final names with {hash}.
type Finals struct {
	// Any is set if the name of an output has {hash}.
	Any bool
	// Old are known artifacts whose names match an output with {hash}. Artifacts that no action
	// makes any more are removed once the manifest names the new artifacts.
	Old []Retired

	claims  map[string]int    // numbers of actions, by output
	kept    map[string]string // sources of actions outside the run, by output
	shapes  map[string]int    // numbers of actions, by the shape of an output
	actions []Action
	outside Outside
}

// Taken returns the source of another output that already has the given final name as its path. It
// returns "" if there is none.
func (f *Finals) Taken(final string) (source string) {
	if i, ok := f.claims[final]; ok {
		return f.actions[i].Path
	}
	if source, ok := f.kept[final]; ok {
		return source
	}
	if f.outside != nil && f.outside.Owns(final) {
		return "another asset"
	}
	return ""
}

// fits returns an action with an output whose final name may be the given path.
func (f *Finals) fits(name string) (i int, ok bool) {
	if !f.Any {
		return 0, false
	}
	for shape := range hashname.Shapes(name) {
		if i, ok := f.shapes[shape]; ok {
			return i, true
		}
	}
	return 0, false
}

// claimFinals claims the shapes of outputs with {hash}. If another action claims the path of an
// action's artifact, the artifact counts as lost and its action runs again. If the final names
// still clash, the action fails as in a first run. Outputs of different shapes cannot clash.
func (p *planner) claimFinals() {
	f := &p.plan.Finals
	if !f.Any {
		return
	}
	f.claims, f.shapes, f.actions, f.outside = p.claims, map[string]int{}, p.plan.Actions, p.in.Outside
	for i := range f.actions {
		a := &f.actions[i]
		if !a.HasHashes() {
			continue
		}
		for k := range a.Outputs {
			if name := a.HashName(k); !name.IsZero() {
				f.shapes[name.Shape()] = i
			}
		}
		if a.Last == nil {
			continue
		}
		for k := len(a.Last.Made) - 1; k >= 0; k-- {
			by, claimed := p.claims[a.Last.Made[k].Path]
			if claimed && by != i || !claimed && f.Taken(a.Last.Made[k].Path) != "" {
				a.loseArtifact(k)
			}
		}
	}
}

// loseArtifact makes an action treat an artifact of the last run as missing. If the action cannot
// run, only this artifact is removed from its results.
func (a *Action) loseArtifact(k int) {
	last := *a.Last
	last.Made, last.Outputs = slices.Clone(last.Made), slices.Clone(last.Outputs)
	a.Last = &last
	if a.Err != nil {
		last.Made, last.Outputs = slices.Delete(last.Made, k, k+1), slices.Delete(last.Outputs, k, k+1)
		return
	}
	last.Outputs[k].State = contents.Missing
	if a.State == Rests {
		a.State, a.Reasons = Runs, []Reason{{Kind: OutputMissing, Subject: last.Made[k].Path}}
	}
}

// ClashError returns the error of two sources that have the same output.
func ClashError(output, source string) error {
	return fmt.Errorf("output %s is also an output of %s; give one of the two another name with output = in cook.toml", output, source)
}
