package counters

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/assetcook/assetcook/intern"
	"github.com/assetcook/assetcook/internal/fastclock"
)

// These names are reserved. Snapshots include panickedSources when a source has panicked, and the
// other names when a full set has refused a name.
const (
	refusedNames    = "counters/refused"          // number of calls with a refused name
	overflowCounter = "counters/overflow/counter" // sum of all refused counters
	overflowFloat   = "counters/overflow/float"
	overflowTimer   = "counters/overflow/timer"
	overflowGauge   = "counters/overflow/gauge" // latest value of any refused gauge
	panickedSources = "counters/panicked"       // number of sources that have panicked
)

// ownNames is the number of reserved names.
const ownNames = 6

// Options sets the limits of a set. New allocates about 90 bytes for each of the Max names. The
// zero value selects the defaults.
type Options struct {
	Max       int // maximum number of names except ""; default 4096, at most 1<<20
	NameBytes int // maximum total length of the names; default 48 bytes per name
	Frames    int // number of frames in the history; default 600
}

// Set is a collection of named counters, floats, timers and gauges. Any number of goroutines may
// call its methods and the methods of its handles. Only one goroutine at a time may use a [Worker].
// A nil *Set records nothing.
type Set struct {
	touched atomic.Pointer[cell] // linked list of the cells that have additions since the last collect

	mu      sync.Mutex // guards the fields below; a Worker counts without locking it
	names   *intern.Table
	cells   []*cell // cells by symbol; cells[0] is nil unless the empty name is used
	kinds   []Kind  // kind of each line
	placed  [2]int  // number of counters, and number of floats
	last    [2]int  // line that new counters use, and line that new floats use
	workers []*Worker
	idle    []*Worker // released workers for reuse

	gauges []*cell

	frame    sheet // values collected since the last PushFrame
	closed   sheet // values of the last closed frame
	closedAt time.Time
	total    sheet // sums of all frames before the last closed one
	history  history
	sources  atomic.Pointer[[]*Source] // list of sources; a published list never changes
	clock    func() time.Duration      // clock that measures how long sources take
	always   atomic.Bool               // true if PollAlways was called

	start  fastclock.Pair
	scale  fastclock.Scale
	steady bool // true if the rate of ticks is final
}

// New returns an empty set. It panics if an option is negative or too large.
func New(o Options) *Set {
	if o.Max < 0 || o.Max > 1<<20 || o.NameBytes < 0 || o.Frames < 0 || o.Frames > 1<<20 {
		panic(fmt.Sprintf("counters: the options %+v are invalid", o))
	}
	if o.Max == 0 {
		o.Max = 4096
	}
	if o.NameBytes == 0 {
		o.NameBytes = 48 * o.Max
	}
	if o.Frames == 0 {
		o.Frames = 600
	}
	own := len(refusedNames) + len(overflowCounter) + len(overflowFloat) + len(overflowTimer) + len(overflowGauge) + len(panickedSources)
	names, err := intern.New(intern.Config{Entries: o.Max + ownNames, Bytes: o.NameBytes + own})
	if err != nil {
		panic(fmt.Sprintf("counters: %v", err))
	}
	s := &Set{names: names, cells: make([]*cell, 1), start: fastclock.Mark()}
	began := time.Now()
	s.clock = func() time.Duration { return time.Since(began) }
	s.history.frames, s.history.most = o.Frames, o.Max
	s.cell(refusedNames, KindCounter)
	s.cell(overflowCounter, KindCounter)
	s.cell(overflowFloat, KindFloat)
	s.cell(overflowTimer, KindTimer)
	s.cell(overflowGauge, KindGauge)
	s.cell(panickedSources, KindCounter)
	return s
}

// Counter returns the counter with the given name. Each call returns the same handle. If the set is
// full, a new name gets the handle of "counters/overflow/counter", and "counters/refused" counts
// the call. Counter panics if the name has another kind.
func (s *Set) Counter(name string) *Counter { return (*Counter)(s.cell(name, KindCounter)) }

// Float is like [Set.Counter] for a sum of float64 values.
func (s *Set) Float(name string) *Float { return (*Float)(s.cell(name, KindFloat)) }

// Timer is like [Set.Counter] for a timer.
func (s *Set) Timer(name string) *Timer { return (*Timer)(s.cell(name, KindTimer)) }

// Gauge is like [Set.Counter] for a level.
func (s *Set) Gauge(name string) *Gauge { return (*Gauge)(s.cell(name, KindGauge)) }

// cell returns the cell of a name, and makes it if needed.
func (s *Set) cell(name string, kind Kind) *cell {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if c := s.find(name); c != nil {
		if c.kind != kind {
			panic(fmt.Sprintf("counters: %q is a %v and cannot also be a %v; give one of them another name", name, c.kind, kind))
		}
		return c
	}
	sym, err := s.names.Intern(name)
	if err != nil {
		return s.refuse(kind)
	}
	c := &cell{set: s, name: s.names.String(sym), kind: kind, order: int32(sym), since: notWatched, detailSince: notWatched}
	s.giveLine(c)
	if int(sym) == len(s.cells) {
		s.cells = append(s.cells, c)
	} else {
		s.cells[sym] = c
	}
	s.history.meet(c)
	return c
}

// find returns the cell of a name, or nil.
func (s *Set) find(name string) *cell {
	sym, ok := s.names.Lookup(name)
	if !ok {
		return nil
	}
	return s.cells[sym]
}

// refuse counts a refused name and returns the overflow cell of its kind.
func (s *Set) refuse(kind Kind) *cell {
	(*Counter)(s.find(refusedNames)).Add(1)
	switch kind {
	case KindCounter:
		return s.find(overflowCounter)
	case KindFloat:
		return s.find(overflowFloat)
	case KindGauge:
		return s.find(overflowGauge)
	}
	return s.find(overflowTimer)
}

// giveLine assigns a line to a cell. A timer has its own line, eight counters or floats share a
// line, and a gauge has none.
func (s *Set) giveLine(c *cell) {
	if c.kind == KindGauge {
		c.line = -1
		s.gauges = append(s.gauges, c)
		return
	}
	if c.kind == KindTimer {
		c.timed = new(line)
		c.line = s.newLine(c.kind)
		return
	}
	c.slot = s.placed[c.kind] % len(line{})
	if c.slot == 0 {
		s.last[c.kind] = s.newLine(c.kind)
	}
	c.line = s.last[c.kind]
	s.placed[c.kind]++
}

func (s *Set) newLine(kind Kind) int {
	s.kinds = append(s.kinds, kind)
	return len(s.kinds) - 1
}

// Worker returns a worker for one goroutine at a time. It reuses a released worker if possible.
// Call [Worker.Release] when done.
func (s *Set) Worker() *Worker {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if n := len(s.idle); n > 0 {
		w := s.idle[n-1]
		s.idle = s.idle[:n-1]
		w.released = false
		return w
	}
	w := &Worker{set: s}
	s.workers = append(s.workers, w)
	return w
}

// collect moves all published additions into the current frame. The set must be locked.
func (s *Set) collect() {
	for _, w := range s.workers {
		if w.mail.Load() == nil {
			continue
		}
		if letter := w.mail.Swap(nil); letter != nil {
			letter.moveTo(&s.frame, s.kinds)
			w.spare.Store(letter)
		}
	}
	for c := s.touched.Swap(nil); c != nil; {
		next := c.next
		c.collect(&s.frame)
		c = next
	}
}
