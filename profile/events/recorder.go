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

// Symbol is the number of a name in a recorder's table. Symbol 0 is the empty name.
type Symbol = intern.Symbol

// unnamed is the symbol for every name that does not fit in the table.
const (
	unnamed     Symbol = 1
	unnamedText        = "…"
)

// Options sets the sizes of a recorder. New allocates all memory of the recorder, except for the
// names of workers.
type Options struct {
	// Buffers is the number of 64 KiB buffers for all workers together. The default is 64, and the
	// minimum is 2. Each recording worker holds one buffer, so use at least twice as many buffers
	// as workers.
	Buffers int

	// Names is the maximum number of names, and NameBytes their maximum total length. The defaults
	// are 65536 names and 4 MiB; the maxima are 4 million names and 1 GiB.
	Names, NameBytes int

	// Open is the interval between the stream's lists of open scopes, so that a hanging scope is
	// visible. 0 means a second, a negative value never. Open scopes are also listed when a worker
	// is flushed and at Close.
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

// A Recorder writes its workers' records to a stream. Its methods may be called from any
// goroutine.
//
// A nil Recorder records nothing: its symbols are 0 and its workers nil.
type Recorder struct {
	names     *intern.Table
	tellsOpen bool
	began     fastclock.Pair

	// Each buffer is in the channel free, in the channel full, or held by a worker. Each channel
	// has room for all buffers, so that sending never blocks.
	free chan *buffer
	full chan *buffer // closed by Close while it holds mu
	done chan struct{}
	err  error // first write error; valid after done is closed

	mu     sync.Mutex
	closed bool
	rows   []string
	open   []*openScopes     // open scopes of each row; empty if the stream does not list open scopes
	idle   map[string][]*row // rows of released workers, by name

	events, dropped, bytes, unnamed atomic.Int64
	flows                           atomic.Uint64
}

// A row of the timeline is used by successive workers with the same name.
type row struct {
	id   int
	name string
	lost uint64 // number of dropped records that no buffer has counted yet
	open *openScopes
}

// New returns a recorder that writes its stream to w from its own goroutine, until Close. Each
// call of w.Write passes one or more whole blocks.
func New(w io.Writer, opt Options) *Recorder {
	if w == nil {
		panic("events: the writer is nil; pass a writer, or use a nil *Recorder to record nothing")
	}
	opt = opt.orDefault()
	if opt.Open < 0 {
		return start(w, opt, nil, func() {})
	}
	timer := time.NewTicker(opt.Open)
	return start(w, opt, timer.C, timer.Stop)
}

// start is like New, but the caller passes the timer for listing open scopes, and the function that
// stops the timer. With a nil timer, open scopes are not listed at intervals.
func start(w io.Writer, opt Options, timer <-chan time.Time, stop func()) *Recorder {
	names, err := intern.New(intern.Config{Entries: opt.Names, Bytes: opt.NameBytes})
	if err != nil {
		panic("events: " + err.Error()) // orDefault enforces the limits of package intern.
	}
	names.Intern(unnamedText) // This name always fits in the empty table.
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

// Symbol returns the symbol of name. Call it once and keep the symbol, or call it each time, which
// takes about 30 ns. If a name does not fit in the table or is longer than 65535 bytes, Symbol
// returns the symbol of "…", and Stats counts the call.
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

// Worker returns a worker with its own row. It reuses the row of a released worker with this name.
// There can be 65536 rows; records of further workers are dropped and counted.
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

// Flow returns a new id for [Worker.FlowOut] and [Worker.FlowIn]. It is never 0.
func (r *Recorder) Flow() uint64 {
	if r == nil {
		return 0
	}
	return r.flows.Add(1)
}

// Stats holds the counts of a recorder. When all workers are released and the recorder is closed,
// Events plus Dropped is the number of all records.
type Stats struct {
	Events  int64 // number of records written to the stream
	Dropped int64 // number of lost records: no free buffer, too large, after Close, or write error
	Bytes   int64 // length of the stream in bytes
	Unnamed int64 // number of Symbol calls that returned the symbol of "…"
}

// Stats returns the present counts. A record is counted when its buffer is written, or when it is
// dropped.
func (r *Recorder) Stats() Stats {
	if r == nil {
		return Stats{}
	}
	return Stats{r.events.Load(), r.dropped.Load(), r.bytes.Load(), r.unnamed.Load()}
}

// Close writes the remaining buffers and ends the stream. It does not close the writer. Release the
// workers first, because records in a worker's buffer are dropped and counted after Close. Close
// returns the error of the first failed write; nothing was written after it.
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

// hand passes a buffer to the goroutine that writes. It holds the lock only briefly, never during a
// write.
func (r *Recorder) hand(b *buffer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed { // The buffer is no longer needed.
		r.dropped.Add(int64(b.records()))
	} else {
		r.full <- b
	}
}
