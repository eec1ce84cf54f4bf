package execute

import (
	"cmp"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/assetcook/assetcook/cook/internal/glob"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/manifest"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/remote"
	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/dependency"
	"github.com/assetcook/assetcook/internal/pathname"
)

// Artifacts knows what assets are cooked to, for bundles: before a plan is carried out what
// the last run made, then what there is at the moment. Its methods may be called by many
// goroutines.
type Artifacts struct {
	// Last is what the last run knew. Concerned are the sources that this run sees to, nil
	// for all.
	Last      *index.Index
	Concerned map[string]bool
	// Final says that nothing is to be made: what the last run knew is all there is.
	Final bool
	// IDs returns the ID of an asset, "" if assets have none.
	IDs func(source string) string

	plan    *plan.Plan // nil before it is carried out
	results []Result
	settled []atomic.Bool // actions that have a result for good
	dry     bool          // outputs of what runs are not known

	mu   sync.Mutex
	rest map[string][]made // by target, of sources that the run does not see to
}

// made is an output of an action.
type made struct {
	source string
	output manifest.Output // its path is below the target's folder
	failed bool            // it could not be made
}

// A waitError says that something asked for artifacts that are still to be made, or for what
// the server is still to be asked.
type waitError struct {
	question dependency.Dependency
	output   string       // one of them
	on       []int        // the actions that are to make them
	keys     []remote.Key // that the server is to be asked for; then the rest is empty
}

func (e *waitError) Error() string {
	if len(e.keys) > 0 {
		return "needs an answer of the server"
	}
	return fmt.Sprintf("needs %s, which needs what this makes; exclude one of them with a pattern that begins with !", pathname.Show(e.output))
}

// carryOut has the artifacts be what a plan makes of them, by the results of its actions,
// which are read once these are settled. In a dry run it is not known what those that run
// make.
func (t *Artifacts) carryOut(p *plan.Plan, results []Result, settled []atomic.Bool, dry bool) {
	t.plan, t.results, t.settled, t.dry, t.rest = p, results, settled, dry, nil
}

// A choice is the target and the patterns of a dependency on artifacts.
type choice struct {
	target   string
	patterns glob.List
}

func choose(on dependency.Dependency) (c choice, err error) {
	c.target = on.Path
	for _, p := range on.Patterns() {
		if err := c.patterns.Add(p); err != nil {
			return c, err
		}
	}
	return c, nil
}

// has reports whether the patterns choose an output, by its path below the target's folder.
func (c *choice) has(output string) bool { return c.patterns.Match(output, path.Base(output)) }

// open returns the artifacts that are still to be made, nil for none.
func (t *Artifacts) open(on dependency.Dependency) *waitError {
	c, err := choose(on)
	if err != nil {
		return nil // who asks is told
	}
	return t.unsettled(on, &c)
}

// Open reports whether some of the artifacts are still to be made.
func (t *Artifacts) Open(on dependency.Dependency) bool { return t.open(on) != nil }

func (t *Artifacts) unsettled(on dependency.Dependency, c *choice) (wait *waitError) {
	for i := range t.settled {
		a := &t.plan.Actions[i]
		if a.Target != c.target || t.settled[i].Load() {
			continue
		}
		for _, out := range a.Outputs {
			p, ok := below(c.target, out)
			if !ok || !c.has(p) {
				continue
			}
			if wait == nil {
				wait = &waitError{question: on, output: out}
			}
			wait.output = min(wait.output, out)
			if n := len(wait.on); n == 0 || wait.on[n-1] != i {
				wait.on = append(wait.on, i)
			}
		}
	}
	return wait
}

// Changes says what this run has changed of some artifacts.
func (t *Artifacts) Changes(on dependency.Dependency) string {
	list, err := t.find(on)
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
		if !chosen[a.Path] || a.Target != on.Path || !t.settled[i].Load() || t.results[i].Outcome == UpToDate || t.results[i].Outcome == Unchanged {
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
		return on.String() // something is gone
	case more == 0:
		return first
	}
	return fmt.Sprintf("%s and %d more", first, more)
}

// Digest identifies artifacts, or their IDs.
func (t *Artifacts) Digest(on dependency.Dependency) (store.BlobID, error) {
	list, err := t.find(on)
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
	}
	return store.BlobID(k.Sum()), nil
}

// digestIDs identifies the IDs of the assets of artifacts.
func (t *Artifacts) digestIDs(list []made) store.BlobID {
	k := hashing.NewKey("assetcook IDs 1")
	for i := range list {
		if source := list[i].source; i == 0 || list[i-1].source != source {
			k.String("source", source)
			k.String("ID", t.IDs(source))
		}
	}
	return store.BlobID(k.Sum())
}

// IDsOf returns the IDs of the assets of some artifacts, by source.
func (t *Artifacts) IDsOf(on dependency.Dependency) (map[string]string, error) {
	list, err := t.find(on)
	if err != nil {
		return nil, err
	}
	ids := map[string]string{}
	for i := range list {
		source := list[i].source
		if ids[source] = t.IDs(source); ids[source] == "" {
			return nil, errors.New("assets have no IDs; they have if cook.toml says ids = true in its table [project]")
		}
	}
	return ids, nil
}

// List returns artifacts, by source and output.
func (t *Artifacts) List(on dependency.Dependency) (assets []manifest.Asset, err error) {
	list, err := t.find(on)
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

// find returns what patterns choose, sorted by source and output.
func (t *Artifacts) find(on dependency.Dependency) ([]made, error) {
	c, err := choose(on)
	if err != nil {
		return nil, err
	}
	if wait := t.unsettled(on, &c); wait != nil {
		return nil, wait
	}
	rest, err := t.collect(c.target)
	if err != nil {
		return nil, err
	}
	var list []made
	for i := range rest {
		if c.has(rest[i].output.Path) {
			list = append(list, rest[i])
		}
	}
	list = t.planned(list, &c)
	slices.SortFunc(list, func(a, b made) int {
		return cmp.Or(strings.Compare(a.source, b.source), strings.Compare(a.output.Path, b.output.Path))
	})
	return list, whole(list)
}

// whole returns an error for artifacts that could not be made.
func whole(list []made) error {
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
		return fmt.Errorf("needs %s, which could not be cooked", pathname.Show(first))
	}
	return fmt.Errorf("needs %d files of %s and others, which could not be cooked", failed, pathname.Show(first))
}

// collect lists what there is for a target of sources that the run does not see to.
func (t *Artifacts) collect(target string) ([]made, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if list, ok := t.rest[target]; ok {
		return list, nil
	}
	var list []made
	err := index.Guard(func() error {
		if err := t.Last.Load(); err != nil {
			return err
		}
		for row := range t.Last.Rows("") {
			source := row.Path()
			if row.Target() != target || row.State() != index.Done || t.plan != nil && (t.Concerned == nil || t.Concerned[source]) {
				continue
			}
			for k := range row.Made() {
				list = append(list, of(source, target, row.Output(k)))
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if t.rest == nil {
		t.rest = map[string][]made{}
	}
	t.rest[target] = list
	return list, nil
}

// planned adds to a list what is chosen of what actions of the plan have made, and of what it
// keeps. None of those actions is still to be settled.
func (t *Artifacts) planned(list []made, c *choice) []made {
	if t.plan == nil {
		return list
	}
	add := func(source string, m index.Artifact, failed bool) {
		if p, ok := below(c.target, m.Path); ok && c.has(p) {
			it := of(source, c.target, m)
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
		a, res := &t.plan.Actions[i], &t.results[i]
		if a.Target != c.target || !t.settled[i].Load() {
			continue
		}
		if a.Err == nil && res.State == index.Done && res.Outcome != Failed && len(res.Made) == len(a.Outputs) {
			for k := range res.Made {
				add(a.Path, res.Made[k], false)
			}
			continue
		}
		for _, out := range a.Outputs {
			add(a.Path, index.Artifact{Path: out}, !t.dry || res.Outcome == Failed)
		}
	}
	return list
}

func of(source, target string, m index.Artifact) made {
	p, _ := below(target, m.Path)
	return made{source: source, output: manifest.Output{Path: p, Size: m.Stamp.Size, BLAKE3: hashing.Digest(m.Blob)}}
}

// below returns the path of an output below its target's folder.
func below(target, output string) (string, bool) {
	if target == "" {
		return output, true
	}
	return strings.CutPrefix(output, target+"/")
}
