package command

import (
	"slices"
	"sort"
	"sync"
	"time"

	"github.com/assetcook/assetcook/profile/counters"
	"github.com/assetcook/assetcook/profile/events"
)

// These are parameters for live recordings.
const (
	reorder    = 250 * time.Millisecond // delay of the graphs, because buffers of different workers arrive out of order
	leastFrame = time.Millisecond       // minimum length of a frame in recordings without frame marks
	endsKept   = 4096                   // number of frame ends kept for late samples
)

// follow writes the values of a live recording into a set until the recording ends, as [replay]
// does for a complete recording. It shows each frame after a delay, so that the buffers of all
// workers can arrive. If a sample arrives even later, it only extends the range of values in the
// current frame.
func follow(set *counters.Set, stream *events.Stream) error {
	f := &follower{tracks: newTracks(set, maxNames), late: map[lateTotal]float64{}}
	stop, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		timer := time.NewTicker(liveEvery)
		defer timer.Stop()
		for {
			select {
			case now := <-timer.C:
				f.tick(now)
			case <-stop:
				return
			}
		}
	}()
	defer func() {
		close(stop)
		<-done
		f.finish()
	}()
	for e, err := range stream.All() {
		if err != nil {
			return err
		}
		f.takeEvent(&e, stream.Start(), time.Now())
	}
	return nil
}

// A follower divides a live recording into frames.
type follower struct {
	mu sync.Mutex
	tracks
	start   time.Time // start of the recording
	pending []sample  // samples that are not yet in a frame
	latest  int64     // time of the latest sample
	came    time.Time // arrival time of the latest sample

	begun bool // true if the current frame has values
	from  int64
	shown int64   // end of the last frame
	ends  []int64 // ends of the last marked frames
	late  map[lateTotal]float64
}

// A lateTotal is the key for the total time of scopes that arrived after their frame was shown.
type lateTotal struct {
	track *track
	end   int64
}

func (f *follower) takeEvent(e *events.Event, start, now time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.start = start
	f.samples(e.Kind, e.Name, e.Time, e.Dur, e.Values, func(s sample) {
		f.pending = append(f.pending, s)
		if f.came.IsZero() || s.at > f.latest {
			f.latest, f.came = s.at, now
		}
	})
}

// tick shows the frames that are old enough.
func (f *follower) tick(now time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.pending) > 0 {
		f.advance(f.latest + int64(now.Sub(f.came)-reorder))
	}
}

// finish shows the remaining frames.
func (f *follower) finish() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.advance(f.latest)
	if f.begun {
		f.push(max(f.latest, f.shown))
	}
}

// advance assigns the samples up to the given time to frames.
func (f *follower) advance(until int64) {
	slices.SortStableFunc(f.pending, byTime)
	n := sort.Search(len(f.pending), func(i int) bool { return f.pending[i].at > until })
	f.marked = f.marked || slices.ContainsFunc(f.pending, func(s sample) bool { return s.track == nil })
	for i := range f.pending[:n] {
		switch s := &f.pending[i]; {
		case s.track == nil:
			f.mark(s.at)
		case f.marked && s.track.key.scope && s.at <= f.shown && len(f.ends) > 0:
			at := sort.Search(len(f.ends)-1, func(i int) bool { return f.ends[i] >= s.at })
			f.late[lateTotal{s.track, f.ends[at]}] += s.value
			f.begun = true
		default:
			f.followSample(s)
		}
	}
	f.pending = slices.Delete(f.pending, 0, n)
}

// mark ends a frame at a frame mark.
func (f *follower) mark(at int64) {
	at = max(at, f.shown)
	if f.ends = append(f.ends, at); len(f.ends) > 2*endsKept {
		f.ends = slices.Delete(f.ends, 0, endsKept)
	}
	f.push(at)
}

func (f *follower) followSample(s *sample) {
	if !f.marked && s.track.now.count > 0 && s.at-f.from >= int64(leastFrame) {
		f.push(s.at - 1)
	}
	if !f.begun {
		f.begun, f.from = true, s.at
	}
	s.track.now.addCellValue(s.at, s.value)
}

// push ends the current frame.
func (f *follower) push(at int64) {
	for _, q := range f.list {
		q.now = f.closed(q, q.now)
	}
	for l, total := range f.late {
		if c := &l.track.now; c.count == 0 {
			*c = cell{count: 1}
		}
		l.track.now.widen(total, total)
	}
	clear(f.late)
	for _, q := range f.list {
		f.show(q, &q.now)
		q.now = cell{}
	}
	f.begun, f.shown = false, max(at, f.shown)
	f.set.PushFrame(f.start.Add(time.Duration(f.shown)))
}
