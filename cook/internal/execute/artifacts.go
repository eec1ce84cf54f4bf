package execute

import (
	"cmp"
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

	mu      sync.Mutex
	plan    *plan.Plan // nil before it is carried out
	results []Result
	dry     bool              // outputs of what runs are not known
	rest    map[string][]made // by target, of sources that the run does not see to
	now     map[string][]made // of the others
	open    map[string]string // outputs that are still to be made, and for which target
	busy    map[int]bool      // actions that make them
}

// made is an output of an action.
type made struct {
	source string
	output manifest.Output // its path is below the target's folder
	failed bool            // it could not be made
}

// A waitError says that something asked for an artifact that is still to be made.
type waitError struct{ output string }

func (e *waitError) Error() string {
	return fmt.Sprintf("needs %s, which needs what this makes; exclude one of them with a pattern that begins with !", pathname.Show(e.output))
}

// carryOut has the artifacts be what a plan makes of them, by the results of its actions. In
// a dry run it is not known what those that run make.
func (t *Artifacts) carryOut(p *plan.Plan, results []Result, dry bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.plan, t.results, t.dry, t.rest = p, results, dry, nil
}

// begin starts a wave: waiting are the numbers of the actions that are still to come.
func (t *Artifacts) begin(waiting []int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.now, t.open, t.busy = map[string][]made{}, map[string]string{}, map[int]bool{}
	for _, i := range waiting {
		t.busy[i] = true
		for _, out := range t.plan.Actions[i].Outputs {
			t.open[out] = t.plan.Actions[i].Target
		}
	}
}

// close notes that an action of the wave needed no work.
func (t *Artifacts) close(i int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.busy, i)
	for _, out := range t.plan.Actions[i].Outputs {
		delete(t.open, out)
	}
	clear(t.now)
}

// Changes says what this run has changed of what a path chooses that pathname.Artifacts made.
func (t *Artifacts) Changes(name string) string {
	target, _, _ := pathname.CutArtifacts(name)
	list, err := t.find(name)
	if err != nil || t.plan == nil {
		return pathname.Plain(name)
	}
	chosen := map[string]bool{}
	for i := range list {
		chosen[list[i].source] = true
	}
	first, more := "", 0
	for i := range t.plan.Actions {
		a := &t.plan.Actions[i]
		if !chosen[a.Path] || a.Target != target || t.busy[i] || t.results[i].Outcome == UpToDate || t.results[i].Outcome == Unchanged {
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
		return pathname.Plain(name) // something is gone
	case more == 0:
		return first
	}
	return fmt.Sprintf("%s and %d more", first, more)
}

// Digest identifies what a path means that pathname.Artifacts made.
func (t *Artifacts) Digest(name string) (store.BlobID, error) {
	list, err := t.find(name)
	if err != nil {
		return store.BlobID{}, err
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

// List returns what a path means that pathname.Artifacts made, by source and output.
func (t *Artifacts) List(name string) (assets []manifest.Asset, err error) {
	list, err := t.find(name)
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

// find returns what a path chooses, sorted by source and output.
func (t *Artifacts) find(name string) ([]made, error) {
	target, patterns, _ := pathname.CutArtifacts(name)
	var chosen glob.List
	for _, p := range patterns {
		if err := chosen.Add(p); err != nil {
			return nil, err
		}
	}
	match := func(p string) bool { return chosen.Match(p, path.Base(p)) }
	t.mu.Lock()
	defer t.mu.Unlock()
	var wait *waitError
	for out, its := range t.open {
		p, ok := below(target, out)
		if ok && its == target && match(p) && (wait == nil || out < wait.output) {
			wait = &waitError{out}
		}
	}
	if wait != nil {
		return nil, wait
	}
	if err := t.collect(target); err != nil {
		return nil, err
	}
	var list []made
	for _, from := range [][]made{t.rest[target], t.now[target]} {
		for i := range from {
			if match(from[i].output.Path) {
				list = append(list, from[i])
			}
		}
	}
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

// collect sees to it that rest and now have a target.
func (t *Artifacts) collect(target string) error {
	if t.rest == nil {
		t.rest = map[string][]made{}
	}
	if _, ok := t.rest[target]; !ok {
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
			return err
		}
		t.rest[target] = list
	}
	if t.plan == nil {
		return nil
	}
	if _, ok := t.now[target]; !ok {
		t.now[target] = t.planned(target)
	}
	return nil
}

// planned lists what actions of the plan have made, and what it keeps.
func (t *Artifacts) planned(target string) (list []made) {
	for _, b := range t.plan.Kept {
		if b.Target == target && b.State == index.Done {
			for i := range b.Made {
				list = append(list, of(b.Path, target, b.Made[i]))
			}
		}
	}
	for i := range t.plan.Actions {
		if t.busy[i] {
			continue // others write to it
		}
		a, res := &t.plan.Actions[i], &t.results[i]
		if a.Target != target {
			continue
		}
		if a.Err == nil && res.State == index.Done && res.Outcome != Failed && len(res.Made) == len(a.Outputs) {
			for k := range res.Made {
				list = append(list, of(a.Path, target, res.Made[k]))
			}
			continue
		}
		for _, out := range a.Outputs {
			m := of(a.Path, target, index.Artifact{Path: out})
			m.failed = !t.dry || res.Outcome == Failed
			list = append(list, m)
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
