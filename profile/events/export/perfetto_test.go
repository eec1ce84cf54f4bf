package export

import (
	"encoding/binary"
	"maps"
	"math"
	"slices"
	"testing"

	"github.com/assetcook/assetcook/profile/events"
)

// A pbField is one field of a protocol buffer message.
type pbField struct {
	number uint64
	value  uint64 // number of a varint or fixed64 field
	bytes  []byte
}

type pbMessage []pbField

// pb parses a message with the three wire types that the package uses.
func pb(t failer, b []byte) pbMessage {
	t.Helper()
	var m pbMessage
	varint := func() uint64 {
		v, n := binary.Uvarint(b)
		if n <= 0 {
			t.Fatalf("bad varint in message")
		}
		b = b[n:]
		return v
	}
	for len(b) > 0 {
		tag := varint()
		f := pbField{number: tag >> 3}
		switch tag & 7 {
		case 0:
			f.value = varint()
		case 1:
			f.value = binary.LittleEndian.Uint64(b)
			b = b[8:]
		case 2:
			n := varint()
			f.bytes, b = b[:n], b[n:]
		default:
			t.Fatalf("wire type %d", tag&7)
		}
		m = append(m, f)
	}
	return m
}

func (m pbMessage) all(number uint64) []pbField {
	var found []pbField
	for _, f := range m {
		if f.number == number {
			found = append(found, f)
		}
	}
	return found
}

// one returns the last field with the given number, as protocol buffers require for repeated
// scalars.
func (m pbMessage) one(number uint64) (f pbField, ok bool) {
	if found := m.all(number); len(found) > 0 {
		return found[len(found)-1], true
	}
	return pbField{}, false
}

func (m pbMessage) uint(number uint64) uint64 { f, _ := m.one(number); return f.value }
func (m pbMessage) text(number uint64) string { f, _ := m.one(number); return string(f.bytes) }

func (m pbMessage) sub(t failer, number uint64) pbMessage {
	t.Helper()
	f, _ := m.one(number)
	return pb(t, f.bytes)
}

// A pbSequence is the reader's state of a packet sequence.
type pbSequence struct {
	clock             int64
	track             uint64
	names, categories map[uint64]string
}

type pbOpen struct {
	slice readSlice
	flows []uint64
}

// readPerfetto reads a trace as documented for Perfetto's TracePacket and TrackEvent.
func readPerfetto(t failer, trace []byte) reading {
	t.Helper()
	var (
		r         reading
		sequences = map[uint64]*pbSequence{}
		threads   = map[uint64]string{}
		threadIDs = map[uint64]uint64{}
		counters  = map[uint64]string{}
		open      = map[uint64][]pbOpen{}
		flows     = map[uint64][]pbFlowEnd{}
	)
	for _, f := range pb(t, trace) {
		if f.number != 1 {
			t.Fatalf("field %d in a trace", f.number)
		}
		packet := pb(t, f.bytes)
		id := packet.uint(10)
		switch flags := packet.uint(13); {
		case flags&1 != 0:
			defaults := packet.sub(t, 59)
			sequences[id] = &pbSequence{track: defaults.sub(t, 11).uint(11), names: map[uint64]string{}, categories: map[uint64]string{}}
			if defaults.uint(58) != 64 {
				t.Fatalf("sequence %d has clock %d", id, defaults.uint(58))
			}
		case sequences[id] == nil:
			t.Fatalf("packet of sequence %d before its start", id)
		}
		seq := sequences[id]
		for _, clock := range packet.sub(t, 6).all(1) {
			if c := pb(t, clock.bytes); c.uint(1) == 64 {
				if c.uint(3) != 1 {
					t.Fatalf("clock is not incremental")
				}
				seq.clock = int64(c.uint(2))
			}
		}
		if track := packet.sub(t, 60); len(track) > 0 {
			uuid := track.uint(1)
			if thread := track.sub(t, 4); len(thread) > 0 {
				threads[uuid] = thread.text(5)
				threadIDs[uuid] = thread.uint(2)
			} else if _, ok := track.one(8); ok {
				counters[uuid] = track.text(2)
			} else {
				r.process = track.sub(t, 3).text(6)
			}
		}
		interned := packet.sub(t, 12)
		learn := func(number uint64, into map[uint64]string) {
			for _, e := range interned.all(number) {
				entry := pb(t, e.bytes)
				if _, again := into[entry.uint(1)]; again || entry.uint(1) == 0 {
					t.Fatalf("interning id %d is zero or used twice", entry.uint(1))
				}
				into[entry.uint(1)] = entry.text(2)
			}
		}
		learn(1, seq.categories)
		learn(2, seq.names)
		event := packet.sub(t, 11)
		if len(event) == 0 {
			continue
		}
		seq.clock += int64(packet.uint(8))
		if int64(packet.uint(8)) < 0 {
			t.Fatalf("time runs backwards")
		}
		track := seq.track
		if f, ok := event.one(11); ok {
			track = f.value
		}
		name, knowsName := seq.names[event.uint(10)]
		category := seq.categories[event.uint(3)]
		thread, isThread := threads[track]
		var ids []uint64
		for _, f := range event.all(47) {
			ids = append(ids, f.value)
		}
		if old := event.all(36); len(old) != len(ids) {
			t.Fatalf("%d flows in the new field, %d in the old", len(ids), len(old))
		}
		switch kind := event.uint(9); {
		case kind == 4:
			r.samples = append(r.samples, readSample{counters[track], seq.clock, math.Float64frombits(event.uint(44))})
		case !isThread || (kind != 2 && !knowsName):
			t.Fatalf("event of type %d on track %d with name %d", kind, track, event.uint(10))
		case kind == 1:
			open[track] = append(open[track], pbOpen{readSlice{thread, category, name, seq.clock, 0}, nil})
		case kind == 2:
			last := len(open[track]) - 1
			if last < 0 {
				t.Fatalf("end without begin")
			}
			s := open[track][last].slice
			s.dur = seq.clock - s.begin
			name = s.title
			r.slices = append(r.slices, s)
			open[track] = open[track][:last]
		case kind == 3:
			size := event.sub(t, 4)
			if len(size) > 0 && size.text(10) != "bytes" {
				t.Fatalf("annotation %q", size.text(10))
			}
			r.marks = append(r.marks, readMark{thread, category, name, seq.clock, size.uint(3)})
		default:
			t.Fatalf("event of type %d", kind)
		}
		for _, id := range ids {
			flows[id] = append(flows[id], pbFlowEnd{name, seq.clock})
		}
	}
	for track, left := range open {
		if len(left) > 0 {
			t.Fatalf("%d slices of track %d have no end", len(left), track)
		}
	}
	for _, track := range slices.SortedFunc(maps.Keys(threads), func(a, b uint64) int { return int(threadIDs[a]) - int(threadIDs[b]) }) {
		r.rows = append(r.rows, threads[track])
	}
	for id, ends := range flows {
		if len(ends) != 2 {
			t.Fatalf("flow %d has %d ends", id, len(ends))
		}
		slices.SortStableFunc(ends, func(a, b pbFlowEnd) int { return int(a.at - b.at) })
		r.arrows = append(r.arrows, readArrow{ends[0].title, ends[1].title})
	}
	return r
}

type pbFlowEnd struct {
	title string
	at    int64
}

func TestPerfettoArrowArrivesAfterItLeaves(t *testing.T) {
	rec := Recording{Events: given(
		arrowSide(events.FlowOut, 0, 5, 150),
		scope(0, "made", "", 100, 160),
		arrowSide(events.FlowIn, 1, 5, 170),
		scope(1, "waited", "", 50, 200),
	)}
	got := readPerfetto(t, writtenBy(t, writePerfetto, rec)).arrows
	if want := []readArrow{{"made", "waited"}}; !slices.Equal(got, want) {
		t.Errorf("arrows %v, want %v", got, want)
	}
}

// The wall clock at time 0 must occur once in the trace, as a reading of CLOCK_REALTIME.
func TestPerfettoStart(t *testing.T) {
	var seen []int64
	for _, f := range pb(t, writtenBy(t, writePerfetto, kitchen())) {
		for _, clock := range pb(t, f.bytes).sub(t, 6).all(1) {
			if c := pb(t, clock.bytes); c.uint(1) == 1 {
				seen = append(seen, int64(c.uint(2)))
			}
		}
	}
	if want := []int64{kitchen().Start.UnixNano()}; !slices.Equal(seen, want) {
		t.Errorf("wall clock %v, want %v", seen, want)
	}
}

// Counters of bytes must declare their unit, so that viewers show MB.
func TestPerfettoUnit(t *testing.T) {
	units := map[string]uint64{}
	for _, f := range pb(t, writtenBy(t, writePerfetto, kitchen())) {
		track := pb(t, f.bytes).sub(t, 60)
		if _, ok := track.one(8); ok {
			units[track.text(2)] = track.sub(t, 8).uint(3)
		}
	}
	if units["pixels bytes"] != 3 || units["queue"] != 0 {
		t.Errorf("units %v", units)
	}
}

// TestPerfettoSize expects at most 31 bytes per slice, because a slice is two packets and each name
// is written once.
func TestPerfettoSize(t *testing.T) {
	const n = 10_000
	got := float64(len(writtenBy(t, writePerfetto, Recording{Events: nestedScopes(n)}))) / n
	if got > 31 {
		t.Errorf("%.1f bytes a slice", got)
	}
}
