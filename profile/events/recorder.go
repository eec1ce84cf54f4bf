package events

import (
	"cmp"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/assetcook/assetcook/intern"
	"github.com/assetcook/assetcook/internal/fastclock"
)

// Symbol is a name of one recorder, in its table. 0 is the empty name.
type Symbol = intern.Symbol

// unnamed is the name that all get for which the table has no room.
const (
	unnamed     Symbol = 1
	unnamedText        = "…"
)

// Options sizes a recorder. Its memory is allocated by New and does not grow but
// for the names of workers.
type Options struct {
	// Buffers of 64 KiB, for all workers together: 0 means 64, at least 2. A worker
	// that records has one, so there should be twice as many as workers.
	Buffers int

	// Names is how many names there may be, NameBytes how long they are together: 0
	// means 65536 and 4 MiB, at most 4 million and 1 GiB.
	Names, NameBytes int

	// Open is how often the stream tells which scopes have begun and not ended, so
	// that what hangs shows: 0 means every second, less than 0 never. They are also
	// told when a worker is flushed and at Close.
	Open time.Duration
}

func (o Options) orDefault() Options {
	atMost := func(n, zero, least, most int) int {
		if n == 0 {
			n = zero
		}
		return min(max(n, least), most)
	}
	return Options{
		Buffers:   atMost(o.Buffers, 64, 2, 1<<16),
		Names:     atMost(o.Names, 1<<16, 2, maxSymbols-1),
		NameBytes: atMost(o.NameBytes, 4<<20, 64, 1<<30),
		Open:      cmp.Or(o.Open, time.Second),
	}
}

// A Recorder takes what its workers record to a stream. Its methods may be called
// from any goroutine.
//
// A nil Recorder records nothing: its symbols are 0 and its workers nil.
type Recorder struct {
	names     *intern.Table
	tellsOpen bool
	began     fastclock.Pair

	// Buffers are in free, with a worker, or in full. Both channels hold all of them,
	// so that sending never blocks.
	free chan *buffer
	full chan *buffer // closed by Close, under mu
	done chan struct{}
	err  error // of writing; read it after done

	mu     sync.Mutex
	closed bool
	rows   []string
	open   []*openScopes     // of the rows, if scopes are told before they end
	idle   map[string][]*row // rows whose workers were released

	events, dropped, bytes, unnamed atomic.Int64
	flows                           atomic.Uint64
}

// A row is what workers who follow each other under one name share.
type row struct {
	id   int
	name string
	lost uint64 // records dropped that no buffer has told of
	open *openScopes
}

// New returns a recorder that writes its stream to w from a goroutine of its own,
// until Close. One call of w.Write gets one or several whole blocks.
func New(w io.Writer, opt Options) *Recorder {
	if w == nil {
		panic("events: New needs a writer; for no recording use a nil *Recorder")
	}
	opt = opt.orDefault()
	if opt.Open < 0 {
		return start(w, opt, nil, func() {})
	}
	timer := time.NewTicker(opt.Open)
	return start(w, opt, timer.C, timer.Stop)
}

// start is New with a timer of when open scopes are told, nil for never, and what to
// call when it is not needed any more.
func start(w io.Writer, opt Options, timer <-chan time.Time, stop func()) *Recorder {
	names, err := intern.New(intern.Config{Entries: opt.Names, Bytes: opt.NameBytes})
	if err != nil {
		panic("events: " + err.Error()) // orDefault keeps to intern's limits
	}
	names.Intern(unnamedText) // fits: it is the first
	r := &Recorder{
		names:     names,
		tellsOpen: true,
		began:     fastclock.Mark(),
		free:      make(chan *buffer, opt.Buffers),
		full:      make(chan *buffer, opt.Buffers),
		done:      make(chan struct{}),
		idle:      map[string][]*row{},
	}
	buffers := make([]buffer, opt.Buffers)
	for i := range buffers {
		r.free <- &buffers[i]
	}
	go func() {
		defer stop()
		r.writeStream(w, time.Now(), timer)
	}()
	return r
}

// Symbol returns the symbol of name. Ask once and keep it, or ask each time for
// some 30 ns. Names for which there is no room, or longer than 65535 bytes, all
// get the symbol of "…" and are counted in Stats.
func (r *Recorder) Symbol(name string) Symbol {
	if r == nil {
		return 0
	}
	if len(name) <= maxName {
		if sym, err := r.names.Intern(name); err == nil {
			return sym
		}
	}
	r.unnamed.Add(1)
	return unnamed
}

// Worker returns a worker on a row of its own: one that a released worker of this
// name has left, or else a new one. There can be 65536 rows; records of a worker
// beyond are dropped and counted.
func (r *Recorder) Worker(name string) *Worker {
	if r == nil {
		return nil
	}
	if len(name) > maxName {
		name = unnamedText
	}
	w := &Worker{rec: r, used: bufferSlots}
	r.mu.Lock()
	defer r.mu.Unlock()
	if idle := r.idle[name]; len(idle) > 0 {
		w.row, r.idle[name] = idle[len(idle)-1], idle[:len(idle)-1]
		w.open = w.row.open
	} else if len(r.rows) < maxRows {
		w.row = &row{id: len(r.rows), name: name}
		r.rows = append(r.rows, name)
		if r.tellsOpen {
			w.row.open = new(openScopes)
		}
		r.open = append(r.open, w.row.open)
		w.open = w.row.open
	}
	return w
}

func (r *Recorder) giveBack(row *row) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.idle[row.name] = append(r.idle[row.name], row)
}

// Flow returns a new id for [Worker.FlowOut] and [Worker.FlowIn], never 0.
func (r *Recorder) Flow() uint64 {
	if r == nil {
		return 0
	}
	return r.flows.Add(1)
}

// Stats are the counts of a recorder so far. When all workers have been released
// and the recorder closed, Events and Dropped are together just as many as were
// recorded.
type Stats struct {
	Events  int64 // records written to the stream
	Dropped int64 // records that were not: no buffer was free, too large, after Close, or writing failed
	Bytes   int64 // length of the stream
	Unnamed int64 // calls of Symbol that got "…"
}

// Stats returns the counts. A record counts when its buffer has been written, or
// when it is dropped.
func (r *Recorder) Stats() Stats {
	if r == nil {
		return Stats{}
	}
	return Stats{r.events.Load(), r.dropped.Load(), r.bytes.Load(), r.unnamed.Load()}
}

// Close writes what is left and ends the stream. It does not close the writer.
// Release the workers before: what one of them still holds is dropped and counted
// when it is flushed. The error is that of the first write that failed; nothing
// was written after that.
func (r *Recorder) Close() error {
	if r == nil {
		return nil
	}
	r.mu.Lock()
	if !r.closed {
		r.closed = true
		close(r.full)
	}
	r.mu.Unlock()
	<-r.done
	return r.err
}

// hand gives a buffer to the writer. The lock is held for a moment only, never
// while the stream is written.
func (r *Recorder) hand(b *buffer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed { // the buffer has no further use either
		r.dropped.Add(int64(b.records()))
	} else {
		r.full <- b
	}
}
