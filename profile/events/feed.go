package events

import (
	"bytes"
	"slices"
	"sync"
)

// A Feed passes a recorder's stream on to viewers while it is being recorded. It
// is the recorder's writer, or one of several:
//
//	feed := events.NewFeed()
//	rec := events.New(io.MultiWriter(file, feed), events.Options{})
//
// A viewer may come and go at any time. It gets the names that there are, and all
// blocks from then on; if it takes them too slowly it loses whole blocks and is
// told how many records were in them. Viewers never slow the recorder.
type Feed struct {
	mu      sync.Mutex
	pending []byte // a block of which the rest has not come
	begun   bool   // magic has come
	err     error

	// tables is all of the stream but its records and what is open, which every viewer gets from the
	// beginning. Only appended to: what viewers have been given of it stays.
	tables  []byte
	ended   bool // and tables has the last block
	viewers map[*viewer]struct{}
}

// maxQueue is how many blocks wait for a viewer before it loses some, about 1 MiB
// of a recorder that is busy. Viewers share the memory of the blocks.
const maxQueue = 64

// A viewer is what a feed has for one connection. The feed's lock guards it.
type viewer struct {
	wake  chan struct{} // has one element if there may be something to take
	given int           // of the feed's tables
	queue [][]byte      // blocks of records, and of what is open
	lost  int64         // records left out since the last of queue
}

// NewFeed returns a feed without viewers.
func NewFeed() *Feed { return &Feed{viewers: map[*viewer]struct{}{}} }

// Write takes the next part of a recorder's stream, however it is cut. It never
// waits for a viewer. The error is ErrDamaged if that is no such stream.
func (f *Feed) Write(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.err != nil {
		return 0, f.err
	}
	rest := p
	if len(f.pending) > 0 {
		f.pending = append(f.pending, p...)
		rest = f.pending
	}
	rest, f.err = f.takeBlocks(rest)
	if f.err != nil {
		return 0, f.err
	}
	f.pending = append(f.pending[:0], rest...) // rest may be the end of pending itself
	for v := range f.viewers {
		v.notify()
	}
	return len(p), nil
}

// takeBlocks takes the whole blocks at the front of b and returns what follows.
func (f *Feed) takeBlocks(b []byte) ([]byte, error) {
	if !f.begun {
		if len(b) < len(magic) {
			return b, nil
		}
		if !bytes.HasPrefix(b, []byte(magic)) {
			return nil, damaged("a feed takes the stream of a recorder of the same version, and nothing before it")
		}
		f.tables, b, f.begun = append(f.tables, magic...), b[len(magic):], true
	}
	for len(b) >= blockHead {
		n, ok := blockLen(b)
		if !ok {
			return nil, errTooLong()
		}
		if len(b) < n {
			break
		}
		f.takeBlock(b[:n])
		b = b[n:]
	}
	return b, nil
}

func (f *Feed) takeBlock(block []byte) {
	kind := block[4]
	if kind != blockRecords && kind != blockOpen {
		f.tables = append(f.tables, block...)
		f.ended = f.ended || kind == blockEnd
		return
	}
	if len(f.viewers) == 0 {
		return
	}
	records := int64(0) // what is open is told again
	if kind == blockRecords {
		p := parser{rest: block[blockHead:]}
		records = int64(p.number(maxBlock))
	}
	shared := slices.Clone(block)
	for v := range f.viewers {
		v.offer(shared, records)
	}
}

func (v *viewer) offer(block []byte, records int64) {
	if len(v.queue) >= maxQueue {
		v.lost += records
		return
	}
	v.queue = append(v.queue, block)
}

func (v *viewer) notify() {
	select {
	case v.wake <- struct{}{}:
	default: // it is going to look anyway
	}
}

// join adds a viewer, which has the tables to take.
func (f *Feed) join() *viewer {
	v := &viewer{wake: make(chan struct{}, 1)}
	v.notify()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.viewers[v] = struct{}{}
	return v
}

func (f *Feed) leave(v *viewer) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.viewers, v)
}

// takeForViewer returns what there is for a viewer, in order: what is new in the tables,
// which the records may need, then the records. After the end nothing comes.
func (f *Feed) takeForViewer(v *viewer) (parts [][]byte, ended bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	tables := f.tables[v.given:]
	v.given = len(f.tables)
	records := v.queue
	if v.lost > 0 { // after a full queue, and nothing has come since
		records = append(records, appendLost(nil, v.lost))
	}
	v.queue, v.lost = nil, 0
	if !f.ended {
		return append([][]byte{tables}, records...), false
	}
	// The last block is in the tables, and comes after the records.
	last := lastBlock(tables)
	parts = append([][]byte{tables[:last]}, records...)
	return append(parts, tables[last:]), true
}

// lastBlock returns where the last block of whole blocks begins, which may have
// magic before them, or 0 if there is none.
func lastBlock(b []byte) int {
	at := 0
	if bytes.HasPrefix(b, []byte(magic)) {
		at = len(magic)
	}
	last := at
	for at < len(b) {
		n, _ := blockLen(b[at:])
		last, at = at, at+n
	}
	return last
}
