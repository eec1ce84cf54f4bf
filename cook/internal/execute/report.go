package execute

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/place"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/store"
)

// A reporter passes on events and messages, from one goroutine at a time.
type reporter struct {
	mu      sync.Mutex
	report  func(Event)
	onStep  func(a *plan.Action, step string) // may be nil
	onWarn  func(string)
	warned  map[[2]string]bool // printed warnings by source and line
	notes   map[string]bool    // lines of recipes, for the end of the run
	growth  growthList
	detail  Detail
	retired []Size    // artifacts that no action produces any more
	store   sync.Once // guards the first store error; later errors are not reported
}

func newReporter(opt Options) *reporter {
	return &reporter{
		report: opt.Report, onStep: opt.Step, onWarn: opt.Warn, warned: map[[2]string]bool{}, notes: map[string]bool{}, detail: Detail{Workers: opt.Workers},
	}
}

// reportEvent reports an event.
func (r *reporter) reportEvent(e Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.report(e)
}

// showStep reports which step of its recipe an action is in.
func (r *reporter) showStep(a *plan.Action, step string) {
	if r.onStep != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.onStep(a, step)
	}
}

func (r *reporter) noteLineOnce(line string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if key := [2]string{"", line}; !r.warned[key] {
		r.warned[key] = true
		r.onWarn(line)
	}
}

// noteAtEnd keeps a line from a recipe until the end of the run.
func (r *reporter) noteAtEnd(line string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.notes[line] = true
}

// reportNotes reports the lines kept by noteAtEnd, sorted and without duplicates.
func (r *reporter) reportNotes() {
	for _, line := range slices.Sorted(maps.Keys(r.notes)) {
		r.noteLineOnce(line)
	}
	for _, line := range r.growth.lines() {
		r.noteLineOnce(line)
	}
}

// warnOfStore reports an error of the store, but only the first one.
func (r *reporter) warnOfStore(err error) {
	r.store.Do(func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.onWarn("store: " + strings.TrimPrefix(err.Error(), "store: "))
	})
}

// reportResult reports the result of an action.
func (r *reporter) reportResult(res *Result, warnings []string, took time.Duration) {
	a := res.Action
	e := Event{
		Path: a.Path, Target: a.Target, Outcome: res.Outcome, Reasons: a.Reasons,
		Outputs: outputsOf(res), Took: took, CookTime: res.CookTime, Err: res.Err, Origin: res.origin,
	}
	if res.Outcome != NotReached { // another worker may be reading the source
		e.In = a.Source.Stamp.Size
	}
	if a.Method != nil {
		e.Recipe = a.Method.Choice.Recipe.Name
	}
	for _, m := range res.Made {
		e.Out += m.Stamp.Size
	}
	if res.Outcome != Failed && res.Outcome != NotReached { // the event of a failed action has the error instead
		r.reportWarnings(a, warnings)
	}
	r.addGrowth(a, res.Outcome, e.Out)
	r.reportEvent(e)
}

// outputsOf returns the outputs of a result, with final names if they are known.
func outputsOf(res *Result) []string {
	shown := res.Action.ShownOutputs()
	if res.Action.HasHashes() && len(res.Made) == len(shown) {
		for i := range shown {
			shown[i] = res.Action.OutputFor(i, res.Made[i].Blob)
		}
	}
	return shown
}

// reportWarnings reports warnings about a source. It reports each line only once for all targets.
func (r *reporter) reportWarnings(a *plan.Action, lines []string) {
	for _, line := range lines {
		key := [2]string{a.Path, line}
		r.mu.Lock()
		again := r.warned[key]
		r.warned[key] = true
		if !again {
			r.detail.addWarning(a.Path, line)
		}
		r.mu.Unlock()
		if !again {
			r.reportEvent(Event{Path: a.Path, Target: a.Target, Outcome: Warned, Err: errors.New(line)})
		}
	}
}

// addGrowth records the size of an action's artifacts. The parameter now is the total size after
// the run.
func (r *reporter) addGrowth(a *plan.Action, how Outcome, now int64) {
	if how == UpToDate || how == NotReached {
		return
	}
	s := Size{Path: Path(a.Path), Target: a.Target, Before: -1, After: now}
	if a.Last != nil {
		s.Before = 0
		for i := range a.Last.Made {
			s.Before += a.Last.Made[i].Stamp.Size
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.detail.noteArtifactSize(s)
}

// noteRetired records the size of a retired artifact.
func (r *reporter) noteRetired(is place.Removal) {
	r.retired = append(r.retired, Size{Path: Path(is.Source), Target: is.Target, Before: is.Size, After: -1})
}

// finishDetail adds the sizes of artifacts whose source was deleted, and returns the detail.
func (r *reporter) finishDetail(actions []plan.Action) *Detail {
	d := &r.detail
	if len(r.retired) > 0 {
		type key struct {
			path   Path
			target string
		}
		gone, order := map[key]int64{}, []key{}
		for _, s := range r.retired {
			k := key{s.Path, s.Target}
			if _, seen := gone[k]; !seen {
				order = append(order, k)
			}
			gone[k] += s.Before
		}
		for i := range actions {
			delete(gone, key{Path(actions[i].Path), actions[i].Target})
		}
		for _, k := range order {
			if size, ok := gone[k]; ok {
				d.noteArtifactSize(Size{k.path, k.target, size, -1})
			}
		}
	}
	d.cutSizes()
	return d
}

// An Outcome describes in one word how an action ended.
type Outcome string

const (
	Started    Outcome = "started" // the action has started
	UpToDate   Outcome = "up to date"
	Unchanged  Outcome = "unchanged" // an input changed, but the artifacts did not
	Restored   Outcome = "restored"  // the result was known, so the asset was not cooked again
	Cooked     Outcome = "cooked"
	NotShipped Outcome = "not shipped" // the source has no outputs, because other artifacts contain it
	Failed     Outcome = "failed"
	NotReached Outcome = "not reached" // the run ended before the action began
	Removed    Outcome = "removed"     // artifacts were removed, because their source is gone or cooking failed after a change
	Warned     Outcome = "warned"      // the source probably has a mistake, but the action continues
	Error      Outcome = "error"       // a failure outside of actions, for example of a directory that cannot be listed
)

// An Event is something that happened to one action. The exported fields are listed in the
// documentation of package cook.
type Event struct {
	Path     string // path of the source
	Target   string
	Recipe   string // "" if no recipe could be chosen
	Outcome  Outcome
	Reasons  []plan.Reason
	Outputs  []string
	In, Out  int64         // bytes of the source and of the artifacts
	Took     time.Duration // duration of the action in this run
	CookTime time.Duration // duration of cooking, which may have been measured in an earlier run
	Err      error         // the failure or the warning
	Origin   *store.Origin // machine that cooked the artifacts; nil for this machine
}

// outcomeOfResult returns Unchanged if an input changed but the artifacts did not. Otherwise it
// returns the given outcome.
func outcomeOfResult(a *plan.Action, made []store.Artifact, otherwise Outcome) Outcome {
	if a.Last == nil || a.Last.State != index.Done || len(made) != len(a.Last.Outputs) {
		return otherwise
	}
	changed := false
	for _, r := range a.Reasons {
		switch r.Kind {
		case plan.SourceChanged, plan.DependencyChanged, plan.ArtifactsChanged, plan.NameChanged:
			changed = true
		case plan.Forced, plan.MovedFrom:
			return otherwise
		}
	}
	for i, o := range a.Last.Outputs {
		if o.State != contents.Intact || !a.IsOutput(i, o.Artifact) || o.Artifact.Blob != made[i].Blob {
			return otherwise
		}
	}
	if changed {
		return Unchanged
	}
	return otherwise
}
