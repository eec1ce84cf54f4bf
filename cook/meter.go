package cook

import (
	"sync"
	"time"

	"github.com/assetcook/assetcook/profile"
	"github.com/assetcook/assetcook/profile/counters"
	"github.com/assetcook/assetcook/profile/events"
)

// A meter measures a run. It does nothing unless the run's Options have a Probe.
type meter struct {
	probe *profile.Worker // the run's own row
	now   profile.Span    // the stage that the run is at
	// published are the summary's numbers as they were last shown to others.
	published []published
	endFrames func()
}

// frameTime is how long a frame of the counters' history lasts. The last one ends
// with the run.
const frameTime = 100 * time.Millisecond

// A published is one number of the summary.
type published struct {
	counter *counters.Counter
	symbol  events.Symbol
	value   int64
}

// startMeter begins to measure.
func (k *kitchen) startMeter() {
	if !k.Probe.On() {
		return
	}
	var all []published
	for name := range k.summary.Values() {
		all = append(all, published{counter: k.Probe.Counters.Counter(name), symbol: k.Probe.Events.Symbol(name)})
	}
	k.probe, k.published = k.Probe.Worker("cook"), all
	for _, p := range all {
		k.probe.Row().Value(p.symbol, 0) // of this run, in case that another came before
	}
	k.endFrames = pushFrames(k.Probe.Counters, k.Now)
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

// stage tells what the run is at from now on.
func (k *kitchen) stage(name string) {
	k.Observer.Stage(name)
	k.now.End()
	k.now = k.probe.Begin("cook/stage/"+name, "")
	k.publish()
}

// publish shows the summary's numbers to others. It is called whenever something
// was done about an asset and at the end, by one goroutine at a time.
func (k *kitchen) publish() {
	if k.published == nil {
		return
	}
	i := 0
	for _, value := range k.summary.Values() {
		p := &k.published[i]
		if value != p.value {
			p.counter.Add(value - p.value)
			k.probe.Row().Value(p.symbol, float64(value))
			p.value = value
		}
		i++
	}
	k.probe.Flush()
}

// stopMeter ends what is being measured.
func (k *kitchen) stopMeter() {
	if k.probe == nil {
		return
	}
	k.now.End()
	k.publish()
	k.probe.Release()
	k.endFrames()
	k.probe, k.published = nil, nil
}
