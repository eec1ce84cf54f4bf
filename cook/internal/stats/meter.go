package stats

import (
	"slices"
	"sync"
	"time"

	"github.com/assetcook/assetcook/cook/internal/execute"
	"github.com/assetcook/assetcook/cook/internal/session"
	"github.com/assetcook/assetcook/internal/advice"
	"github.com/assetcook/assetcook/internal/sysmem"
	"github.com/assetcook/assetcook/profile"
	"github.com/assetcook/assetcook/profile/counters"
	"github.com/assetcook/assetcook/profile/events"
)

// A Meter is the observer of a pass. It adds up events, publishes the sums to an enabled probe,
// and forwards everything to the next observer.
type Meter struct {
	session.Observer

	Stats     Stats
	row       *profile.Worker
	stage     profile.Span
	stages    stopwatch
	published []publishedValue // published values, in the order of Stats.Values
	endFrames func()
}

// frameTime is the length of a frame in the history of the counters. The last frame ends with
// the pass.
const frameTime = 100 * time.Millisecond

// A publishedValue is one value of the stats, with the counter and recording that show it.
type publishedValue struct {
	counter *counters.Counter
	symbol  events.Symbol
	value   int64
}

// NewMeter returns the meter of a pass over a session. Stop it at the end of the pass.
func NewMeter(s *session.Session) *Meter {
	m := &Meter{Observer: s.Observer, stages: stopwatch{now: s.Clock.Now}}
	if !s.Probe.On() {
		return m
	}
	for name := range m.Stats.Values() {
		m.published = append(m.published, publishedValue{counter: s.Probe.Counters.Counter(name), symbol: s.Probe.Events.Symbol(name)})
	}
	m.row = s.Probe.Worker("cook")
	if rec := s.Probe.Events; !s.Probe.Run.IsZero() && rec != nil {
		m.row.Row().Instant(rec.Symbol("cook/run ID"), rec.Symbol(s.Probe.Run.String()))
	}
	for _, p := range m.published {
		m.row.Row().Value(p.symbol, 0) // an earlier pass may have left other values
	}
	m.endFrames = pushFrames(s.Probe.Counters, s.Clock.Now)
	return m
}

// pushFrames closes a frame of the counters' history at each interval. Calling end closes the last
// frame.
func pushFrames(set *counters.Set, now func() time.Time) (end func()) {
	if set == nil {
		return func() {}
	}
	quit := make(chan struct{})
	var pushing sync.WaitGroup
	pushing.Go(func() {
		ticker := time.NewTicker(frameTime)
		defer ticker.Stop()
		for {
			select {
			case <-ticker.C:
				set.PushFrame(now())
			case <-quit:
				return
			}
		}
	})
	return func() {
		close(quit)
		pushing.Wait()
		set.PushFrame(now())
	}
}

// Publish passes stats that a watcher reported to the probe of a session.
func Publish(s *session.Session, known *Stats) {
	m := NewMeter(s)
	m.Stats = *known
	m.Stop()
}

// Stage begins a stage of the recording and of the history.
func (m *Meter) Stage(name string) {
	m.Observer.Stage(name)
	m.stages.beginStage(name)
	m.stage.End()
	m.stage = m.row.Begin("cook/stage/"+name, "")
	m.publish()
}

// Event counts an event and forwards it.
func (m *Meter) Event(e execute.Event) {
	e.Err = advice.For(e.Err)
	m.Stats.AddEvent(&e)
	if e.Outcome != execute.UpToDate {
		m.publish()
	}
	m.Observer.Event(e)
}

// Uncounted returns the next observer, for events of actions that AddUpToDate counts.
func (m *Meter) Uncounted() session.Observer { return m.Observer }

// publish sends the sums to the probe.
func (m *Meter) publish() {
	if m.published == nil {
		return
	}
	i := 0
	for _, value := range m.Stats.Values() {
		p := &m.published[i]
		if value != p.value {
			p.counter.Add(value - p.value)
			m.row.Row().Value(p.symbol, float64(value))
			p.value = value
		}
		i++
	}
	m.row.Flush()
}

// Stop ends the measurements.
func (m *Meter) Stop() {
	if m.row == nil {
		return
	}
	m.stage.End()
	m.publish()
	m.row.Release()
	m.endFrames()
}

// Stages ends the current stage and returns the cost of each stage. It asks the system for the
// memory of the process, so a no-op run should not call it.
func (m *Meter) Stages() []Stage {
	m.stages.endStage()
	return m.stages.stages
}

// A stopwatch measures the stages of a pass.
type stopwatch struct {
	now    func() time.Time
	stages []Stage // stages, ordered by first start
	at     int     // index of the current stage
	begun  time.Time
}

// beginStage ends the current stage and begins another.
func (w *stopwatch) beginStage(name string) {
	w.endStage()
	w.at = slices.IndexFunc(w.stages, func(s Stage) bool { return s.Name == name })
	if w.at < 0 {
		w.at = len(w.stages)
		w.stages = append(w.stages, Stage{Name: name})
	}
	w.begun = w.now()
}

// endStage ends the current stage, if any.
func (w *stopwatch) endStage() {
	if w.begun.IsZero() {
		return
	}
	s := &w.stages[w.at]
	s.Took += w.now().Sub(w.begun)
	s.PeakRSS = sysmem.PeakRSS()
	w.begun = time.Time{}
}
