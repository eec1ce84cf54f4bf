package export

import (
	"bytes"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/assetcook/assetcook/profile/events"
)

// A played recording is random, with known contents. Its workers enter and leave scopes, and report
// each scope when it ends, as a recorder does.
type played struct {
	byWorker [][]events.Event
	events   []events.Event
	want     reading
	top      []int64 // time in outermost scopes, by worker
	self     map[readSlice]int64
	flows    int
}

// oddNames returns names with bytes and lengths that a format might write incorrectly.
func oddNames() []string {
	return []string{"", "\xff\x00\n;\"\\", "a;b", "größe", strings.Repeat("long\n", 2000), "cook/asset", "cook/encode", "cook/asset 7"}
}

func play(t *rapid.T) *played {
	p := &played{self: map[readSlice]int64{}, want: reading{process: "recording"}}
	// Draw from a short list of names, so that names repeat. Draw their indexes, because the names
	// are long.
	names := oddNames()
	for _, b := range rapid.SliceOfN(rapid.SliceOfN(rapid.Byte(), 0, 12), 0, 4).Draw(t, "names") {
		names = append(names, string(b))
	}
	number := rapid.IntRange(0, len(names)-1)
	name := func(what string) string { return names[number.Draw(t, what)] }
	step := rapid.OneOf(rapid.Just(int64(0)), rapid.Int64Range(0, 3), rapid.Int64Range(0, 1e12))
	workers := rapid.IntRange(1, 6).Draw(t, "workers")
	if rapid.IntRange(0, 20).Draw(t, "crowd") == 0 {
		workers = 300
	}
	budget := 200
	for worker := range workers {
		row := legible(strconv.Itoa(worker) + name("row"))
		p.want.rows = append(p.want.rows, row)
		now, list := step.Draw(t, "begin"), []events.Event(nil)
		var live func(depth int) int64
		live = func(depth int) (inScopes int64) {
			for range rapid.IntRange(0, 4).Draw(t, "events") {
				if budget--; budget < 0 {
					return inScopes
				}
				now += step.Draw(t, "pause")
				e := events.Event{Worker: worker, Name: name("name"), Detail: name("detail"), Time: now}
				category, title := titles(e)
				switch kind := rapid.SampledFrom([]events.Kind{events.Scope, events.Scope, events.Scope, events.Instant, events.User,
					events.Value, events.FlowOut, events.FlowIn}).Draw(t, "kind"); kind {
				case events.Scope:
					e.Kind = kind
					inner := live(depth + 1)
					now += step.Draw(t, "rest")
					e.Dur = now - e.Time
					inScopes += e.Dur
					p.want.slices = append(p.want.slices, readSlice{row, category, title, e.Time, e.Dur})
					p.self[readSlice{row: row, category: category, title: legible(e.Detail)}] += e.Dur - inner
				case events.Instant:
					e.Kind = kind
					p.want.marks = append(p.want.marks, readMark{row, category, title, now, 0})
				case events.User:
					e.Kind, e.Data = kind, make([]byte, rapid.IntRange(0, 300).Draw(t, "size"))
					p.want.marks = append(p.want.marks, readMark{row, category, title, now, uint64(len(e.Data))})
				case events.Value:
					e.Kind, e.Values = kind, []float64{rapid.Float64Range(-1e9, 1e9).Draw(t, "value")}
					p.want.samples = append(p.want.samples, readSample{category, now, e.Values[0]})
				default:
					if depth == 0 {
						continue // Outside scopes, the flow would become a mark.
					}
					e.Kind, e.Flow = kind, uint64(rapid.IntRange(1, 5).Draw(t, "flow"))
				}
				list = append(list, e)
			}
			return inScopes
		}
		p.top = append(p.top, live(0))
		p.byWorker = append(p.byWorker, list)
	}
	p.interleave(t)
	p.countFlows()
	return p
}

// titles returns the expected category and title of an event.
func titles(e events.Event) (category, title string) {
	category = legible(e.Name)
	if category == "" {
		category = "(unnamed)"
		if e.Kind == events.FlowOut || e.Kind == events.FlowIn {
			category = "flow"
		}
	}
	if title = legible(e.Detail); title == "" {
		title = category
	}
	return category, title
}

// interleave merges the events of all workers into one stream, a few at a time from each worker.
func (p *played) interleave(t *rapid.T) {
	left := slices.Clone(p.byWorker)
	for some := rapid.IntRange(1, 20).Draw(t, "some"); ; {
		before := len(p.events)
		for i, list := range left {
			n := min(some, len(list))
			p.events = append(p.events, list[:n]...)
			left[i] = list[n:]
		}
		if len(p.events) == before {
			return
		}
	}
}

// countFlows computes the expected number of arrows. A flow with a FlowOut gives one arrow for each
// FlowIn.
func (p *played) countFlows() {
	left, arrived := map[uint64]bool{}, map[uint64]int{}
	for _, e := range p.events {
		switch e.Kind {
		case events.FlowOut:
			left[e.Flow] = true
		case events.FlowIn:
			arrived[e.Flow]++
		}
	}
	for flow := range left {
		p.flows += arrived[flow]
	}
}

func (p *played) recording(rows []string) Recording {
	return Recording{Events: given(p.events...), Workers: func() []string { return rows }}
}

// TestTimelinesAreExact expects in each timeline format every slice, mark and sample of a random
// recording, with its name and its time to the nanosecond.
func TestTimelinesAreExact(t *testing.T) {
	for name, format := range timelines {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				p := play(t)
				got := format.read(t, writtenBy(t, format.write, p.recording(p.want.rows)))
				if len(got.arrows) != p.flows {
					t.Fatalf("%d arrows, want %d", len(got.arrows), p.flows)
				}
				got.arrows = nil
				if off := got.differs(p.want); off != "" {
					t.Fatal(off)
				}
			})
		})
	}
}

// The folded stacks of a row must add up to the time in its outermost scopes. Each line must have
// the time spent in its last frame alone.
func TestFoldedIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := play(t)
		got := map[string]int64{}
		var sum, want int64
		for stack, ns := range readFolded(t, writtenBy(t, writeFolded, p.recording(p.want.rows))) {
			frames := strings.Split(stack, ";")
			got[frames[0]+";"+frames[len(frames)-1]] += ns
			sum += ns
		}
		for _, ns := range p.top {
			want += ns
		}
		if sum != want {
			t.Fatalf("sum %d, want %d", sum, want)
		}
		self := map[string]int64{}
		for s, ns := range p.self {
			text := s.category
			if s.title != "" {
				text += " " + s.title
			}
			self[frame(s.row)+";"+frame(text)] += ns
		}
		if !maps.Equal(got, self) {
			t.Fatalf("got %v, want %v", got, self)
		}
	})
}

// The profile must count every scope once. The sums, also by function, must equal the time in
// outermost scopes.
func TestPprofIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p := play(t)
		var top, sum int64
		for _, ns := range p.top {
			top += ns
		}
		got, want := map[string][2]int64{}, map[string][2]int64{}
		for _, s := range readPprof(t, writtenBy(t, writePprof, p.recording(p.want.rows))).Sample {
			name := s.Location[0].Line[0].Function.Name
			got[name] = [2]int64{got[name][0] + s.Value[0], got[name][1] + s.Value[1]}
			sum += s.Value[1]
		}
		for _, s := range p.want.slices {
			want[s.category] = [2]int64{want[s.category][0] + 1, want[s.category][1]}
		}
		for s, ns := range p.self {
			want[s.category] = [2]int64{want[s.category][0], want[s.category][1] + ns}
		}
		if sum != top || !maps.Equal(got, want) {
			t.Fatalf("sum %d, want %d; got %v, want %v", sum, top, got, want)
		}
	})
}

func TestSameBytes(t *testing.T) {
	for seed := range 10 {
		p := rapid.Custom(play).Example(seed)
		for _, ending := range Endings() {
			write, _ := ByEnding(ending)
			first := writtenBy(t, write, p.recording(p.want.rows))
			if again := writtenBy(t, write, p.recording(p.want.rows)); !bytes.Equal(first, again) {
				t.Errorf("%s differs between two runs", ending)
			}
		}
	}
}
