package pass

import (
	"sync"
	"time"

	"github.com/assetcook/assetcook/cook/internal/execute"
	"github.com/assetcook/assetcook/internal/advice"
	"github.com/assetcook/assetcook/profile"
	"github.com/assetcook/assetcook/profile/counters"
	"github.com/assetcook/assetcook/profile/events"
)

// A meter is the observer of every pass: it adds up what happens, shows the sums to
// the session's probe, if that is on, and passes everything on.
type meter struct {
	Observer
	Tally
	row       *profile.Worker // the pass's own row
	stage     profile.Span    // that the pass is at
	stages    stopwatch
	published []published // in the order of Tally.Values
	endFrames func()
}

// frameTime is how long a frame of the counters' history lasts. The last one ends with
// the pass.
const frameTime = 100 * time.Millisecond

// A published is one value of the tally and where it is published.
type published struct {
	counter *counters.Counter
	symbol  events.Symbol
	value   int64 // last published
}

// metered returns a session whose observer is a meter.
func (s *Session) metered() (*Session, *meter) {
	m := &meter{Observer: s.Observer, stages: stopwatch{now: s.Time.Now}}
	with := *s
	with.Observer = m
	if !s.Probe.On() {
		return &with, m
	}
	for name := range m.Values() {
		m.published = append(m.published, published{counter: s.Probe.Counters.Counter(name), symbol: s.Probe.Events.Symbol(name)})
	}
	m.row = s.Probe.Worker("cook")
	if rec := s.Probe.Events; !s.Probe.Run.IsZero() && rec != nil {
		m.row.Row().Instant(rec.Symbol("cook/run ID"), rec.Symbol(s.Probe.Run.String()))
	}
	for _, p := range m.published {
		m.row.Row().Value(p.symbol, 0) // of this pass, in case that another came before
	}
	m.endFrames = pushFrames(s.Probe.Counters, s.Time.Now)
	return &with, m
}

// pushFrames closes a frame of the counters' history from time to time, and a last
// one when it is told to end.
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

// Publish shows the session's probe what a watcher knew.
func (s *Session) Publish(t *Tally) {
	_, m := s.metered()
	m.Tally = *t
	m.stop()
}

// Stage begins a stage of the recording and of the history.
func (m *meter) Stage(name string) {
	m.Observer.Stage(name)
	m.stages.begin(name)
	m.stage.End()
	m.stage = m.row.Begin("cook/stage/"+name, "")
	m.publish()
}

// Event adds up.
func (m *meter) Event(e execute.Event) {
	e.Err = advice.For(e.Err)
	m.countEvent(&e)
	if e.Outcome != execute.UpToDate {
		m.publish()
	}
	m.Observer.Event(e)
}

// publish shows the sums.
func (m *meter) publish() {
	if m.published == nil {
		return
	}
	i := 0
	for _, value := range m.Values() {
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

// stop ends what is being measured.
func (m *meter) stop() {
	if m.row == nil {
		return
	}
	m.stage.End()
	m.publish()
	m.row.Release()
	m.endFrames()
}
