package events

import (
	"encoding/binary"
	"fmt"
	"io"
	"time"

	"github.com/assetcook/assetcook/intern"
	"github.com/assetcook/assetcook/internal/fastclock"
)

// writeStream is the recorder's goroutine. It writes buffers as blocks until the recorder is
// closed. It lists the open scopes at each tick of the timer. The argument began is the wall-clock
// time that corresponds to r.began.
func (r *Recorder) writeStream(to io.Writer, began time.Time, timer <-chan time.Time) {
	defer close(r.done)
	s := sink{to: to, rec: r}
	s.out = append(s.out, magic...)
	s.out = appendStart(s.out, began)
	s.send()
	for {
		select {
		case b, more := <-r.full:
			if !more {
				s.endStream()
				return
			}
			s.writeBuffer(b)
		case <-timer:
			s.tellAll()
			s.send()
		}
	}
}

// writeBuffer writes a buffer and the open scopes of its row.
func (s *sink) writeBuffer(b *buffer) {
	s.appendNames()
	s.appendRows()
	s.out = s.enc.appendRecords(s.out, b, s.mark(), s.rec.began, s.names)
	count, row := int64(b.records()), b.row
	s.rec.free <- b // The buffer is freed before the write, which may take long.
	if s.rec.tellsOpen {
		s.tell(row, 1, false)
	}
	if s.send() {
		s.rec.events.Add(count)
	} else {
		s.rec.dropped.Add(count)
	}
}

// tellAll writes the open scopes of all rows.
func (s *sink) tellAll() {
	s.appendRows()
	s.tell(0, s.rows, true)
}

// tell writes the open scopes of some rows. The stream must already have these rows. It reads the
// clocks before it looks at the scopes. So a scope that had begun by then and is still visible was
// open at that time.
func (s *sink) tell(first, count int, old bool) {
	mark := s.mark()
	s.look(first, count, mark.Tick)
	if s.news(first, old) {
		s.appendNames() // The scopes found by look may have new names.
		s.out = s.appendOpen(s.out, first, mark, s.rec.began, s.names)
	}
}

// endStream writes the end of the stream.
func (s *sink) endStream() {
	s.appendNames()
	s.appendRows() // These include the rows of workers that recorded nothing.
	if s.rec.tellsOpen {
		s.tell(0, s.rows, true)
	}
	s.out = appendEnd(s.out, s.rec.events.Load(), s.rec.dropped.Load())
	s.send()
}

// A sink is the state of the goroutine that writes the stream.
type sink struct {
	to    io.Writer
	rec   *Recorder
	enc   encoder
	out   []byte // blocks that are ready to be written
	names int    // number of names in the stream
	rows  int
	last  fastclock.Pair
	teller
}

// send writes the ready blocks. It writes nothing if an earlier write has failed.
func (s *sink) send() bool {
	out := s.out
	s.out = s.out[:0]
	if len(out) == 0 {
		return true
	}
	if s.rec.err != nil {
		return false
	}
	n, err := s.to.Write(out)
	s.rec.bytes.Add(int64(n))
	if err == nil && n < len(out) {
		err = io.ErrShortWrite
	}
	if err != nil {
		s.rec.err = fmt.Errorf("events: write stream: %w; recording has stopped", err)
		return false
	}
	return true
}

// mark pairs the clocks for the next block. All events of the block happened before this pair.
// Ticks and times always increase, so that the reader's clock never runs backwards.
func (s *sink) mark() fastclock.Pair {
	if p := fastclock.Mark(); p.Tick > s.last.Tick && p.Nanos > s.last.Nanos {
		s.last = p
	}
	return s.last
}

// appendNames appends the new names. A worker gets its symbols before it hands over the buffer that
// uses them, so no name is missing.
func (s *sink) appendNames() {
	count := s.rec.names.Len()
	if s.names == count {
		return
	}
	names := make([]string, 0, count-s.names)
	for sym := s.names; sym < count; sym++ {
		names = append(names, s.rec.names.String(intern.Symbol(sym)))
	}
	s.out = appendTable(s.out, blockNames, s.names, names)
	s.names = count
}

func (s *sink) appendRows() {
	s.rec.mu.Lock()
	rows := s.rec.rows
	s.open = s.rec.open
	s.rec.mu.Unlock()
	s.out = appendTable(s.out, blockRows, s.rows, rows[s.rows:])
	s.rows = len(rows)
}

func appendStart(b []byte, wall time.Time) []byte {
	from := len(b)
	b = openBlock(b, blockStart)
	b = binary.AppendVarint(b, wall.UnixNano())
	return sealBlock(b, from)
}

func appendLost(b []byte, records int64) []byte {
	from := len(b)
	b = openBlock(b, blockLost)
	b = binary.AppendUvarint(b, uint64(records))
	return sealBlock(b, from)
}

func appendEnd(b []byte, events, dropped int64) []byte {
	from := len(b)
	b = openBlock(b, blockEnd)
	b = binary.AppendUvarint(b, uint64(events))
	b = binary.AppendUvarint(b, uint64(dropped))
	return sealBlock(b, from)
}
