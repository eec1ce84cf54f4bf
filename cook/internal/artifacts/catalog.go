// Package artifacts answers queries of recipes that bundle artifacts of other assets. An answer
// lists the artifacts that match the patterns of a bundle, with their contents and asset IDs.
//
// Before a plan runs, answers come from the index of the last run. From then on they come from the
// plan and the progress of its actions. If an action still has to make a matching artifact, the
// answer is the error [Wait].
package artifacts

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/assetcook/assetcook/cook/internal/glob"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/cook/manifest"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/dependency"
	"github.com/assetcook/assetcook/internal/pathname"
)

// A Catalog knows the artifacts of all assets. Its methods may be called concurrently.
type Catalog struct {
	Last      *index.Index
	Concerned map[string]bool            // sources that are part of this run; nil means all
	Final     bool                       // set if no action will run, so that Last stays valid
	IDs       func(source string) string // returns "" if the source has no ID

	plan     *plan.Plan // nil until the plan runs
	progress Progress

	mu   sync.Mutex
	rest map[string][]madeOutput // outputs of sources that are not part of the run, by target
}

// Progress reports the artifacts that the actions of a plan have made so far.
type Progress interface {
	// Settled reports whether an action has ended; its artifacts then no longer change.
	Settled(i int) bool
	// Made returns the artifacts of a settled action.
	Made(i int) Made
}

// Made describes the artifacts of a settled action.
type Made struct {
	Complete  bool             // set if every output was made
	Failed    bool             // set if the action failed, so that outputs are missing
	Changed   bool             // set if artifacts may differ from the last run
	Artifacts []index.Artifact // one artifact for each output, if Complete is set
}

// madeOutput is an output of an action.
type madeOutput struct {
	source string
	output manifest.Output // path below the directory of its target
	failed bool            // set if the action could not produce the output
}

// A Wait is the error of a query for artifacts that actions still have to make.
type Wait struct {
	Question dependency.Dependency
	Output   string // name of a missing artifact
	On       []int  // numbers of the actions that make the missing artifacts
}

func (w *Wait) Error() string {
	if w.Question.Kind == dependency.Name {
		return fmt.Sprintf("dependency cycle: this asset and %s contain output names of each other; remove {hash} from the output names of one of them", pathname.Show(w.Output))
	}
	return fmt.Sprintf("dependency cycle: this asset and %s need outputs of each other; exclude one of them with a pattern such as !NAME", pathname.Show(w.Output))
}

// Follow makes the catalog answer from a plan that is being carried out.
func (t *Catalog) Follow(p *plan.Plan, progress Progress) {
	t.plan, t.progress, t.rest = p, progress, nil
}

// A choice holds the target and the patterns of a dependency on artifacts.
type choice struct {
	target   string
	patterns glob.List
}

// compileChoice compiles a dependency on artifacts.
func compileChoice(on dependency.Dependency) (c choice, err error) {
	c.target = on.Path
	for _, p := range on.Patterns() {
		if err := c.patterns.Add(p); err != nil {
			return c, err
		}
	}
	return c, nil
}

// choosesOutput reports whether an output matches the patterns. The path is relative to the
// directory of the target.
func (c *choice) choosesOutput(output string) bool {
	return c.patterns.Match(output, path.Base(output))
}

// Pending returns a Wait for the artifacts of a query that are still to be made, or nil if there
// are none.
func (t *Catalog) Pending(on dependency.Dependency) *Wait {
	if on.Kind == dependency.Name {
		_, wait := t.namedAction(on)
		return wait
	}
	c, err := compileChoice(on)
	if err != nil {
		return nil // List reports the error to the recipe
	}
	return t.unsettled(on, &c)
}

// Open reports whether some artifacts of a query are still to be made.
func (t *Catalog) Open(on dependency.Dependency) bool { return t.Pending(on) != nil }

// unsettled is like Pending, for a query whose patterns are already compiled.
func (t *Catalog) unsettled(on dependency.Dependency, c *choice) (wait *Wait) {
	if t.plan == nil {
		return nil
	}
	for i := range t.plan.Actions {
		a := &t.plan.Actions[i]
		if a.Target != c.target || t.progress.Settled(i) {
			continue
		}
		for k, planned := range a.Outputs {
			p, ok := Below(c.target, planned)
			if !ok || !c.choosesOutput(p) {
				continue
			}
			out := a.ShownOutput(k)
			if wait == nil {
				wait = &Wait{Question: on, Output: out}
			}
			wait.Output = min(wait.Output, out)
			if n := len(wait.On); n == 0 || wait.On[n-1] != i {
				wait.On = append(wait.On, i)
			}
		}
	}
	return wait
}

// Changes names a source whose artifacts changed in this run, as the reason for cooking a bundle
// again.
func (t *Catalog) Changes(on dependency.Dependency) string {
	list, err := t.findChosen(on)
	if err != nil || t.plan == nil || on.Kind == dependency.IDs {
		return on.String()
	}
	chosen := map[string]bool{}
	for i := range list {
		chosen[list[i].source] = true
	}
	first, more := "", 0
	for i := range t.plan.Actions {
		a := &t.plan.Actions[i]
		if !chosen[a.Path] || a.Target != on.Path || !t.progress.Settled(i) || !t.progress.Made(i).Changed {
			continue
		}
		if first == "" {
			first = a.Path
		} else {
			more++
		}
	}
	switch {
	case first == "":
		return on.String()
	case more == 0:
		return first
	}
	return fmt.Sprintf("%s and %d more", first, more)
}

// Digest returns a digest of the artifacts of a query, or of the IDs of their assets. For a
// dependency on a name, it returns the blob ID of the artifact.
func (t *Catalog) Digest(on dependency.Dependency) (store.BlobID, error) {
	if on.Kind == dependency.Name {
		return t.namedContent(on)
	}
	list, err := t.findChosen(on)
	if err != nil {
		return store.BlobID{}, err
	}
	if on.Kind == dependency.IDs {
		return t.digestIDs(list), nil
	}
	k := hashing.NewKey("assetcook artifacts 1")
	for i := range list {
		m := &list[i]
		k.String("source", m.source)
		k.String("output", m.output.Path)
		k.Int64("size", m.output.Size)
		k.Digest("content", m.output.BLAKE3)
		if m.output.Role != "" {
			k.String("role", m.output.Role)
		}
	}
	return store.BlobID(k.Sum()), nil
}

// digestIDs hashes the asset IDs of the listed outputs.
func (t *Catalog) digestIDs(list []madeOutput) store.BlobID {
	k := hashing.NewKey("assetcook IDs 1")
	for i := range list {
		if source := list[i].source; i == 0 || list[i-1].source != source {
			k.String("source", source)
			k.String("ID", t.IDs(source))
		}
	}
	return store.BlobID(k.Sum())
}

// IDsOf returns the IDs of all assets whose artifacts a query selects, by source.
func (t *Catalog) IDsOf(on dependency.Dependency) (map[string]string, error) {
	list, err := t.findChosen(on)
	if err != nil {
		return nil, err
	}
	ids := map[string]string{}
	for i := range list {
		source := list[i].source
		if ids[source] = t.IDs(source); ids[source] == "" {
			return nil, errors.New("assets have no IDs; write ids = true in [project] of cook.toml")
		}
	}
	return ids, nil
}

// List returns the artifacts of a query, sorted by source and output.
func (t *Catalog) List(on dependency.Dependency) (assets []manifest.Asset, err error) {
	list, err := t.findChosen(on)
	for i := range list {
		m := &list[i]
		if n := len(assets); n == 0 || assets[n-1].Source != m.source {
			assets = append(assets, manifest.Asset{Source: m.source})
		}
		last := &assets[len(assets)-1]
		last.Outputs = append(last.Outputs, m.output)
	}
	return assets, err
}

// findChosen returns the outputs that a query selects, sorted by source and path. The error is a
// Wait if some of them are still to be made.
func (t *Catalog) findChosen(on dependency.Dependency) ([]madeOutput, error) {
	c, err := compileChoice(on)
	if err != nil {
		return nil, err
	}
	if wait := t.unsettled(on, &c); wait != nil {
		return nil, wait
	}
	rest, err := t.listOutside(c.target)
	if err != nil {
		return nil, err
	}
	var list []madeOutput
	for i := range rest {
		if c.choosesOutput(rest[i].output.Path) {
			list = append(list, rest[i])
		}
	}
	list = t.planned(list, &c)
	slices.SortFunc(list, func(a, b madeOutput) int {
		return cmp.Or(strings.Compare(a.source, b.source), strings.Compare(a.output.Path, b.output.Path))
	})
	return list, missingArtifacts(list)
}

// missingArtifacts returns an error if some artifacts could not be made.
func missingArtifacts(list []madeOutput) error {
	first, failed := "", 0
	for i := range list {
		if list[i].failed {
			if failed++; failed == 1 {
				first = list[i].source
			}
		}
	}
	switch failed {
	case 0:
		return nil
	case 1:
		return fmt.Errorf("this asset needs %s, which could not be cooked", pathname.Show(first))
	}
	return fmt.Errorf("this asset needs %d files of %s and others, which could not be cooked", failed, pathname.Show(first))
}

// listOutside lists the outputs for a target that belong to sources that are not part of the run.
func (t *Catalog) listOutside(target string) ([]madeOutput, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if list, ok := t.rest[target]; ok {
		return list, nil
	}
	var list []madeOutput
	err := index.Guard(func() error {
		if err := t.Last.Load(); err != nil {
			return err
		}
		for row := range t.Last.Results().Rows("") {
			source := row.Path()
			if row.Target() != target || row.State() != index.Done || t.plan != nil && (t.Concerned == nil || t.Concerned[source]) {
				continue
			}
			for k := range row.Made() {
				list = append(list, madeOf(source, target, row.Output(k)))
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if t.rest == nil {
		t.rest = map[string][]madeOutput{}
	}
	t.rest[target] = list
	return list, nil
}

// planned appends the matching outputs of settled actions, and of actions that the plan keeps
// unchanged.
func (t *Catalog) planned(list []madeOutput, c *choice) []madeOutput {
	if t.plan == nil {
		return list
	}
	add := func(source string, m index.Artifact, failed bool) {
		if p, ok := Below(c.target, m.Path); ok && c.choosesOutput(p) {
			it := madeOf(source, c.target, m)
			it.failed = failed
			list = append(list, it)
		}
	}
	for _, b := range t.plan.Kept {
		if b.Target == c.target && b.State == index.Done {
			for i := range b.Made {
				add(b.Path, b.Made[i], false)
			}
		}
	}
	for i := range t.plan.Actions {
		a := &t.plan.Actions[i]
		if a.Target != c.target || !t.progress.Settled(i) {
			continue
		}
		made := t.progress.Made(i)
		if made.Complete {
			for k := range made.Artifacts {
				add(a.Path, made.Artifacts[k], false)
			}
			continue
		}
		for _, out := range a.Outputs {
			add(a.Path, index.Artifact{Path: out}, made.Failed)
		}
	}
	return list
}

// madeOf converts an artifact to an output below the directory of its target.
func madeOf(source, target string, m index.Artifact) madeOutput {
	p, _ := Below(target, m.Path)
	return madeOutput{source: source, output: manifest.Output{Path: p, Size: m.Stamp.Size, BLAKE3: hashing.Digest(m.Blob), Role: m.Role}}
}

// Below returns the path of an output below the directory of its target.
func Below(target, output string) (string, bool) {
	if target == "" {
		return output, true
	}
	return strings.CutPrefix(output, target+"/")
}
