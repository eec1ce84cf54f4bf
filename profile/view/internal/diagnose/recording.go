// Package diagnose finds the most important facts in recordings of events and in memory snapshots,
// for "cook diagnose". It sums nothing itself: the numbers come from the summary of a recording
// (package stat), the queries of the viewer (package timeline), and package memory.
package diagnose

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/assetcook/assetcook/internal/diagnosis"
	"github.com/assetcook/assetcook/internal/human"
	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/profile/internal/stat"
	"github.com/assetcook/assetcook/profile/view/internal/timeline"
)

// A Recorded is a recording to diagnose.
type Recorded struct {
	Name   string // name of the file, for commands
	Line   *timeline.Recording
	Report *stat.Report
	Err    error // reason why the recording ends early, or nil
}

// These limits decide which facts are findings.
const (
	spikeFactor  = 2    // a duration is a spike above this multiple of the median; see counters.Summarize
	leastCalls   = 10   // minimum number of durations that have a median worth comparing
	leastGrowth  = 8    // minimum number of time intervals with a value, for values that only grow
	dominating   = 2    // number of scopes to name for a slow frame
	largestOwn   = 2    // number of scopes to list by own time
	growing      = 2    // number of values to list that only grow
	leastOwnTime = 0.05 // minimum share of own time
)

// DiagnoseRecording returns the findings in a recording. frame is the name of the scopes that are frames.
func (r *Recorded) DiagnoseRecording(ctx context.Context, frame string) (diagnosis.Diagnosis, error) {
	d := diagnosis.Diagnosis{Kind: diagnosis.Recording, Subjects: []string{r.Name}}
	d.Findings = r.incomplete()
	slow, frames, err := r.slowFrames(ctx, frame)
	if err != nil {
		return d, err
	}
	if slow == nil {
		slow, err = r.spikingScope(ctx)
	}
	if err != nil {
		return d, err
	}
	d.Findings = append(d.Findings, slow...)
	d.Findings = append(d.Findings, r.ownTimes()...)
	d.Findings = append(d.Findings, r.growingValues()...)
	d.Verdict = r.recordingVerdict(frames)
	return d, nil
}

// recordingVerdict describes a recording in a sentence.
func (r *Recorded) recordingVerdict(frames string) string {
	text := fmt.Sprintf("%s of recording, %d events", durationText(r.Report.Dur), r.Report.Events)
	if frames != "" {
		text += "; " + frames
	} else if len(r.Report.Scopes) > 0 {
		top := &r.Report.Scopes[0]
		text += fmt.Sprintf("; most own time is in %s: %s (%s)", pathname.Show(top.Name), durationText(top.Self), percentOf(top.Self, r.totalOwnTime()))
	}
	switch {
	case r.Err != nil:
		text += "; the recording is damaged or ends early"
	case r.Report.Dropped > 0:
		text += "; events are missing"
	case len(r.Report.Open) > 0:
		text += "; " + human.Count(len(r.Report.Open), "scope") + " had not ended"
	}
	return text
}

// incomplete returns findings about the missing parts of a recording.
func (r *Recorded) incomplete() (list []diagnosis.Finding) {
	if r.Err != nil {
		list = append(list, diagnosis.Finding{
			Kind: "ends_early", Severity: diagnosis.Error, Text: "only the events before the damage are known: " + r.Err.Error(),
			Amount: float64(r.Report.Events), Unit: diagnosis.Count, Where: diagnosis.Place{At: r.Report.Dur}, Next: r.nextCommand("view"),
		})
	}
	if n := r.Report.Dropped; n > 0 {
		list = append(list, diagnosis.Finding{
			Kind: "dropped", Severity: diagnosis.Warning, Text: fmt.Sprintf("%s missing, %s of all: record fewer of them, or use larger buffers", eventsAre(n), percentOf(n, n+r.Report.Events)),
			Amount: float64(n), Unit: diagnosis.Count, Next: r.nextCommand("events", "stat"),
		})
	}
	if open := r.Report.Open; len(open) > 0 {
		longest := slices.MaxFunc(open, func(a, b stat.Slow) int { return int(min(max(a.Dur-b.Dur, -1), 1)) })
		list = append(list, diagnosis.Finding{
			Kind: "unfinished", Severity: diagnosis.Warning,
			Text:   fmt.Sprintf("%s had not ended; %s was open for %s", human.Count(len(open), "scope"), pathname.Show(longest.Name), durationText(longest.Dur)),
			Amount: float64(len(open)), Unit: diagnosis.Count, Where: scopePlace(longest.Name, longest.Detail, longest.Worker, longest.Time), Next: r.nextCommand("events", "stat"),
		})
	}
	return list
}

func eventsAre(n int64) string {
	if n == 1 {
		return "1 event is"
	}
	return fmt.Sprintf("%d events are", n)
}

// slowFrames returns a finding about the slowest frame and the scopes that dominate it, and a
// phrase about all frames. It returns nil if no scopes are frames.
func (r *Recorded) slowFrames(ctx context.Context, frame string) ([]diagnosis.Finding, string, error) {
	all, err := r.Line.Sums(ctx, allScopesNamed(frame))
	if err != nil || len(all.Names) == 0 {
		return nil, "", err
	}
	sum, slowest := &all.Names[0], all.Slowest[0]
	inside, err := r.Line.Sums(ctx, timeline.Query{From: slowest.Start, To: slowest.Start + slowest.Dur, Row: slowest.Row, Within: true})
	if err != nil {
		return nil, "", err
	}
	text := fmt.Sprintf("the slowest of %s took %s, %s", human.Count(int(sum.Count), "frame"), durationText(slowest.Dur), timesMedian(slowest.Dur, sum.P50))
	for i, s := range inside.Names[:min(dominating, len(inside.Names))] {
		name := "own time of " + pathname.Show(s.Name)
		if s.Name == frame {
			name = "outside of inner scopes"
		}
		text += fmt.Sprintf("%s %s %s (%s)", []string{":", ","}[min(i, 1)], name, durationText(s.Self), percentOf(s.Self, slowest.Dur))
	}
	phrase := fmt.Sprintf("half of %s took at most %s, the slowest %s", human.Count(int(sum.Count), "frame"), durationText(sum.P50), durationText(slowest.Dur))
	severity := diagnosis.Note
	if n, over := spikesOf(sum, all.Histogram); n > 0 {
		severity = diagnosis.Warning
		text += fmt.Sprintf("; %s took %s or more", human.Count(int(n), "frame"), durationText(over))
	}
	where := r.placeOfSlow(&slowest)
	if len(inside.Names) > 0 {
		where.Scope = inside.Names[0].Name
	}
	return []diagnosis.Finding{{
		Kind: "slow_frame", Severity: severity, Text: text, Amount: float64(slowest.Dur), Unit: diagnosis.Nanoseconds, Where: where, Next: r.nextCommand("view"),
	}}, phrase, nil
}

// allScopesNamed returns the query for all scopes of a name.
func allScopesNamed(name string) timeline.Query {
	return timeline.Query{From: -1 << 62, To: 1 << 62, Row: -1, Name: name}
}

// spikesOf returns the number of durations in the steps of a histogram that are spikes, and the
// limit above which it counted.
func spikesOf(sum *stat.Scope, histogram []stat.Bar) (n uint64, over int64) {
	if sum.Count < leastCalls {
		return 0, 0
	}
	for _, bar := range histogram {
		if bar.From <= spikeFactor*sum.P50 {
			continue
		}
		if over == 0 {
			over = bar.From
		}
		n += bar.Count
	}
	return n, over
}

// spikingScope returns a finding about the scope whose longest call exceeds its median by most. Only
// scopes that do most of their work themselves count, because the others contain the spikes of
// inner scopes.
func (r *Recorded) spikingScope(ctx context.Context) ([]diagnosis.Finding, error) {
	var worst *stat.Scope
	excess := func(s *stat.Scope) int64 { return s.Max - spikeFactor*s.P50 }
	for i := range r.Report.Scopes {
		s := &r.Report.Scopes[i]
		if s.Count >= leastCalls && s.Self >= s.Total/2 && excess(s) > 0 && (worst == nil || excess(s) > excess(worst)) {
			worst = s
		}
	}
	if worst == nil {
		return nil, nil
	}
	all, err := r.Line.Sums(ctx, allScopesNamed(worst.Name))
	if err != nil || len(all.Slowest) == 0 {
		return nil, err
	}
	text := fmt.Sprintf("the slowest of %d calls of %s took %s, %s", worst.Count, pathname.Show(worst.Name), durationText(worst.Max), timesMedian(worst.Max, worst.P50))
	if n, over := spikesOf(worst, all.Histogram); n > 0 {
		text += fmt.Sprintf("; %s took %s or more", human.Count(int(n), "call"), durationText(over))
	}
	return []diagnosis.Finding{{
		Kind: "spike", Severity: diagnosis.Note, Text: text, Amount: float64(worst.Max), Unit: diagnosis.Nanoseconds, Where: r.placeOfSlow(&all.Slowest[0]), Next: r.nextCommand("view"),
	}}, nil
}

// ownTimes returns findings about the scopes with the largest own time.
func (r *Recorded) ownTimes() (list []diagnosis.Finding) {
	all := r.totalOwnTime()
	for _, s := range r.Report.Scopes[:min(largestOwn, len(r.Report.Scopes))] {
		if s.Self == 0 || float64(s.Self) < leastOwnTime*float64(all) {
			break
		}
		list = append(list, diagnosis.Finding{
			Kind: "own_time", Severity: diagnosis.Note,
			Text:   fmt.Sprintf("%s of own time in %s of %s, %s of all", durationText(s.Self), human.Count(int(s.Count), "call"), pathname.Show(s.Name), percentOf(s.Self, all)),
			Amount: float64(s.Self), Unit: diagnosis.Nanoseconds, Where: diagnosis.Place{Scope: s.Name}, Next: r.nextCommand("events", "stat"),
		})
	}
	return list
}

// totalOwnTime returns the own time of all scopes.
func (r *Recorded) totalOwnTime() (sum int64) {
	for i := range r.Report.Scopes {
		sum += r.Report.Scopes[i].Self
	}
	return sum
}

// growingValues returns findings about values that never fell during the recording, and about
// memory that was not freed.
func (r *Recorded) growingValues() (list []diagnosis.Finding) {
	for i := range r.Report.Metrics {
		m := &r.Report.Metrics[i]
		levels := slices.Compact(slices.Clone(m.Series.Values))
		if len(levels) < leastGrowth || !slices.IsSorted(levels) || len(list) == growing {
			continue
		}
		list = append(list, diagnosis.Finding{
			Kind: "only_grows", Severity: diagnosis.Note,
			Text:   fmt.Sprintf("%s never fell: it grew from %.6g to %.6g", pathname.Show(m.Name), m.All.Min, m.All.Max),
			Amount: m.All.Max - m.All.Min, Unit: diagnosis.Value, Where: diagnosis.Place{Scope: m.Name}, Next: r.nextCommand("view"),
		})
	}
	for i := range r.Report.Memory {
		m := &r.Report.Memory[i]
		if held := m.Taken - m.GivenBack; held > 0 {
			list = append(list, diagnosis.Finding{
				Kind: "only_grows", Severity: diagnosis.Note,
				Text:   fmt.Sprintf("%s of %s were allocated and not freed, in %d allocations and %d frees", human.Bytes(int64(min(held, 1<<62))), pathname.Show(m.Name), m.Allocs, m.Frees),
				Amount: held, Unit: diagnosis.Bytes, Where: diagnosis.Place{Scope: m.Name}, Next: r.nextCommand("events", "stat"),
			})
		}
	}
	return list
}

// CompareRecordings returns the largest differences between two recordings.
func CompareRecordings(ctx context.Context, a, b *Recorded) (diagnosis.Diagnosis, error) {
	d := diagnosis.Diagnosis{Kind: diagnosis.Recordings, Subjects: []string{a.Name, b.Name}}
	d.Findings = append(a.incomplete(), b.incomplete()...)
	changes, err := timeline.Compare(ctx, a.Line, b.Line)
	if err != nil {
		return d, err
	}
	d.Verdict = fmt.Sprintf("the second recording took %s, the first %s: %s", durationText(b.Report.Dur), durationText(a.Report.Dur), changeText(a.Report.Dur, b.Report.Dur))
	next := diagnosis.ShellCommand("cook", "view", diagnosis.FileArgument(a.Name), diagnosis.FileArgument(b.Name))
	add := func(kind string, list []timeline.Change) {
		for i := range list {
			c := &list[i]
			what := c.Name
			if c.Detail != "" {
				what += " of " + c.Detail
			}
			d.Findings = append(d.Findings, diagnosis.Finding{
				Kind: kind, Severity: diagnosis.Note,
				Text: fmt.Sprintf("%s took %s in %s, before %s in %s: %s", pathname.Show(what), durationText(c.B.Total), human.Count(int(c.B.Count), "call"),
					durationText(c.A.Total), human.Count(int(c.A.Count), "call"), changeText(c.A.Total, c.B.Total)),
				Amount: float64(c.B.Total - c.A.Total), Unit: diagnosis.Nanoseconds, Where: diagnosis.Place{Scope: c.Name, Detail: c.Detail}, Next: next,
			})
		}
	}
	const most = 3
	scopes := changes.Scopes[:min(most, len(changes.Scopes))]
	assets := slices.DeleteFunc(slices.Clone(changes.Assets), func(c timeline.Change) bool { return c.Detail == "" })
	add("scope_changed", scopes)
	add("detail_changed", assets[:min(most, len(assets))])
	return d, nil
}

// nextCommand returns a command line about the recording.
func (r *Recorded) nextCommand(verb ...string) string {
	return diagnosis.ShellCommand(slices.Concat([]string{"cook"}, verb, []string{diagnosis.FileArgument(r.Name)})...)
}

func (r *Recorded) placeOfSlow(s *timeline.Slow) diagnosis.Place {
	worker := fmt.Sprintf("worker %d", s.Row)
	if names := r.Line.Tape().State().Workers; s.Row < len(names) && names[s.Row] != "" {
		worker = names[s.Row]
	}
	return scopePlace(s.Name, s.Detail, worker, s.Start)
}

func scopePlace(scope, detail, worker string, at int64) diagnosis.Place {
	return diagnosis.Place{Scope: scope, Detail: detail, Worker: worker, At: at}
}

func durationText(ns int64) string { return human.Duration(time.Duration(ns)) }

// percentOf formats a share of a sum.
func percentOf(part, whole int64) string {
	return fmt.Sprintf("%.0f %%", 100*float64(part)/float64(max(whole, 1)))
}

// timesMedian compares a duration with the median.
func timesMedian(ns, median int64) string {
	return fmt.Sprintf("%.1f times the median", float64(ns)/float64(max(median, 1)))
}

// changeText formats the change of a duration or a size.
func changeText(before, after int64) string {
	switch {
	case before == after:
		return "unchanged"
	case before == 0:
		return "new"
	case after == 0:
		return "gone"
	}
	return fmt.Sprintf("%+.0f %%", 100*float64(after-before)/float64(before))
}
