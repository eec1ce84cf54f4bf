package events

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// played records random work of several workers, and returns the resulting stream.
func played(t *rapid.T) []byte {
	var to bytes.Buffer
	r, tick := ticking(&to)
	var workers []*Worker
	for i := range rapid.IntRange(1, 4).Draw(t, "workers") {
		workers = append(workers, r.Worker(fmt.Sprint("worker ", i)))
	}
	marks := make([][]ScopeMark, len(workers))
	for range rapid.IntRange(0, 200).Draw(t, "steps") {
		i := rapid.IntRange(0, len(workers)-1).Draw(t, "worker")
		w := workers[i]
		name := r.Symbol(fmt.Sprint("name ", rapid.IntRange(0, 300).Draw(t, "name")))
		switch rapid.IntRange(0, 13).Draw(t, "what") {
		case 0, 1, 2, 3:
			marks[i] = append(marks[i], w.Begin(name, name/2))
		case 4, 5, 6, 7:
			if n := len(marks[i]); n > 0 {
				marks[i][n-1].End()
				marks[i] = marks[i][:n-1]
			}
		case 8:
			w.Instant(name, name/3)
		case 9:
			w.Value(name, rapid.Float64().Draw(t, "value"))
		case 10:
			w.Vector(name, rapid.SliceOfN(rapid.Float64(), 0, 5).Draw(t, "vector")...)
			w.User(name, rapid.SliceOfN(rapid.Byte(), 0, 20).Draw(t, "data"))
		case 11:
			w.Alloc(name, 100)
			w.Free(name, 50)
			w.FlowOut(uint64(i) + 1)
			w.FlowIn(1)
		case 12:
			w.Flush()
		case 13:
			tick()
		}
	}
	for _, w := range workers {
		w.Flush()
	}
	r.Close()
	return to.Bytes()
}

// unrolled returns a tape's events in the order of the stream, up to the first damage.
func unrolled(t rapid.TB, tape *Tape) (list []Event, err error) {
	var records []Record
	blocks := tape.State().Blocks
	names := tape.State().Names
	for i := range blocks {
		b := &blocks[i]
		records, err = tape.Read(b, records[:0])
		if b.Row >= 0 && len(records) > b.Records {
			t.Fatalf("%d records in a block of %d", len(records), b.Records)
		}
		for j := range records {
			list = append(list, b.event(&records[j], names))
		}
		if err != nil {
			return list, err
		}
	}
	return list, tape.State().Err
}

func (b *Block) event(r *Record, names []string) Event {
	return Event{Kind: r.Kind, Worker: int(r.Row), Name: names[r.Name], Detail: names[r.Detail], Time: r.Start, Dur: r.Dur,
		Values: b.Values(r, nil), Flow: flowOf(r), Data: bytes.Clone(b.Data(r))}
}

func flowOf(r *Record) uint64 {
	if r.Kind == FlowOut || r.Kind == FlowIn {
		return r.Flow()
	}
	return 0
}

// collectAll reads a stream, including the open scopes between its records.
func collectAll(s *Stream) (list []Event, err error) {
	for e, err := range s.All() {
		if err != nil {
			return list, err
		}
		e.Values, e.Data = slices.Clone(e.Values), bytes.Clone(e.Data)
		list = append(list, e)
	}
	return list, nil
}

// sameAsRead checks that a tape and Read yield the same events for the same bytes.
func sameAsRead(t rapid.TB, tape *Tape, data []byte) {
	t.Helper()
	s := Read(bytes.NewReader(data))
	want, wantErr := collectAll(s)
	got, err := unrolled(t, tape)
	same := cmp.Comparer(func(a, b []byte) bool { return bytes.Equal(a, b) })
	floats := cmp.Comparer(func(a, b []float64) bool { return fmt.Sprint(a) == fmt.Sprint(b) }) // The comparison treats NaN as equal to NaN.
	if diff := cmp.Diff(want, got, same, floats); diff != "" {
		t.Fatalf("of %d bytes, -Read +Tape:\n%s", len(data), diff)
	}
	if fmt.Sprint(err) != fmt.Sprint(wantErr) {
		t.Fatalf("of %d bytes: %v, want %v", len(data), err, wantErr)
	}
	if !slices.Equal(tape.State().Workers, s.Workers()) || !tape.State().Start.Equal(s.Start()) || tape.State().Dropped != s.Dropped() {
		t.Fatalf("%q from %v, %d dropped; want %q from %v, %d", tape.State().Workers, tape.State().Start, tape.State().Dropped,
			s.Workers(), s.Start(), s.Dropped())
	}
	var open []Event
	for _, r := range tape.Open() {
		open = append(open, new(Block).event(&r, tape.State().Names))
	}
	if diff := cmp.Diff(s.Open(), open, floats); diff != "" && !(len(open) == 0 && len(s.Open()) == 0) {
		t.Fatalf("open: -Read +Tape:\n%s", diff)
	}
}

// TestTapeAgreesWithRead uses whole, truncated and damaged recordings. It also writes recordings to
// the tape in pieces.
func TestTapeAgreesWithRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := played(t)
		switch rapid.IntRange(0, 2).Draw(t, "harm") {
		case 1:
			data = data[:rapid.IntRange(0, len(data)-1).Draw(t, "torn")]
		case 2:
			data = bytes.Clone(data)
			data[rapid.IntRange(0, len(data)-1).Draw(t, "damaged")] ^= 1 << rapid.IntRange(0, 7).Draw(t, "bit")
		}
		sameAsRead(t, OpenTape(data), data)

		live := NewTape(0)
		for rest := data; len(rest) > 0; {
			n := min(rapid.SampledFrom([]int{1, 3, 50, 1000, 1 << 20}).Draw(t, "cut"), len(rest))
			if _, err := live.Write(bytes.Clone(rest[:n])); err != nil {
				break
			}
			rest = rest[n:]
		}
		got, _ := unrolled(t, live)
		want, _ := unrolled(t, OpenTape(data))
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Fatalf("in pieces: got %v\nwant %v", got, want)
		}
	})
}

// TestTapeAgreesWithReadOnDamage truncates the stream at each byte, and changes each byte.
func TestTapeAgreesWithReadOnDamage(t *testing.T) {
	data, _ := sample(t)
	sameAsRead(t, OpenTape(data), data)
	for i := range data {
		broken := bytes.Clone(data)
		broken[i] ^= 0x10
		sameAsRead(t, OpenTape(broken), broken)
		sameAsRead(t, OpenTape(data[:i]), data[:i])
	}
}

func TestBoundedTapeKeepsTheLatestBlocks(t *testing.T) {
	const flushes = 100
	var to bytes.Buffer
	r := New(&to, Options{Buffers: flushes + 2})
	w := r.Worker("worker")
	for i := range flushes {
		w.Instant(r.Symbol(fmt.Sprint(i)), 0)
		w.Flush()
	}
	w.Release()
	r.Close()
	const keep = 4 << 10
	tape := NewTape(keep)
	if _, err := tape.Write(to.Bytes()); err != nil || !tape.State().Ended {
		t.Fatal(err)
	}
	list, err := unrolled(t, tape)
	if err != nil || len(list) == 0 || len(list) > keep/blockCost {
		t.Fatalf("%d events, %v", len(list), err)
	}
	if first := flushes - len(list); list[0].Name != fmt.Sprint(first) || tape.State().Forgotten != int64(first) {
		t.Errorf("the first of %d is %q, %d forgotten", len(list), list[0].Name, tape.State().Forgotten)
	}
	if b := tape.State().Blocks; b[len(b)-1].Number != flushes-1 {
		t.Errorf("the last block has the number %d", b[len(b)-1].Number)
	}
}

// Several goroutines read a tape while it is written.
func TestTapeWhileWritten(t *testing.T) {
	tape := NewTape(1 << 20)
	r := New(tape, Options{})
	var readers sync.WaitGroup
	done := make(chan struct{})
	for range 2 {
		readers.Go(func() {
			for more := true; more; {
				select {
				case <-done:
					more = false
				default:
				}
				if _, err := unrolled(t, tape); err != nil {
					t.Error(err)
				}
				tape.Open()
			}
		})
	}
	w := r.Worker("worker")
	for i := range 200_000 {
		w.Begin(r.Symbol(fmt.Sprint("name ", i%1000)), 0).End()
	}
	w.Release()
	r.Close()
	close(done)
	readers.Wait()
	if s := r.Stats(); int(s.Events) != count(t, tape)+int(tape.State().Forgotten) || tape.State().Dropped != s.Dropped {
		t.Errorf("%d records and %d forgotten, %d dropped: %+v", count(t, tape), tape.State().Forgotten, tape.State().Dropped, s)
	}
}

func count(t rapid.TB, tape *Tape) int {
	list, err := unrolled(t, tape)
	if err != nil {
		t.Fatal(err)
	}
	return len(slices.DeleteFunc(list, func(e Event) bool { return e.Kind == Open }))
}

func TestTapeOfFeed(t *testing.T) {
	feed := NewFeed()
	r := New(feed, Options{})
	tape := NewTape(0)
	done := make(chan error)
	go func() { done <- feed.WriteStream(context.Background(), tape) }()
	w := r.Worker("worker")
	w.Instant(r.Symbol("late or not"), 0)
	w.Release()
	r.Close()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if !tape.State().Ended || tape.State().Err != nil || !slices.Equal(tape.State().Workers, []string{"worker"}) {
		t.Errorf("ended %v (%v), workers %q", tape.State().Ended, tape.State().Err, tape.State().Workers)
	}
}

// For any input, a tape must not panic, and must not take much more memory than the input.
func FuzzTape(f *testing.F) {
	stream, _ := sample(f)
	f.Add(stream, uint16(7))
	f.Add(stream[:len(stream)/2], uint16(100))
	f.Add(append([]byte(magic), 0xff, 0xff, 0xff, 0xff, blockRecords), uint16(1))
	f.Add(handmade(flagSameDetail, byte(Instant), 1, 7, flagSameDetail, 7), uint16(3))
	f.Fuzz(func(t *testing.T, data []byte, cut uint16) {
		checkTape(t, data, int(cut)+1)
	})
}

// FuzzTapeBlock is FuzzTape with valid checksums.
func FuzzTapeBlock(f *testing.F) {
	stream, ends := sample(f)
	for i := range ends[1:] {
		kind, content, _ := openedBlock(stream[ends[i]:ends[i+1]])
		f.Add(kind, content)
	}
	f.Add(byte(blockOpen), []byte{100, 100, 0, 1, 1, 0, 2, 10, 1, 2, 4, 2, 0})
	f.Fuzz(func(t *testing.T, kind byte, content []byte) {
		if len(content) > maxBlock {
			return
		}
		data := handmade(flagSameDetail, byte(Instant), 1, 7, flagSameDetail, 7)
		data = data[:len(data)-blockHead-2-blockSum] // Drop the last block.
		from := len(data)
		data = sealBlock(append(openBlock(data, kind), content...), from)
		checkTape(t, appendEnd(data, 0, 0), 10)
	})
}

func checkTape(t *testing.T, data []byte, cut int) {
	tape := OpenTape(data)
	if err := tape.State().Err; err != nil && !errors.Is(err, ErrDamaged) && !strings.Contains(err.Error(), "version") {
		t.Fatal(err)
	}
	list, _ := unrolled(t, tape)
	if blocks := tape.State().Blocks; len(list) > len(data) || len(blocks) > len(data)/blockHead || cap(tape.skim.names) > 2*len(data) {
		t.Fatalf("%d bytes, %d events in %d blocks", len(data), len(list), len(blocks))
	}
	tape.Open()
	want, _ := collectAll(Read(bytes.NewReader(data)))
	if len(want) > len(list) || fmt.Sprint(want) != fmt.Sprint(list[:len(want)]) {
		t.Fatalf("Read gives %v, the tape %v", want, list)
	}
	live := NewTape(1 << 10)
	for rest := data; len(rest) > 0; rest = rest[min(cut, len(rest)):] {
		if _, err := live.Write(rest[:min(cut, len(rest))]); err != nil {
			break
		}
	}
	if cap(live.cut.pending) > 3*maxBlock || live.cut.held > 1<<10+blockCost+maxBlock {
		t.Fatalf("%d bytes pending, %d held", cap(live.cut.pending), live.cut.held)
	}
	unrolled(t, live)
	live.Open()
}
