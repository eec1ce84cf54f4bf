package inspect

import (
	"cmp"
	"net/http"
	"slices"
	"time"

	"github.com/assetcook/assetcook/cook/internal/execute"
	"github.com/assetcook/assetcook/cook/internal/report/overview"
	"github.com/assetcook/assetcook/cook/internal/stats"
	"github.com/assetcook/assetcook/cook/internal/survey"
	"github.com/assetcook/assetcook/internal/webjson"
)

// A run has the numbers of a run.
type run struct {
	At        time.Time     `json:"at"`
	Took      time.Duration `json:"took_ns"`
	Cooked    int64         `json:"cooked"`
	Restored  int64         `json:"restored"`
	Unchanged int64         `json:"unchanged"`
	Failed    int64         `json:"failed"`
	Removed   int64         `json:"removed"`
	Warnings  int64         `json:"warnings"`
	Bound     string        `json:"bound"`   // the cause of its duration
	Grew      int64         `json:"grew"`    // bytes of the outputs, compared with the run before
	Largest   []growth      `json:"largest"` // assets that grew or shrank most
	Slowest   []longAction  `json:"slowest"`
}

type growth struct {
	Path   execute.Path `json:"path"`
	Target string       `json:"target,omitempty"`
	Bytes  int64        `json:"bytes"`
}

type longAction struct {
	Path execute.Path  `json:"path"`
	Took time.Duration `json:"ns"`
}

// mostListed bounds the named assets of a run.
const mostListed = 20

// answerRuns answers with the runs of the history, latest first.
func (p *project) answerRuns(w http.ResponseWriter, _ *http.Request) {
	past, err := survey.Runs(p.out)
	if err != nil {
		answerError(w, err)
		return
	}
	list := []run{}
	for i := range slices.Backward(past) {
		list = append(list, runOf(&past[i]))
	}
	webjson.Write(w, list)
}

func runOf(p *stats.Past) run {
	r := run{
		At: p.At, Took: p.Took, Bound: overview.Bound(p),
		Cooked: p.Counts["cook/cook/count"], Restored: p.Counts["cook/restore/count"], Unchanged: p.Counts["cook/unchanged/count"],
		Failed: p.Counts["cook/fail/count"], Removed: p.Counts["cook/remove/count"],
	}
	d := p.Detail
	if d == nil {
		return r
	}
	r.Warnings = int64(len(d.Warnings) + d.Unlisted)
	r.Grew = d.Rest.After - d.Rest.Before
	for _, c := range overview.SizeChanges([]stats.Past{*p}) {
		r.Grew += c.Growth()
		r.Largest = append(r.Largest, growth{execute.Path(c.Path), c.Target, c.Growth()})
	}
	for _, s := range d.Spans {
		if s.Path != "" {
			r.Slowest = append(r.Slowest, longAction{s.Path, s.End - s.Begin})
		}
	}
	slices.SortStableFunc(r.Slowest, func(a, b longAction) int { return cmp.Compare(b.Took, a.Took) })
	r.Largest, r.Slowest = r.Largest[:min(mostListed, len(r.Largest))], r.Slowest[:min(mostListed, len(r.Slowest))]
	return r
}
