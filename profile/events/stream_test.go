package events

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/google/go-cmp/cmp"
)

// sample returns a stream with four blocks of records of one worker. It also returns the ends of
// the blocks, because a stream truncated before an end loses the events of the block.
func sample(t testing.TB) (stream []byte, ends []int) {
	var to bytes.Buffer
	r := New(&to, Options{})
	w := r.Worker("worker")
	for i := range 4 {
		everyCall(w) // Flushing before the outer scope ends puts the record of that scope into the next block.
		w.Instant(r.Symbol(strings.Repeat("name", i+1)), 0)
	}
	w.Release()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	stream = to.Bytes()
	for at := len(magic); at < len(stream); {
		n, _ := blockLen(stream[at:])
		at += n
		ends = append(ends, at)
	}
	return stream, ends
}

// eventsUpTo returns the events of the blocks that end at or before n.
func eventsUpTo(t testing.TB, stream []byte, ends []int, n int) []Event {
	whole := 0
	for _, end := range ends {
		if end <= n {
			whole = end
		}
	}
	if whole == 0 {
		return nil
	}
	if whole == len(stream) {
		_, events := readAll(t, stream)
		return events
	}
	_, events := readAll(t, appendEnd(stream[:whole:whole], 0, 0))
	return events
}

// TestTornStream truncates a stream anywhere. The reader must yield all whole blocks, then
// ErrDamaged once.
func TestTornStream(t *testing.T) {
	stream, ends := sample(t)
	for n := range len(stream) {
		s := Read(iotest.OneByteReader(bytes.NewReader(stream[:n])))
		got, err := collect(s)
		if !errors.Is(err, ErrDamaged) {
			t.Fatalf("%d of %d bytes: %v", n, len(stream), err)
		}
		if diff := cmp.Diff(eventsUpTo(t, stream, ends, n), got); diff != "" {
			t.Fatalf("%d of %d bytes: -want +got:\n%s", n, len(stream), diff)
		}
		if _, again := collect(s); again != err {
			t.Fatalf("%d of %d bytes: then %v", n, len(stream), again)
		}
	}
	if s, _ := readAll(t, stream); s.Dropped() != 0 || len(s.Workers()) != 1 {
		t.Errorf("whole stream: %d dropped, workers %q", s.Dropped(), s.Workers())
	}
}

// TestDamagedStream changes each byte of a stream. The reader must yield the blocks before that
// byte, then an error.
func TestDamagedStream(t *testing.T) {
	stream, ends := sample(t)
	for i := range stream {
		broken := bytes.Clone(stream)
		broken[i] ^= 0x10
		got, err := collect(Read(bytes.NewReader(broken)))
		if version := i == len(magic)-1; errors.Is(err, ErrDamaged) == version || err == nil {
			t.Fatalf("byte %d: %v", i, err)
		}
		if diff := cmp.Diff(eventsUpTo(t, stream, ends, i), got); diff != "" {
			t.Fatalf("byte %d: -want +got:\n%s", i, diff)
		}
	}
}

// The error of the underlying reader must be returned unchanged.
func TestReaderFails(t *testing.T) {
	stream, _ := sample(t)
	broken := errors.New("cable cut")
	for _, n := range []int{0, 4, 10, len(stream) / 2} {
		_, err := collect(Read(io.MultiReader(bytes.NewReader(stream[:n]), iotest.ErrReader(broken))))
		if !errors.Is(err, broken) || errors.Is(err, ErrDamaged) {
			t.Errorf("after %d bytes: %v, want %v", n, err, broken)
		}
	}
}

func TestBrokenLoopGoesOnWithTheNextEvent(t *testing.T) {
	stream, _ := sample(t)
	want, err := collectAll(Read(bytes.NewReader(stream))) // A slow recorder may also list open scopes.
	if err != nil {
		t.Fatal(err)
	}
	s := Read(bytes.NewReader(stream))
	if !s.Start().IsZero() || s.Workers() != nil {
		t.Error("something was read before the loop")
	}
	for i := range want {
		for e, err := range s.All() {
			if err != nil || e.Kind != want[i].Kind || e.Time != want[i].Time || e.Dur != want[i].Dur {
				t.Fatalf("event %d is %+v (%v), want %+v", i, e, err, want[i])
			}
			break
		}
	}
	for e, err := range s.All() {
		t.Errorf("%+v, %v after the end", e, err)
	}
	if since := time.Since(s.Start()); since < 0 || since > time.Minute {
		t.Errorf("recorded at %v", s.Start())
	}
}

// handmade returns a stream with one block of records, followed by a valid record. The argument is
// the content of the block after its counts.
func handmade(records ...byte) []byte {
	b := []byte(magic)
	b = appendTable(b, blockNames, 0, []string{"", "one", "two"})
	b = appendTable(b, blockRows, 0, []string{"worker"})
	b = append(openBlock(b, 77), "of a later version"...)
	b = sealBlock(b, len(b)-len("of a later version")-blockHead)
	from := len(b)
	b = openBlock(b, blockRecords)
	b = append(b, 2, 0, 0, 100, 100, 0) // records, row, lost, ticks, nanoseconds, base
	b = append(b, records...)
	b = sealBlock(b, from)
	return appendEnd(b, 0, 0)
}

// The stream has unknown kinds of blocks and records, as a later version may write them.
func TestUnknownKindsAreSkipped(t *testing.T) {
	// The first record has shape 0, kind 99, name 1, detail 2, time 5 and three bytes. The second
	// record is an instant with shape 1 and the same detail.
	stream := handmade(0<<2, 99, 1, 2, 5, 3, 'a', 'b', 'c',
		1<<2|flagSameDetail, byte(Instant), 1, 7)
	_, got := readAll(t, stream)
	want := []Event{{Kind: Instant, Name: "one", Detail: "two", Time: 12}}
	if !cmp.Equal(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

// Invalid records must count as damage, even if the checksum of the block is right.
func TestInvalidRecordsAreDamage(t *testing.T) {
	good := []byte{flagSameDetail, byte(Instant), 1, 7, flagSameDetail, 7}
	if _, got := readAll(t, handmade(good...)); len(got) != 2 {
		t.Fatalf("the good ones: %+v", got)
	}
	for name, records := range map[string][]byte{
		"too few":           good[:4],
		"shape of nowhere":  {1<<2 | flagSameDetail, byte(Instant), 1, 7, flagSameDetail, 7},
		"name of nowhere":   {flagSameDetail, byte(Instant), 3, 7, flagSameDetail, 7},
		"detail of nowhere": {0, byte(Instant), 1, 3, 7, flagSameDetail, 7},
		"time out of range": append([]byte{flagSameDetail, byte(Instant), 1}, binary.AppendUvarint(nil, maxTick)...),
		"end of time":       append(binary.AppendUvarint([]byte{flagSameDetail, byte(Instant), 1}, maxTick-1), flagSameDetail, 2),
		"too many values": append(binary.AppendUvarint([]byte{flagSameDetail, byte(Vector), 1, 7}, maxValues+1),
			make([]byte, maxValues+1+4)...),
		"data cut short": {flagSameDetail, byte(User), 1, 7, 3, 'a', 'b'},
		"endless number": append([]byte{flagSameDetail, byte(FlowIn), 1, 7}, bytes.Repeat([]byte{0xff}, 11)...),
	} {
		s := Read(bytes.NewReader(handmade(records...)))
		_, err := collect(s)
		if !errors.Is(err, ErrDamaged) {
			t.Errorf("%s: %v", name, err)
		}
		if _, again := collect(s); again != err {
			t.Errorf("%s: then %v", name, again)
		}
	}
}

// Tables with gaps or too many names, and unknown rows, must count as damage.
func TestInvalidBlocksAreDamage(t *testing.T) {
	for name, block := range map[string][]byte{
		"names after a gap": appendTable(nil, blockNames, 4, []string{"three is missing"}),
		"too many rows":     appendTable(nil, blockRows, 1, make([]string, maxRows)),
		"row of nowhere":    sealBlock(append(openBlock(nil, blockRecords), 0, 1, 0, 100, 100, 0), 0),
		"begins too late": sealBlock(binary.AppendVarint(append(openBlock(nil, blockRecords), 0, 0, 0, 100, 100),
			maxTick+1), 0),
		"open on an unknown row": sealBlock(append(openBlock(nil, blockOpen), 100, 100, 0, 2, 0), 0),
		"open outside its rows":  sealBlock(append(openBlock(nil, blockOpen), 100, 100, 0, 1, 1, 1, 1, 10, 1, 2), 0),
		"open without a name":    sealBlock(append(openBlock(nil, blockOpen), 100, 100, 0, 1, 1, 0, 1, 10, 3, 2), 0),
		"open and torn":          sealBlock(append(openBlock(nil, blockOpen), 100, 100, 0, 1, 1, 0, 2, 10, 1, 2), 0),
		"no content":             sealBlock(openBlock(nil, blockEnd), 0),
	} {
		b := appendTable([]byte(magic), blockNames, 0, []string{"zero", "one", "two"})
		b = appendTable(b, blockRows, 0, []string{"worker"})
		if _, err := collect(Read(bytes.NewReader(append(b, block...)))); !errors.Is(err, ErrDamaged) ||
			strings.Contains(err.Error(), "last block") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestRepeatedTablesChangeNothing(t *testing.T) {
	b := appendTable([]byte(magic), blockRows, 0, []string{"first", "second"})
	b = appendTable(b, blockRows, 1, []string{"second", "third"})
	s, _ := readAll(t, appendEnd(b, 0, 0))
	if got := s.Workers(); !cmp.Equal(got, []string{"first", "second", "third"}) {
		t.Errorf("workers %q", got)
	}
}

// Large counts in a forged stream must not overflow.
func TestHugeCounts(t *testing.T) {
	b := appendLost([]byte(magic), math.MaxInt64-1)
	b = appendLost(b, 5)
	s, _ := readAll(t, appendEnd(b, -1, -1))
	if got := s.Dropped(); got != math.MaxInt64 {
		t.Errorf("%d dropped", got)
	}
}

// Reading must not allocate for each event.
func TestReadingAllocatesLittle(t *testing.T) {
	var stream bytes.Buffer
	r := New(&stream, Options{})
	w := r.Worker("worker")
	for range 1000 {
		w.Vector(0, 1, 2, 3)
		w.User(0, []byte("data"))
		w.Begin(0, 0).End()
	}
	w.Release()
	r.Close()
	n := testing.AllocsPerRun(10, func() {
		for _, err := range Read(bytes.NewReader(stream.Bytes())).All() {
			if err != nil {
				t.Fatal(err)
			}
		}
	})
	if n > 100 {
		t.Errorf("%v allocations for 3000 events", n)
	}
}

// FuzzRead reads any bytes and blocks. The reader must not panic, or yield more than the input
// holds. It must not allocate memory just because a length field is large.
func FuzzRead(f *testing.F) {
	stream, _ := sample(f)
	f.Add(stream)
	f.Add(stream[:len(stream)/2])
	f.Add([]byte(magic))
	f.Add(append([]byte(magic), 0xff, 0xff, 0xff, 0xff, blockRecords))
	f.Fuzz(func(t *testing.T, data []byte) {
		checkRead(t, data)
	})
}

// FuzzBlock is FuzzRead with valid checksums, so that it reaches more code. It fuzzes the content
// of a block of each kind, after tables and before the end.
func FuzzBlock(f *testing.F) {
	stream, ends := sample(f)
	for i := range ends[1:] {
		kind, content, _ := openedBlock(stream[ends[i]:ends[i+1]])
		f.Add(kind, content)
	}
	huge := []byte{1, 0, 0} // The clock is so fast that a duration overflows.
	huge = binary.AppendUvarint(huge, 1<<30+1)
	huge = binary.AppendUvarint(huge, 1<<60)
	huge = append(huge, 0, flagSameDetail, byte(Scope), 1, 0)
	f.Add(byte(blockRecords), binary.AppendUvarint(huge, 1<<33))
	f.Add(byte(blockOpen), []byte{100, 100, 0, 1, 1, 0, 2, 10, 1, 2, 4, 2, 0})
	f.Add(byte(blockLost), []byte{5})
	f.Add(byte(blockNames), []byte{0, 0xff, 0xff, 3, 0, 0, 0})
	f.Fuzz(func(t *testing.T, kind byte, content []byte) {
		if len(content) > maxBlock {
			return
		}
		data := handmade(flagSameDetail, byte(Instant), 1, 7, flagSameDetail, 7)
		data = data[:len(data)-blockHead-2-blockSum] // Drop the last block.
		from := len(data)
		data = sealBlock(append(openBlock(data, kind), content...), from)
		checkRead(t, appendEnd(data, 0, 0))
	})
}

func checkRead(t *testing.T, data []byte) {
	s := Read(bytes.NewReader(data))
	n, failed := 0, false
	for e, err := range s.All() {
		if failed {
			t.Fatal("the reader yielded an event after an error")
		}
		if err != nil {
			if failed = true; !errors.Is(err, ErrDamaged) && !strings.Contains(err.Error(), "version") {
				t.Fatal(err)
			}
			continue
		}
		n++
		if e.Kind < Scope || e.Kind > Open || e.Dur < 0 || e.Worker < 0 || e.Worker >= len(s.Workers()) ||
			len(e.Values) > maxValues || len(e.Data) > maxData {
			t.Fatalf("%+v", e)
		}
	}
	if n > len(data)/2 {
		t.Errorf("%d events in %d bytes", n, len(data))
	}
	if cap(s.block) > 2*(maxBlock+blockHead+blockSum) || len(s.names) > len(data) || len(s.rows) > len(data) || s.Dropped() < 0 {
		t.Errorf("%d bytes for blocks, %d names, %d rows, %d dropped", cap(s.block), len(s.names), len(s.rows), s.Dropped())
	}
}
