package verify

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"

	"github.com/assetcook/assetcook/cook/internal/artifacts"
	"github.com/assetcook/assetcook/cook/internal/changes"
	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/cook/internal/todo"
	"github.com/assetcook/assetcook/internal/pathname"
)

// DefaultSample is the default size of the sample to cook again: small enough for daily use. With a
// new seed each time, every asset is eventually included.
const DefaultSample = "5%"

// A sample is a number of assets, or a fraction of all assets.
type sample struct {
	count int
	part  float64 // fraction of all assets, from 0 to 1
}

func parseSample(text string) (sample, error) {
	if text == "" {
		text = DefaultSample
	}
	if text == "all" {
		return sample{part: 1}, nil
	}
	if number, ok := strings.CutSuffix(text, "%"); ok {
		if x, err := strconv.ParseFloat(number, 64); err == nil && x >= 0 && x <= 100 {
			return sample{part: x / 100}, nil
		}
	} else if n, err := strconv.ParseUint(text, 10, 31); err == nil {
		return sample{count: int(n)}, nil
	}
	return sample{}, configError("sample %q: want a number of assets such as 20, a part such as 5%%, or all", text)
}

// sampleSize returns the number of assets in a sample from n assets. If the sample is a fraction
// greater than zero, it has at least one asset.
func (s sample) sampleSize(n int) int {
	return min(n, s.count+int(math.Ceil(s.part*float64(n))))
}

// randomSeed returns seed, or a random seed if it is 0.
func randomSeed(seed uint64) uint64 {
	for seed == 0 {
		seed = uint64(rand.Uint32())
	}
	return seed
}

// sampleOf chooses random actions of the plan, but only actions whose artifacts are recorded. It
// chooses all actions that a sweep has drawn. swept is nil if there was no sweep.
func (t *verification) sampleOf(s sample, seed uint64, swept *sweep) []int {
	var drawn, known []int
	p := t.planned.Plan
	for i := range p.Actions {
		a := &p.Actions[i]
		switch {
		case a.Err != nil || a.Held() || a.Last == nil || len(a.Last.Made) != len(a.Outputs) || !t.lost && len(reasonsToCook(a)) > 0:
		case swept.hasDrawn(a):
			drawn = append(drawn, i)
		default:
			known = append(known, i)
		}
	}
	n := s.sampleSize(countCooked(p) + swept.passedAssets())
	return append(drawn, drawSample(known, func(i int) *plan.Method { return p.Actions[i].Method }, n-len(drawn), seed)...)
}

// countCooked counts the actions of a plan that are cooked. It leaves out actions that are not
// cooked because another asset contains their source.
func countCooked(p *plan.Plan) (n int) {
	for i := range p.Actions {
		if !p.Actions[i].Held() {
			n++
		}
	}
	return n
}

// drawSample chooses n elements of a list, and returns them in cooking order. The choice depends only
// on seed. It prefers elements with different methods, because an error in a method affects all its
// assets.
func drawSample[M comparable](from []int, method func(i int) M, n int, seed uint64) []int {
	random := rand.New(rand.NewPCG(seed, 0))
	random.Shuffle(len(from), func(i, j int) { from[i], from[j] = from[j], from[i] })
	seen := map[M]bool{}
	var first, rest []int
	for _, i := range from {
		if m := method(i); !seen[m] {
			seen[m] = true
			first = append(first, i)
		} else {
			rest = append(rest, i)
		}
	}
	drawn := append(first, rest...)
	return drawn[:min(max(n, 0), len(drawn))]
}

// newContents returns a Contents without an index, so that each source is read and hashed. catalog is
// nil if no dependency on artifacts is needed.
func newContents(s *session.Session, catalog *artifacts.Catalog) *contents.Contents {
	opt := contents.Options{
		Assets: s.Assets, Known: index.Empty().Files(), Checksum: s.Basis.Checksum, Unsettled: true, Workers: s.Limits.Workers, Clock: s.Clock.Stamps,
		Extracts: s.Basis.Recipes.Extract,
	}
	if catalog != nil {
		opt.Artifacts = catalog.Digest
	}
	return contents.New(opt)
}

// makePlan makes the plan of a cook from the files that have been read.
func makePlan(ctx context.Context, s *session.Session, delta *changes.Delta, targets []string, rules *session.Ruleset, catalog *artifacts.Catalog, read *contents.Contents, before []contents.Before) (*todo.Todo, error) {
	t := &todo.Todo{Targets: targets, Rules: rules, Contents: read, Artifacts: catalog}
	var err error
	if t.Claims, err = s.State.Journal.Claims(delta.Last.ID() != "", s.Observer.Note); err != nil {
		return nil, err
	}
	if !delta.Whole { // the index has these outputs, although before has not
		t.Claims = slices.DeleteFunc(t.Claims, func(c plan.Claim) bool {
			_, known := delta.Last.Results().NumberedOutputs().FindOutputAt(c.Output)
			return known
		})
	}
	t.Plan = t.Decide(ctx, s, delta, before)
	return t, ctx.Err() // after an interruption, the plan is wrong, because unread files look like missing files
}

// checkPlan reports the work that a cook would do. lost means that the index was lost, so the
// inputs of the known outputs are unknown.
func checkPlan(s *session.Session, r *reporter, p *plan.Plan, lost bool) {
	for i := range p.Actions {
		a := &p.Actions[i]
		switch {
		case a.Err != nil:
			r.reportFinding(Finding{Kind: NotUpToDate, Path: a.Path, Target: a.Target, Text: a.Err.Error()})
		case lost && (a.Last != nil || a.Held()):
		default:
			if reasons := reasonsToCook(a); len(reasons) > 0 {
				r.reportFinding(Finding{Kind: NotUpToDate, Path: a.Path, Target: a.Target, Text: describeOutdated(reasons)})
			}
		}
	}
	for _, old := range p.Retired {
		if _, err := s.Out.Root().Lstat(old.Path); err == nil {
			r.reportFinding(Finding{Kind: NotUpToDate, Path: old.Source, Target: old.Target, Output: old.Path,
				Text: fmt.Sprintf("no source makes %s any more; run cook", pathname.Show(old.Path))})
		}
	}
}

// reasonsToCook returns the reasons for cooking an action. It leaves out reasons about the state of
// the outputs, because the checks of the outputs report them.
func reasonsToCook(a *plan.Action) []plan.Reason {
	if !a.Runs() {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(a.Reasons), func(r plan.Reason) bool {
		return r.Kind == plan.OutputMissing || r.Kind == plan.OutputEdited
	})
}

// describeOutdated returns the text of a finding about an action that is not up to date.
func describeOutdated(reasons []plan.Reason) string {
	if len(reasons) == 1 && reasons[0].Kind == plan.FailedLastTime {
		return "could not be cooked the last time; to see why, run cook"
	}
	words := make([]string, len(reasons))
	remedy := "run cook"
	for i, r := range reasons {
		words[i] = r.String()
		switch r.Kind {
		case plan.SourceChanged, plan.DependencyChanged, plan.ArtifactsChanged, plan.ToolChanged:
			remedy = ignoreStamps // the stamp does not show the change
		}
	}
	return fmt.Sprintf("not up to date (%s); %s", strings.Join(words, "; "), remedy)
}
