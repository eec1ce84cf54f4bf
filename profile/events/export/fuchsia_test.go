package export

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/profile/events"
)

// fxtWords reads a record word by word.
type fxtWords struct {
	t     failer
	left  []byte
	table map[uint64]string
}

func (w *fxtWords) word() uint64 {
	w.t.Helper()
	if len(w.left) < 8 {
		w.t.Fatalf("record is too short")
	}
	v := binary.LittleEndian.Uint64(w.left)
	w.left = w.left[8:]
	return v
}

func (w *fxtWords) inline(n uint64) string {
	w.t.Helper()
	words := (n + 7) / 8 * 8
	if uint64(len(w.left)) < words {
		w.t.Fatalf("string of %d bytes in %d", n, len(w.left))
	}
	s := string(w.left[:n])
	w.left = w.left[words:]
	return s
}

// text returns the string that a reference means.
func (w *fxtWords) text(ref uint64) string {
	w.t.Helper()
	if ref&0x8000 != 0 {
		return w.inline(ref & 0x7fff)
	}
	s, ok := w.table[ref]
	if !ok && ref != 0 {
		w.t.Fatalf("string %d is not in the table", ref)
	}
	return s
}

// argument returns the name and the 64 bits of an argument.
func (w *fxtWords) argument() (kind uint64, name string, value uint64) {
	w.t.Helper()
	h := w.word()
	if size := h >> 4 & 0xfff; size != 2 {
		w.t.Fatalf("argument of %d words", size)
	}
	return h & 15, w.text(h >> 16 & 0xffff), w.word()
}

// readFuchsia reads as the documentation of the Fuchsia trace format says.
func readFuchsia(t failer, trace []byte) reading {
	t.Helper()
	type process struct{ pid, tid uint64 }
	var (
		r       reading
		table   = map[uint64]string{}
		threads = map[uint64]process{}
		names   = map[uint64]string{}
		first   = true
		last    = map[uint64]string{} // title of the last span of a thread
		from    = map[uint64]string{} // and of that which a flow left
	)
	for len(trace) > 0 {
		if len(trace) < 8 {
			t.Fatalf("%d bytes left over", len(trace))
		}
		h := binary.LittleEndian.Uint64(trace)
		size := h >> 4 & 0xfff * 8
		if size == 0 || size > uint64(len(trace)) {
			t.Fatalf("record of %d bytes in %d", size, len(trace))
		}
		w := &fxtWords{t, trace[8:size], table}
		trace = trace[size:]
		if first && h != 0x0016547846040010 {
			t.Fatalf("begins with %x", h)
		}
		switch kind := h & 15; kind {
		case 0:
			if !first {
				t.Fatalf("metadata %x", h)
			}
		case 1:
			if ticks := w.word(); ticks != 1_000_000_000 {
				t.Fatalf("%d ticks a second", ticks)
			}
		case 2:
			table[h>>16&0x7fff] = w.inline(h >> 32 & 0x7fff)
		case 3:
			threads[h>>16&0xff] = process{w.word(), w.word()}
		case 4:
			at := w.word()
			thread, ok := threads[h>>24&0xff]
			if h>>24&0xff == 0 {
				thread = process{w.word(), w.word()}
			} else if !ok {
				t.Fatalf("thread %d is not in the table", h>>24&0xff)
			}
			category, title := w.text(h>>32&0xffff), w.text(h>>48)
			var args []uint64
			for range h >> 20 & 15 {
				_, _, v := w.argument()
				args = append(args, v)
			}
			row := names[thread.tid]
			switch kind := h >> 16 & 15; kind {
			case 0:
				m := readMark{row, category, title, int64(at), 0}
				if len(args) > 0 {
					m.bytes = args[0]
				}
				r.marks = append(r.marks, m)
				last[thread.tid] = title
			case 1:
				w.word()
				r.samples = append(r.samples, readSample{title, int64(at), math.Float64frombits(args[0])})
			case 4:
				r.slices = append(r.slices, readSlice{row, category, title, int64(at), int64(w.word() - at)})
				last[thread.tid] = title
			case 8:
				from[w.word()] = last[thread.tid]
			case 10:
				r.arrows = append(r.arrows, readArrow{fmt.Sprint(w.word()), last[thread.tid]})
			default:
				t.Fatalf("event of type %d", kind)
			}
		case 7:
			id := w.word()
			name := w.text(h >> 24 & 0xffff)
			switch h >> 16 & 0xff {
			case 1:
				r.process = name
			case 2:
				if kind, key, pid := w.argument(); kind != 8 || key != "process" || pid != 1 {
					t.Fatalf("thread of %s %d (%d)", key, pid, kind)
				}
				names[id] = name
				r.rows = append(r.rows, name)
			}
		default:
			t.Fatalf("record of type %d", kind)
		}
		if len(w.left) > 0 {
			t.Fatalf("record %x has %d bytes too many", h, len(w.left))
		}
		first = false
	}
	for i, a := range r.arrows { // an arrow may arrive in a row that stands before
		var id uint64
		fmt.Sscan(a.from, &id)
		r.arrows[i].from = from[id]
	}
	mustNest(t, r.slices)
	return r
}

// Rows beyond the thread table and names beyond the string table stand in the events.
func TestFuchsiaTablesAreFull(t *testing.T) {
	var list []events.Event
	want := reading{process: "recording"}
	for i := range 300 {
		name := fmt.Sprintf("worker %d", i)
		want.rows = append(want.rows, name)
		list = append(list, scope(i, "a", "", int64(i), int64(i+5)))
		want.slices = append(want.slices, readSlice{name, "a", "a", int64(i), 5})
	}
	for i := range 33_000 {
		title := fmt.Sprintf("asset %d", i)
		list = append(list, scope(0, "a", title, int64(10*i+10), int64(10*i+20)))
		want.slices = append(want.slices, readSlice{"worker 0", "a", title, int64(10*i + 10), 10})
	}
	list = append(list, amount(events.Value, 299, "late", 7, 1))
	want.samples = []readSample{{"late", 7, 1}}
	got := readFuchsia(t, writtenBy(t, WriteFuchsia, Recording{Events: given(list...)}))
	if off := got.differs(want); off != "" {
		t.Error(off)
	}
}

// What is longer than a record may be ends earlier, between two characters, also
// when both strings stand in the event.
func TestFuchsiaLongNames(t *testing.T) {
	list := make([]events.Event, 0, 33_001)
	for i := range 33_000 {
		list = append(list, scope(0, "a", fmt.Sprint(i), int64(i), int64(i)))
	}
	name, detail := strings.Repeat("n", 14_999)+"é", strings.Repeat("d", 40_000)
	list = append(list, scope(0, name, detail, 33_000, 33_001))
	got := readFuchsia(t, writtenBy(t, WriteFuchsia, Recording{Events: given(list...)})).slices
	want := readSlice{"worker 0", name[:14_999], detail[:15_000], 33_000, 1}
	if !slices.Contains(got, want) {
		t.Errorf("the long slice is missing or too long")
	}
}

func TestFuchsiaSize(t *testing.T) {
	const n = 10_000
	got := float64(len(writtenBy(t, WriteFuchsia, Recording{Events: nestedScopes(n)}))) / n
	if got > 24.5 {
		t.Errorf("%.1f bytes a slice", got)
	}
}
