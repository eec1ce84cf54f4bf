package execute

import (
	"errors"
	"strings"
	"sync"
	"time"

	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/place"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/store"
)

// A reporter passes events and messages on, from one goroutine at a time.
type reporter struct {
	mu      sync.Mutex
	report  func(Event)
	onStep  func(a *plan.Action, step string) // may be nil
	onWarn  func(string)
	warned  map[[2]string]bool // printed warnings by source and line
	detail  Detail
	retired []Size    // artifacts that no action claims
	store   sync.Once // warns of the store
}

func newReporter(opt Options) *reporter {
	return &reporter{
		report: opt.Report, onStep: opt.Step, onWarn: opt.Warn, warned: map[[2]string]bool{}, detail: Detail{Workers: opt.Workers},
	}
}

// reportEvent reports an event.
func (r *reporter) reportEvent(e Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.report(e)
}

// showStep reports the step of an action.
func (r *reporter) showStep(a *plan.Action, step string) {
	if r.onStep != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.onStep(a, step)
	}
}

// noteLineOnce reports a line once.
func (r *reporter) noteLineOnce(line string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if key := [2]string{"", line}; !r.warned[key] {
		r.warned[key] = true
		r.onWarn(line)
	}
}

// warnOfStore reports the first error of the store.
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
		Outputs: a.Outputs, Took: took, CookTime: res.CookTime, Err: res.Err,
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
	if res.Outcome != Failed && res.Outcome != NotReached { // the failure itself is reported
		r.reportWarnings(a, warnings)
	}
	r.addGrowth(a, res.Outcome, e.Out)
	r.reportEvent(e)
}

// reportWarnings reports warnings about the source of an action, each once for all targets.
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

// addGrowth notes the growth of the artifacts of an action, which have now bytes.
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

// noteRetired notes the size of a retired artifact.
func (r *reporter) noteRetired(is place.Removal) {
	r.retired = append(r.retired, Size{Path: Path(is.Source), Target: is.Target, Before: is.Size, After: -1})
}

// finishDetail adds the sizes of deleted sources to the detail, and returns it. The old
// outputs of a source that still exists count with the source.
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

// An Outcome is the result of an action in one word.
type Outcome string

const (
	Started    Outcome = "started" // work has begun
	UpToDate   Outcome = "up to date"
	Unchanged  Outcome = "unchanged" // an input changed, the artifacts did not
	Restored   Outcome = "restored"  // the result was known and not cooked again
	Cooked     Outcome = "cooked"
	NotShipped Outcome = "not shipped" // no outputs, because other cooked assets contain the source
	Failed     Outcome = "failed"
	NotReached Outcome = "not reached" // the run ended before
	Removed    Outcome = "removed"     // artifacts of a source that is gone, or failed after a change
	Warned     Outcome = "warned"      // a likely mistake; the action goes on
	Error      Outcome = "error"       // a failure outside actions, such as a directory that cannot be listed
)

// An Event is something that happened to one action. The exported fields are listed in the
// documentation of package cook.
type Event struct {
	Path     string // source path
	Target   string
	Recipe   string // "" if none could be chosen
	Outcome  Outcome
	Reasons  []plan.Reason
	Outputs  []string
	In, Out  int64         // bytes of source and artifacts
	Took     time.Duration // duration of the work here
	CookTime time.Duration // duration of cooking, as measured the last time
	Err      error         // the failure or the warning
}

// outcomeOfResult returns Unchanged if an input of an action changed and the artifacts did not,
// and else another outcome.
func outcomeOfResult(a *plan.Action, made []store.Artifact, otherwise Outcome) Outcome {
	if a.Last == nil || a.Last.State != index.Done || len(made) != len(a.Last.Outputs) {
		return otherwise
	}
	changed := false
	for _, r := range a.Reasons {
		switch r.Kind {
		case plan.SourceChanged, plan.DependencyChanged, plan.ArtifactsChanged:
			changed = true
		case plan.Forced, plan.MovedFrom:
			return otherwise
		}
	}
	for i, o := range a.Last.Outputs {
		if o.State != contents.Intact || o.Artifact.Path != a.Outputs[i] || o.Artifact.Blob != made[i].Blob {
			return otherwise
		}
	}
	if changed {
		return Unchanged
	}
	return otherwise
}
