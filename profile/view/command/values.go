package command

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/assetcook/assetcook/profile/counters"
	"github.com/assetcook/assetcook/profile/events"
)

// Limits of the counters that are made of a recording.
const (
	maxNames  = 2048
	maxFrames = 2048 // of a recording that has ended
	liveEvery = 16 * time.Millisecond
	liveKept  = 7500 // frames: 2 minutes
)

// errNames says that a recording has more quantities than there is room for.
var errNames = fmt.Errorf("it has more than %d quantities; graphs have the first of them", maxNames)

// components are what the numbers of a short vector are called.
var components = [...]string{"x", "y", "z", "w"}

// component returns the name of number i of a vector of n.
func component(name string, i, n int) string {
	if n <= len(components) {
		return name + "/" + components[i]
	}
	return name + "/" + strconv.Itoa(i)
}

// A series is what one quantity was at the end of each frame.
type series struct {
	at    []int64 // when the value was recorded, -1 for none in this frame
	value []float64
}

// replay gives a set the quantities of a recording as gauges with a history: the whole time
// is divided into frames. Values may come in any order, as workers' buffers do. With an
// error there is what could be read.
func replay(set *counters.Set, tape *events.Tape) error {
	blocks := tape.Blocks()
	dur := int64(0)
	for i := range blocks {
		dur = max(dur, blocks[i].To)
	}
	p := player{names: tape.Names(), frame: dur/maxFrames + 1, of: map[string]*series{}}
	p.frames = int(dur/p.frame) + 1
	var failed error
	var records []events.Record
	for i := range blocks {
		var err error
		if records, err = tape.Read(&blocks[i], records[:0]); err != nil {
			failed = err
		}
		for j := range records {
			p.take(&blocks[i], &records[j])
		}
	}
	p.play(set, tape.Start())
	return errors.Join(failed, p.full)
}

// A player has the quantities of a recording by frame.
type player struct {
	names  []string
	frame  int64 // nanoseconds
	frames int
	of     map[string]*series
	order  []string // of
	full   error    // errNames if there are more
	values []float64
}

func (p *player) take(b *events.Block, r *events.Record) {
	switch r.Kind {
	case events.Value:
		p.set(p.names[r.Name], r.Start, r.Value())
	case events.Vector:
		p.values = b.Values(r, p.values[:0])
		for i, v := range p.values {
			p.set(component(p.names[r.Name], i, len(p.values)), r.Start, v)
		}
	}
}

func (p *player) set(name string, at int64, value float64) {
	s := p.of[name]
	if s == nil {
		if len(p.of) >= maxNames {
			p.full = errNames
			return
		}
		s = &series{at: make([]int64, p.frames), value: make([]float64, p.frames)}
		for i := range s.at {
			s.at[i] = -1
		}
		p.of[name] = s
		p.order = append(p.order, name)
	}
	if frame := min(max(at/p.frame, 0), int64(p.frames-1)); at >= s.at[frame] {
		s.at[frame], s.value[frame] = at, value
	}
}

// play pushes the frames. Before its first value a quantity is NaN.
func (p *player) play(set *counters.Set, start time.Time) {
	gauges := make([]*counters.Gauge, len(p.order))
	for i, name := range p.order {
		gauges[i] = set.Gauge(name)
		gauges[i].Set(math.NaN())
	}
	set.WatchAll()
	for f := range p.frames {
		for i, name := range p.order {
			if s := p.of[name]; s.at[f] >= 0 {
				gauges[i].Set(s.value[f])
			}
		}
		set.PushFrame(start.Add(time.Duration((int64(f) + 1) * p.frame)))
	}
}

// follow sets gauges of a set to the quantities of a recording that is under way, until it
// ends.
func follow(set *counters.Set, stream *events.Stream) error {
	stop := make(chan struct{})
	done := make(chan struct{})
	go func() {
		defer close(done)
		timer := time.NewTicker(liveEvery)
		defer timer.Stop()
		for {
			select {
			case now := <-timer.C:
				set.PushFrame(now)
			case <-stop:
				set.PushFrame(time.Now())
				return
			}
		}
	}()
	defer func() { close(stop); <-done }()
	gauges := map[string]*counters.Gauge{}
	level := func(name string, value float64) {
		g := gauges[name]
		if g == nil {
			if len(gauges) >= maxNames {
				return
			}
			g = set.Gauge(name)
			gauges[name] = g
		}
		g.Set(value)
	}
	for e, err := range stream.All() {
		switch {
		case err != nil:
			return err
		case e.Kind == events.Value:
			level(e.Name, e.Values[0])
		case e.Kind == events.Vector:
			for i, v := range e.Values {
				level(component(e.Name, i, len(e.Values)), v)
			}
		}
	}
	return nil
}
