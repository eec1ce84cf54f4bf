package export

import (
	"testing"

	"github.com/assetcook/assetcook/profile/events"
)

func TestOverlapsAreCut(t *testing.T) {
	for _, c := range []struct {
		name string
		list []events.Event
		want []readSlice
	}{
		{"inner one ends after the outer one, by another clock",
			[]events.Event{scope(0, "in", "", 10, 25), scope(0, "out", "", 5, 24)},
			[]readSlice{{"worker 0", "out", "out", 5, 19}, {"worker 0", "in", "in", 10, 14}}},
		{"next one begins before the last one ended",
			[]events.Event{scope(0, "last", "", 5, 25), scope(0, "next", "", 24, 100)},
			[]readSlice{{"worker 0", "last", "last", 5, 20}, {"worker 0", "next", "next", 25, 75}}},
		{"next one has an inner one that begins too early",
			[]events.Event{scope(0, "last", "", 5, 25), scope(0, "in", "", 24, 26), scope(0, "next", "", 24, 100)},
			[]readSlice{{"worker 0", "last", "last", 5, 20}, {"worker 0", "next", "next", 25, 75}, {"worker 0", "in", "in", 25, 1}}},
		{"inner one ends before the outer one begins again",
			[]events.Event{scope(0, "last", "", 0, 10), scope(0, "in", "", 7, 9), scope(0, "next", "", 6, 30)},
			[]readSlice{{"worker 0", "last", "last", 0, 10}, {"worker 0", "next", "next", 10, 20}, {"worker 0", "in", "in", 10, 0}}},
		{"no duration is negative",
			[]events.Event{scope(0, "back", "", 10, 5)},
			[]readSlice{{"worker 0", "back", "back", 10, 0}}},
		{"rows do not touch each other",
			[]events.Event{scope(0, "a", "", 0, 10), scope(1, "b", "", 5, 15)},
			[]readSlice{{"worker 0", "a", "a", 0, 10}, {"worker 1", "b", "b", 5, 10}}},
	} {
		for name, format := range timelines {
			t.Run(c.name+"/"+name, func(t *testing.T) {
				got := format.read(t, writtenBy(t, format.write, Recording{Events: given(c.list...)}))
				want := reading{process: "recording", rows: got.rows, slices: c.want}
				if off := got.differs(want); off != "" {
					t.Error(off)
				}
			})
		}
	}
}

func TestEqualTimes(t *testing.T) {
	for _, c := range []struct {
		name string
		list []events.Event
		want string
	}{
		{"equal scopes: the later one is the outer one",
			[]events.Event{scope(0, "in", "", 0, 5), scope(0, "out", "", 0, 5)}, "<out<in>>"},
		{"empty scopes too",
			[]events.Event{scope(0, "in", "", 5, 5), scope(0, "out", "", 5, 5)}, "<out<in>>"},
		{"empty scope at the end of its outer one",
			[]events.Event{scope(0, "in", "", 5, 5), scope(0, "out", "", 0, 5)}, "<out<in>>"},
		{"empty scope after one that ended",
			[]events.Event{scope(0, "first", "", 0, 5), scope(0, "second", "", 5, 5)}, "<first><second>"},
		{"scope after one that ended",
			[]events.Event{scope(0, "first", "", 0, 5), scope(0, "second", "", 5, 9)}, "<first><second>"},
		{"mark at the end of its scope",
			[]events.Event{point(events.Instant, 0, "mark", 5), scope(0, "out", "", 0, 5)}, "<out mark>"},
		{"mark after its scope",
			[]events.Event{scope(0, "out", "", 0, 5), point(events.Instant, 0, "mark", 5)}, "<out> mark"},
		{"marks keep their order",
			[]events.Event{point(events.Instant, 0, "m1", 5), point(events.Instant, 0, "m2", 5), scope(0, "out", "", 5, 5)}, "<out m1 m2>"},
		{"reported in order of the begin",
			[]events.Event{scope(0, "out", "", 0, 10), scope(0, "in", "", 2, 5)}, "<out<in>>"},
	} {
		t.Run(c.name, func(t *testing.T) {
			line, err := gather(Recording{Events: given(c.list...)})
			if err != nil {
				t.Fatal(err)
			}
			r, got := line.rows[0], ""
			r.walk(func(i int) {
				if name := line.names[r.spans[i].name]; r.spans[i].kind == events.Scope {
					got += "<" + name
				} else {
					got += " " + name
				}
			}, func(int) { got += ">" })
			if got != c.want {
				t.Errorf("nests as %s, want %s", got, c.want)
			}
		})
	}
}

func TestFlows(t *testing.T) {
	for _, c := range []struct {
		name   string
		list   []events.Event
		arrows []readArrow
		marks  []readMark
	}{
		{"to each that needs it",
			[]events.Event{
				arrowSide(events.FlowOut, 0, 9, 5), scope(0, "made", "", 0, 6),
				arrowSide(events.FlowIn, 1, 9, 8), scope(1, "one", "", 7, 10),
				arrowSide(events.FlowIn, 2, 9, 20), scope(2, "two", "", 19, 30),
			}, []readArrow{{"made", "one"}, {"made", "two"}}, nil},
		{"from the innermost scope",
			[]events.Event{
				scope(0, "before", "", 1, 2), arrowSide(events.FlowOut, 0, 9, 3), scope(0, "in", "", 2, 4), scope(0, "out", "", 0, 6),
				arrowSide(events.FlowIn, 1, 9, 8), scope(1, "one", "", 7, 10),
			}, []readArrow{{"in", "one"}}, nil},
		{"from its first departure",
			[]events.Event{
				arrowSide(events.FlowOut, 0, 9, 1), scope(0, "a", "", 0, 2), arrowSide(events.FlowOut, 0, 9, 4), scope(0, "b", "", 3, 5),
				arrowSide(events.FlowIn, 0, 9, 7), scope(0, "c", "", 6, 10),
			}, []readArrow{{"a", "c"}}, nil},
		{"between places without open scopes",
			[]events.Event{arrowSide(events.FlowOut, 0, 9, 5), arrowSide(events.FlowIn, 1, 9, 8)},
			[]readArrow{{"needs", "needs"}},
			[]readMark{{"worker 0", "needs", "needs", 5, 0}, {"worker 1", "needs", "needs", 8, 0}}},
		{"without another side",
			[]events.Event{
				arrowSide(events.FlowOut, 0, 9, 5), arrowSide(events.FlowIn, 0, 10, 8), scope(0, "a", "", 0, 10),
				arrowSide(events.FlowIn, 0, 11, 18),
			}, nil, nil},
		{"onto its own row",
			[]events.Event{
				arrowSide(events.FlowOut, 0, 9, 5), scope(0, "a", "", 0, 10),
				arrowSide(events.FlowIn, 0, 9, 15), scope(0, "b", "", 11, 20),
			}, []readArrow{{"a", "b"}}, nil},
	} {
		for name, format := range timelines {
			t.Run(c.name+"/"+name, func(t *testing.T) {
				got := format.read(t, writtenBy(t, format.write, Recording{Events: given(c.list...)}))
				want := reading{process: "recording", rows: got.rows, slices: got.slices, arrows: c.arrows, marks: c.marks}
				if off := got.differs(want); off != "" {
					t.Error(off)
				}
			})
		}
	}
}
