package events

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/assetcook/assetcook/internal/fastclock"
	"pgregory.net/rapid"
)

// nestedBuffer returns a full buffer of nested scopes: assets, each with two stages of about three
// steps. A scope takes 10 to 100 µs, at 2.5 ticks per nanosecond. It also returns the number of
// names in use.
func nestedBuffer() (buf *buffer, names int) {
	rnd := rand.New(rand.NewPCG(1, 2))
	buf = &buffer{}
	now, detail := int64(1000), Symbol(1000)
	add := func(name Symbol, start int64) {
		now += 50 + rnd.Int64N(50) // ticks between two records
		if buf.used < bufferSlots {
			buf.slots[buf.used] = slot{first(Scope, name) | uint64(now), withDetail(detail, uint64(now-start))}
			buf.used++
		}
	}
	for buf.used < bufferSlots {
		detail++
		asset := now
		for range 2 {
			now += 60
			stage := now
			for step := range Symbol(2 + rnd.IntN(3)) {
				now += 60
				start := now
				now += 25_000 + rnd.Int64N(15_000)
				add(10+step, start)
			}
			add(20, stage)
		}
		add(30, asset)
	}
	return buf, int(detail) + 1
}

func TestNestedScopeTakesSixBytes(t *testing.T) {
	buf, names := nestedBuffer()
	var enc encoder
	out := enc.appendRecords(nil, buf, fastclock.Pair{Tick: 1 << 40, Nanos: 1 << 39}, fastclock.Pair{}, names)
	if got := float64(len(out)) / float64(buf.records()); got > 6 {
		t.Errorf("a nested scope takes %.2f bytes, want at most 6", got)
	}
}

// TestTimesAreExact expects that times are read back exactly to the tick. It includes long scopes
// and many buffers.
func TestTimesAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := New(io.Discard, Options{Buffers: 4, Names: 64, NameBytes: 1 << 16})
		defer r.Close()
		w := r.Worker("worker")
		var stream []byte
		var enc encoder
		stream = append(stream, magic...)
		stream = appendTable(stream, blockNames, 0, []string{"", "one", "two"})
		stream = appendTable(stream, blockRows, 0, []string{"worker"})
		flush := func() {
			if w.buf == nil {
				return
			}
			// In this test, one tick is one nanosecond.
			w.buf.used = w.used
			stream = enc.appendRecords(stream, w.buf, fastclock.Pair{Tick: 1 << 60, Nanos: 1 << 60}, fastclock.Pair{}, 3)
			r.free <- w.buf
			w.buf, w.used = nil, bufferSlots
		}
		type span struct{ start, dur int64 }
		var want []span
		now := rapid.Int64Range(0, 1<<40).Draw(t, "begin")
		for range rapid.IntRange(1, 40).Draw(t, "records") {
			now += rapid.OneOf(rapid.Int64Range(0, 300), rapid.Int64Range(0, 1<<36)).Draw(t, "step")
			if w.buf != nil && now-w.base >= 1<<timeBits || rapid.IntRange(0, 9).Draw(t, "flush") == 0 {
				flush()
			}
			name := Symbol(rapid.IntRange(0, 2).Draw(t, "name"))
			if rapid.Bool().Draw(t, "instant") {
				w.putRecordSlot(first(Instant, name), withDetail(name, 0), now)
				want = append(want, span{now, 0})
				continue
			}
			dur := rapid.OneOf(rapid.Int64Range(0, 1000), rapid.Int64Range(1<<durBits-2, 1<<durBits+2),
				rapid.Int64Range(0, 1<<58)).Draw(t, "dur")
			ScopeMark{w, now - dur, scopeOf(name, name)}.endAt(now)
			want = append(want, span{now - dur, dur})
		}
		flush()
		w.Release()
		stream = appendEnd(stream, 0, 0)
		events, err := collect(Read(bytes.NewReader(stream)))
		if err != nil {
			t.Fatal(err)
		}
		if len(events) != len(want) {
			t.Fatalf("%d events, want %d", len(events), len(want))
		}
		for i, e := range events {
			if got := (span{e.Time, e.Dur}); got != want[i] || e.Name != e.Detail {
				t.Fatalf("event %d of %d: %+v (%+v), want %+v", i, len(want), got, e, want[i])
			}
		}
	})
}

// The clock may run backwards by a few ticks between two cores. No record must then end before the
// previous one, or have a negative duration.
func TestClockRunsBackwards(t *testing.T) {
	var stream bytes.Buffer
	r := New(&stream, Options{})
	w := r.Worker("worker")
	base := fastclock.Now()
	w.putRecordSlot(first(Instant, 0), 0, base)
	w.putRecordSlot(first(Instant, 0), 0, base-100)
	ScopeMark{w: w, start: base + 500}.endAt(base + 400)
	w.putRecordSlot(first(Instant, 0), 0, base+300)
	w.Release()
	r.Close()
	_, events := readAll(t, stream.Bytes())
	if len(events) != 4 {
		t.Fatalf("%d events, want 4", len(events))
	}
	for i := 1; i < 4; i++ {
		if events[i].Time < events[i-1].Time || events[i].Dur != 0 {
			t.Errorf("%+v after %+v", events[i], events[i-1])
		}
	}
}

// TestTimesAreNanoseconds compares recorded times with times of package fastclock.
func TestTimesAreNanoseconds(t *testing.T) {
	var stream bytes.Buffer
	r := New(&stream, Options{})
	w := r.Worker("worker")
	for fastclock.Mark().Nanos-r.began.Nanos < 5e6 {
		runtime.Gosched()
	}
	now := fastclock.Now()
	ScopeMark{w: w, start: r.began.Tick + (now-r.began.Tick)/2}.endAt(now)
	w.Release()
	r.Close()
	_, events := readAll(t, stream.Bytes())
	want := fastclock.Between(r.began, fastclock.Mark()).Nanos(now) - r.began.Nanos
	for what, got := range map[string]int64{
		"end":            events[0].Time + events[0].Dur,
		"twice begun":    events[0].Time * 2,
		"twice duration": events[0].Dur * 2,
	} {
		if got < want*9/10 || got > want*11/10 {
			t.Errorf("%s: %d ns, want about %d", what, got, want)
		}
	}
}

// A buffer that is too old cannot express a record's time, so the worker must take a new buffer.
func TestWorkerReplacesOldBuffer(t *testing.T) {
	var stream bytes.Buffer
	r := New(&stream, Options{})
	w := r.Worker("worker")
	base := fastclock.Now() - 3<<timeBits
	for i := range int64(3) {
		w.putRecordSlot(first(Instant, 0), 0, base+i<<timeBits)
	}
	w.Release()
	r.Close()
	_, events := readAll(t, stream.Bytes())
	if len(events) != 3 || r.Stats().Events != 3 {
		t.Fatalf("%d events", len(events))
	}
	if a, b := events[1].Time-events[0].Time, events[2].Time-events[1].Time; a <= 0 || a-b > 2 || b-a > 2 {
		t.Errorf("%d and %d ns between the events, want the same", a, b)
	}
}

// TestFormat compares a stream with the format in the package's documentation. Later versions and
// other programs must be able to read streams of this version.
func TestFormat(t *testing.T) {
	buf := &buffer{row: 0, base: 1000, lost: 2}
	for _, s := range []slot{
		{first(Scope, 1) | 300, withDetail(2, 200)},
		{first(Scope, 1) | 310, withDetail(2, 309)},
		{first(Value, 2) | 310, math.Float64bits(1)},
	} {
		buf.slots[buf.used] = s
		buf.used++
	}
	var enc encoder
	b := appendStart([]byte(magic), time.Unix(0, 64))
	b = appendTable(b, blockNames, 0, []string{"", "a", "bc"})
	b = appendTable(b, blockRows, 0, []string{"w"})
	b = enc.appendRecords(b, buf, fastclock.Pair{Tick: 5000, Nanos: 2500}, fastclock.Pair{}, 3)
	var tell teller
	tell.marks, tell.ends = []openMark{{500, 1, 2}, {600, 2, 0}}, []int{2}
	b = tell.appendOpen(b, 0, fastclock.Pair{Tick: 6000, Nanos: 3000}, fastclock.Pair{}, 3)
	b = appendLost(b, 7)
	b = appendEnd(b, 3, 2)
	want := strings.ReplaceAll("894556454e545301"+
		"02000000 01 8001 79d8d1c7"+
		"08000000 02 00 03 00 0161 026263 0f164569"+
		"04000000 03 00 01 0177 8b20a83e"+
		"1b000000 04 03 00 02 8827 c413 d00f"+
		" 00 01 01 02 64 c801"+ // shape 0 is scope a, detail bc; it begins 100 ticks after the base and lasts 200
		" 03 0a b502"+ // same shape and detail, around the previous scope; it ends 10 ticks later and lasts 309
		" 06 03 02 00 bfe003 134f30aa"+ // shape 1 is value bc, 0 ticks later, with the number 1.0
		"11000000 07 f02e b817 00 01 01"+ // time stamp 6000 is 3000 ns; one row, starting at row 0; one row with open scopes
		" 00 02 e807 01 02 c801 02 00 bbde8e8e"+ // row 0 has two open scopes, which began at tick 500 and 100 ticks later
		"01000000 05 07 d38af831"+
		"02000000 06 03 02 841d556f", " ", "")
	if got := fmt.Sprintf("%x", b); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
