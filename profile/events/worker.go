package events

import (
	"math"

	"github.com/assetcook/assetcook/internal/fastclock"
)

// A Worker records events on one row of the timeline. One goroutine at a time may use it. It never
// blocks and never allocates. When the recorder has no free buffer, it drops and counts the
// records.
//
// A nil Worker records nothing.
type Worker struct {
	used int // number of used slots in buf; bufferSlots if buf is nil
	base int64
	buf  *buffer
	rec  *Recorder
	row  *row // nil after Release

	open  *openScopes // open scopes of the row; nil if open scopes are not listed
	level int         // number of open scopes

	_ [72]byte // Padding keeps the fields of other workers off this worker's cache lines.
}

// putRecordSlot appends a record of one slot. It calls insert if the buffer is full or the time
// difference is too large. The difference is also too large if the clock ran backwards.
func (w *Worker) putRecordSlot(a, b uint64, now int64) {
	ticks, n := uint64(now-w.base), w.used
	if uint(n) >= bufferSlots || ticks>>timeBits != 0 {
		w.insert(a, b, now, 0)
		return
	}
	w.buf.slots[n] = slot{a | ticks, b}
	w.used = n + 1
}

// stamp appends a record of one slot with the current time. The callers are so short that they are
// inlined. So a nil worker costs no call.
func (w *Worker) stamp(kind Kind, name Symbol, b uint64) {
	w.putRecordSlot(first(kind, name), b, fastclock.Now())
}

// insert appends a record that continues in further slots. It returns those slots for the caller to
// fill, or nil if the record was dropped.
func (w *Worker) insert(a, b uint64, now int64, more int) []slot {
	if w.buf != nil && (w.used+1+more > bufferSlots || now-w.base >= 1<<timeBits) {
		w.Flush()
	}
	if w.buf == nil && (more >= bufferSlots || !w.takeBuffer(now)) {
		w.drop()
		return nil
	}
	n := w.used
	w.used += 1 + more
	w.buf.more += more
	w.buf.slots[n] = slot{a | uint64(max(now-w.base, 0)), b}
	return w.buf.slots[n+1 : w.used]
}

// takeBuffer takes an empty buffer. It returns false if there is none.
func (w *Worker) takeBuffer(now int64) bool {
	if w.row == nil {
		return false
	}
	select {
	case b := <-w.rec.free:
		b.more, b.base, b.row, b.lost = 0, now, w.row.id, w.row.lost
		w.buf, w.used, w.base, w.row.lost = b, 0, now, 0
		return true
	default:
		return false
	}
}

func (w *Worker) drop() {
	if w.row != nil {
		w.row.lost++
	}
	w.rec.dropped.Add(1)
}

// Flush passes the worker's records to the recorder, which writes them to the stream and its live
// viewers. A worker that records little should flush when it finishes a task. A full buffer is
// flushed automatically.
func (w *Worker) Flush() {
	if w == nil || w.buf == nil {
		return
	}
	w.buf.used = w.used
	w.rec.hand(w.buf)
	w.buf, w.used = nil, bufferSlots
}

// Release flushes the worker, and frees its row for the next worker of that name. Later records of
// the released worker are dropped and counted.
func (w *Worker) Release() {
	if w == nil || w.row == nil {
		return
	}
	w.Flush()
	w.popAll(1)
	w.rec.giveBack(w.row)
	w.row, w.open = nil, nil
}

// A ScopeMark is a running scope.
type ScopeMark struct {
	w     *Worker
	start int64
	what  scopeID
}

// Begin begins a scope, which the mark's End records:
//
//	defer w.Begin(encode, asset).End()
//
// While a scope has not ended, the stream lists it as [Open]. Scopes of one worker must end in the
// reverse order of their start. If a scope never ends, it is listed until its enclosing scope ends.
func (w *Worker) Begin(name, detail Symbol) ScopeMark {
	if w == nil {
		return ScopeMark{}
	}
	return w.push(name, detail)
}

// End records the scope, from Begin to now. Call it once, on the worker's goroutine.
func (m ScopeMark) End() {
	if m.w != nil {
		m.end()
	}
}

func (m ScopeMark) end() { m.endAt(m.w.pop(m.what)) }

func (m ScopeMark) endAt(now int64) {
	dur := uint64(now - m.start)
	switch {
	case dur>>durBits == 0:
		m.w.putRecordSlot(first(Scope, m.what.name()), withDetail(m.what.detail(), dur), now)
	case now < m.start: // The clock of another core may be behind.
		m.w.putRecordSlot(first(Scope, m.what.name()), withDetail(m.what.detail(), 0), now)
	default:
		if more := m.w.insert(first(longScope, m.what.name()), withDetail(m.what.detail(), 0), now, 1); more != nil {
			more[0] = slot{a: dur}
		}
	}
}

// Instant records that something happened now.
func (w *Worker) Instant(name, detail Symbol) {
	if w != nil {
		w.stamp(Instant, name, withDetail(detail, 0))
	}
}

// Value records that a quantity is v from now on.
func (w *Worker) Value(name Symbol, v float64) {
	if w != nil {
		w.stamp(Value, name, math.Float64bits(v))
	}
}

// Vector records a quantity of at most 8190 numbers. A larger vector is dropped and counts as one
// dropped record.
func (w *Worker) Vector(name Symbol, values ...float64) {
	if w == nil {
		return
	}
	more := w.insert(first(Vector, name), uint64(len(values)), fastclock.Now(), (len(values)+1)/2)
	for i := range more {
		more[i].a = math.Float64bits(values[2*i])
		if more[i].b = 0; 2*i+1 < len(values) {
			more[i].b = math.Float64bits(values[2*i+1])
		}
	}
}

// Alloc records that the program allocated memory of a named kind.
func (w *Worker) Alloc(name Symbol, bytes int64) {
	if w != nil {
		w.stamp(Alloc, name, uint64(bytes))
	}
}

// Free records that the program freed memory of a named kind.
func (w *Worker) Free(name Symbol, bytes int64) {
	if w != nil {
		w.stamp(Free, name, uint64(bytes))
	}
}

// FlowOut records that a flow leaves the current scope. The id comes from [Recorder.Flow]. The
// receiving worker calls FlowIn with the same id.
func (w *Worker) FlowOut(id uint64) {
	if w != nil {
		w.stamp(FlowOut, 0, id)
	}
}

// FlowIn records that a flow arrives in the current scope.
func (w *Worker) FlowIn(id uint64) {
	if w != nil {
		w.stamp(FlowIn, 0, id)
	}
}

// User records at most 65,520 bytes of data. The name determines their meaning. Larger data is
// dropped and counts as one dropped record.
func (w *Worker) User(name Symbol, data []byte) {
	if w == nil {
		return
	}
	putBytes(w.insert(first(User, name), uint64(len(data)), fastclock.Now(), slotsFor(len(data))), data)
}
