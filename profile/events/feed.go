package events

import (
	"bytes"
	"slices"
	"sync"
)

// A Feed passes a recorder's stream on to viewers during the recording. It is the recorder's
// writer, or one of several:
//
//	feed := events.NewFeed()
//	rec := events.New(io.MultiWriter(file, feed), events.Options{})
//
// A viewer may join and leave at any time. It gets all names so far, and all later blocks. A viewer
// that reads too slowly loses whole blocks and gets the number of lost records. Viewers never slow
// down the recorder.
type Feed struct {
	mu      sync.Mutex
	pending []byte // received bytes of an incomplete block
	begun   bool   // true if the magic bytes have been read
	err     error

	// tables is the stream without records and open scopes. Every viewer gets it from the
	// beginning. The slice is append-only, so viewers may keep parts of it.
	tables  []byte
	ended   bool // true if tables includes the last block
	viewers map[*viewer]struct{}
}

// maxQueue is the maximum number of blocks in a viewer's queue, about 1 MiB for a busy recorder.
// When the queue is full, the viewer loses blocks. Viewers share the memory of the blocks.
const maxQueue = 64

// A viewer is the state of one connection, guarded by the feed's lock.
type viewer struct {
	wake  chan struct{} // holds an element if there may be new data
	given int           // number of bytes of the feed's tables that were passed to the viewer
	queue [][]byte      // blocks of records and of open scopes
	lost  int64         // number of records omitted since the last element of queue
}

// NewFeed returns a feed without viewers.
func NewFeed() *Feed { return &Feed{viewers: map[*viewer]struct{}{}} }

// Write takes the next part of a recorder's stream, of any size. It never waits for a viewer. It
// returns ErrDamaged if the bytes are not a recorder's stream.
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
	f.pending = append(f.pending[:0], rest...) // append copies rest, which may share memory with pending.
	for v := range f.viewers {
		v.notify()
	}
	return len(p), nil
}

// takeBlocks processes the whole blocks at the front of b and returns the remaining bytes.
func (f *Feed) takeBlocks(b []byte) ([]byte, error) {
	if !f.begun {
		if len(b) < len(magic) {
			return b, nil
		}
		if !bytes.HasPrefix(b, []byte(magic)) {
			return nil, damaged("the stream must be complete and from a recorder of the same version")
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
	records := int64(0) // Open scopes count as 0 records, because later blocks repeat them.
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
	default: // The viewer has already been notified.
	}
}

// join adds a viewer. The viewer gets the tables first.
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

// takeForViewer returns the new data for a viewer: first new tables, which the records may need,
// then the records. After the end of the stream it returns nothing.
func (f *Feed) takeForViewer(v *viewer) (parts [][]byte, ended bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	tables := f.tables[v.given:]
	v.given = len(f.tables)
	records := v.queue
	if v.lost > 0 { // The queue was full, and no block has been queued since.
		records = append(records, appendLost(nil, v.lost))
	}
	v.queue, v.lost = nil, 0
	if !f.ended {
		return append([][]byte{tables}, records...), false
	}
	// The stream's last block is in the tables, but must follow the records.
	last := lastBlock(tables)
	parts = append([][]byte{tables[:last]}, records...)
	return append(parts, tables[last:]), true
}

// lastBlock returns the offset of the last block in b, or 0 if b has no block. The slice b consists
// of whole blocks, with or without the magic bytes before them.
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
