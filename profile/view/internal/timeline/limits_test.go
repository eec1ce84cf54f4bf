package timeline

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/profile/events"
)

// sideBySide returns a row of scopes of 3 ns, 10 ns apart.
func sideBySide(n int) *story {
	s := &story{names: []string{"", "short", "longer"}, rows: make([][]happening, 1)}
	for i := range n {
		h := happening{kind: events.Scope, name: 1, start: int64(10 * i), end: int64(10*i + 3), flush: i%1000 == 0}
		if i%100 == 50 {
			h.name, h.end = 2, h.end+1
		}
		s.rows[0] = append(s.rows[0], h)
	}
	return s
}

// An answer must not have more spans than a page can draw. All scopes must be counted, and a merged
// span must have the name of its longest scope.
func TestAnswersAreBounded(t *testing.T) {
	s := sideBySide(20_000)
	for row := range 9 {
		s.rows = append(s.rows, s.rows[row])
	}
	rec := New(events.OpenTape(s.stream()))
	w, err := rec.Window(t.Context(), 0, s.end(), math.MaxInt)
	if err != nil {
		t.Fatal(err)
	}
	spans, count := 0, int64(0)
	for row := range s.rows {
		for _, span := range w.spans(row) {
			spans++
			count += span.count
			if span.count > 1 && span.name != "longer" && span.start%1000 < 500 && span.start%1000+span.dur > 500 {
				t.Fatalf("%+v has the name of a shorter one", span)
			}
		}
	}
	if spans > mostSpans || spans < mostSpans/8 || count != 10*20_000 {
		t.Errorf("%d spans stand for %d", spans, count)
	}
	if w, err = rec.Window(t.Context(), 100, 200, 3); err != nil || w.Rows[0].Spans[5] < 3 {
		t.Errorf("%v, %+v", err, w)
	}
}

// Long names must be shortened if their total length is too large.
func TestLongNamesAreCut(t *testing.T) {
	s := &story{names: []string{""}, rows: make([][]happening, 1)}
	for i := range 300 {
		name := s.name(strings.Repeat(string(rune('a'+i%26)), 40_000) + fmt.Sprint(i))
		s.rows[0] = append(s.rows[0], happening{kind: events.Instant, name: name, start: int64(10 * i), end: int64(10 * i)})
	}
	var stream []byte // The names need several blocks, because a block holds at most 256 KiB.
	whole := *s
	whole.names = whole.names[:1]
	stream = whole.stream()
	at := bytes.Index(stream, []byte("row a")) - 8 // position of the block that lists the rows
	var names []byte
	for i := 1; i < len(s.names); i++ {
		c := appendStrings(nil, s.names[i:i+1])
		c = append([]byte{byte(i&0x7f | 0x80), byte(i >> 7)}, c[1:]...)
		names = appendBlock(names, 2, c)
	}
	tape := events.OpenTape(slices.Concat(stream[:at], names, stream[at:]))
	if err := tape.State().Err; err != nil {
		t.Fatal(err)
	}
	w, err := New(tape).Window(t.Context(), 0, 3000, 8000)
	if err != nil || len(w.Names) < 300 {
		t.Fatal(len(w.Names), err)
	}
	for _, name := range w.Names {
		if len(name) > mostNameBytes+len("…") {
			t.Fatalf("a name of %d bytes", len(name))
		}
	}
}

// A window must have the arrows that overlap it, and the instants within it.
func TestFlowsAndInstants(t *testing.T) {
	s := &story{names: []string{"", "sent", "read"}, rows: [][]happening{
		{{kind: events.FlowOut, flow: 7, start: 10, end: 10}, {kind: events.Instant, name: 1, start: 20, end: 20}},
		{{kind: events.FlowIn, flow: 7, start: 90, end: 90}, {kind: events.FlowIn, flow: 8, start: 95, end: 95}},
		{{kind: events.FlowIn, flow: 7, start: 300, end: 300}, {kind: events.Instant, name: 2, start: 310, end: 310}},
	}}
	rec := New(events.OpenTape(s.stream()))
	for _, tc := range []struct {
		from, to        int64
		flows, instants []int64
	}{
		{0, 400, []int64{0, 10, 1, 90, 0, 10, 2, 300}, []int64{0, 20, 2, 310}},
		{30, 40, []int64{0, 10, 1, 90, 0, 10, 2, 300}, nil},
		{100, 310, []int64{0, 10, 2, 300}, []int64{2, 310}},
		{311, 400, nil, nil},
	} {
		w, err := rec.Window(t.Context(), tc.from, tc.to, 1000)
		if err != nil {
			t.Fatal(err)
		}
		var instants []int64
		for i := range slices.Chunk(w.Instants, 4) {
			instants = append(instants, i[0], i[1])
		}
		if !slices.Equal(w.Flows, tc.flows) || !slices.Equal(instants, tc.instants) {
			t.Errorf("from %d to %d: flows %v, instants %v", tc.from, tc.to, w.Flows, instants)
		}
	}
}

// The tape has dropped its oldest blocks. Windows must show the remaining blocks.
func TestWindowsShowTheRemainingBlocks(t *testing.T) {
	s := sideBySide(20_000)
	stream := s.stream()
	tape := events.NewTape(30_000)
	rec := New(tape)
	for len(stream) > 0 {
		n := min(len(stream), 7000)
		if _, err := tape.Write(stream[:n]); err != nil {
			t.Fatal(err)
		}
		stream = stream[n:]
		w, err := rec.Window(t.Context(), 0, math.MaxInt64, 100)
		if err != nil {
			t.Fatal(err)
		}
		count, kept := int64(0), int64(0)
		for _, span := range w.spans(0) {
			count += span.count
		}
		for _, b := range tape.State().Blocks {
			kept += int64(b.Records)
		}
		if count != kept {
			t.Fatalf("got %d scopes, the tape has %d", count, kept)
		}
	}
	if tape.State().Forgotten == 0 {
		t.Error("nothing was dropped")
	}
	sums, err := rec.Sums(t.Context(), Query{To: math.MaxInt64, Row: -1})
	if err != nil || sums.Names[0].Count+sums.Names[1].Count+tape.State().Forgotten != 20_000 {
		t.Errorf("%v, %+v", err, sums.Names)
	}
}

// FuzzRecording makes all kinds of queries about recordings with arbitrary blocks.
func FuzzRecording(f *testing.F) {
	s := sideBySide(30)
	list := s.rows[0]
	f.Add(recordsOf(0, 500, list), recordsOf(0, 500, list[:3]), int64(0), int64(100), 10)
	f.Add(recordsOf(0, 1<<60, list), recordsOf(0, 3, list), int64(-5), int64(math.MaxInt64), 0)
	f.Fuzz(func(t *testing.T, one, two []byte, from, to int64, width int) {
		if len(one)+len(two) > 1<<16 {
			return
		}
		stream := []byte("\x89EVENTS\x01")
		stream = appendBlock(stream, 2, appendStrings(nil, []string{"", "a", "b", "c"}))
		stream = appendBlock(stream, 3, appendStrings(nil, []string{"row a", "row b"}))
		for _, content := range [][]byte{one, two, one} {
			stream = appendBlock(stream, 4, content)
		}
		stream = appendBlock(stream, 7, two)
		rec := New(events.OpenTape(stream))
		w, err := rec.Window(t.Context(), from, to, width)
		if err != nil || len(w.Rows) > 2 {
			t.Fatal(err)
		}
		if _, err := rec.Sums(t.Context(), Query{From: from, To: to, Row: -1}); err != nil {
			t.Fatal(err)
		}
		p, err := rec.Paths(t.Context(), from, to, -1)
		if err != nil {
			t.Fatal(err)
		}
		own := int64(0)
		for n := range slices.Chunk(p.Nodes, pathFields) {
			if own += n[4]; n[4] < 0 {
				t.Fatalf("own time %d", n[4])
			}
		}
		if own != p.Total {
			t.Fatalf("own times sum to %d, want %d", own, p.Total)
		}
		for _, backwards := range []bool{false, true} {
			if _, err := rec.Find(t.Context(), "A", from, backwards); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := rec.Values(t.Context(), from, to, width, []string{"a", "b"}); err != nil {
			t.Fatal(err)
		}
		if c, err := Compare(t.Context(), rec, rec); err != nil || len(c.Scopes) > 0 {
			t.Fatal(c, err)
		}
	})
}
