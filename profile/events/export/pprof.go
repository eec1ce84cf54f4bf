package export

import (
	"cmp"
	"errors"
	"fmt"
	"io"

	"github.com/google/pprof/profile"
)

// WritePprof writes a profile for go tool pprof: how often and how long each stack of
// scopes ran, over all workers. Functions are the Names of scopes. The label "detail"
// is the Detail of the innermost scope that has one, so that -tagfocus chooses an
// asset and -tagleaf=detail shows each asset by itself. Marks, counters and flows
// have no place in it.
func WritePprof(w io.Writer, rec Recording) error {
	t, failed := gather(rec)
	p := &profile.Profile{
		SampleType:        []*profile.ValueType{{Type: "calls", Unit: "count"}, {Type: "time", Unit: "nanoseconds"}},
		DefaultSampleType: "time",
		DurationNanos:     t.length(),
	}
	if !t.start.IsZero() {
		p.TimeNanos = t.start.UnixNano()
	}
	if t.dropped > 0 {
		p.Comments = append(p.Comments, fmt.Sprintf("%d events are missing", t.dropped))
	}
	var all []*stack
	known := map[stack]*stack{}
	for _, r := range t.rows {
		all = r.add(all, known)
	}
	places := map[uint32]*profile.Location{}
	for _, s := range all {
		sample := &profile.Sample{Value: []int64{s.calls, s.self}}
		var detail uint32
		for ; s != nil; s = s.under {
			if places[s.name] == nil {
				places[s.name] = addPlace(p, t.names[s.name])
			}
			sample.Location = append(sample.Location, places[s.name])
			detail = cmp.Or(detail, s.detail)
		}
		if detail != 0 {
			sample.Label = map[string][]string{"detail": {t.names[detail]}}
		}
		p.Sample = append(p.Sample, sample)
	}
	return errors.Join(failed, p.Write(w))
}

// addPlace adds a function of that name and returns the place in it.
func addPlace(p *profile.Profile, name string) *profile.Location {
	id := uint64(len(p.Function) + 1)
	f := &profile.Function{ID: id, Name: name, SystemName: name}
	l := &profile.Location{ID: id, Line: []profile.Line{{Function: f}}}
	p.Function = append(p.Function, f)
	p.Location = append(p.Location, l)
	return l
}

// length is the time of the last thing that happened.
func (t *timeline) length() int64 {
	var last int64
	for _, r := range t.rows {
		for _, s := range r.spans {
			last = max(last, s.end)
		}
	}
	if len(t.levels) > 0 {
		last = max(last, t.levels[len(t.levels)-1].time)
	}
	return last
}
