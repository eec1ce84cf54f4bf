package export

import (
	"bytes"
	"errors"
	"io"
	"iter"
	"math"
	"slices"
	"testing"
	"time"
	"unsafe"

	"github.com/assetcook/assetcook/profile/events"
)

func TestByEnding(t *testing.T) {
	for _, ending := range Endings() {
		write, ok := ByEnding("out/trace" + ending)
		if !ok {
			t.Errorf("no format for %s", ending)
			continue
		}
		var direct func(io.Writer, Recording) error
		switch ending {
		case ".pftrace":
			direct = writePerfetto
		case ".json.gz":
			direct = writeChrome
		case ".folded":
			direct = writeFolded
		case ".pprof":
			direct = writePprof
		default:
			t.Fatalf("%s: the format has no check", ending)
		}
		if !bytes.Equal(writtenBy(t, write, kitchen()), writtenBy(t, direct, kitchen())) {
			t.Errorf("%s is written as another format", ending)
		}
	}
	if n := len(Endings()); n != 4 {
		t.Errorf("%d endings", n)
	}
	for _, name := range []string{"", "trace", "trace.json", "folded", "trace.folded.zip"} {
		if _, ok := ByEnding(name); ok {
			t.Errorf("a format for %q", name)
		}
	}
}

// After an error, the earlier events must be written completely, and the error must be returned.
func TestEventsEndEarly(t *testing.T) {
	torn := errors.New("torn")
	var broken iter.Seq2[events.Event, error] = func(yield func(events.Event, error) bool) {
		if yield(scope(0, "a", "", 1, 3), nil) && yield(events.Event{}, torn) {
			t.Error("the iteration went on after the error")
		}
	}
	for name, format := range timelines {
		var b bytes.Buffer
		if err := format.write(&b, Recording{Events: broken}); !errors.Is(err, torn) {
			t.Errorf("%s: error %v", name, err)
		}
		got := format.read(t, b.Bytes()).slices
		if want := []readSlice{{"worker 0", "a", "a", 1, 2}}; !slices.Equal(got, want) {
			t.Errorf("%s: slices %v", name, got)
		}
	}
	for _, ending := range Endings() {
		write, _ := ByEnding(ending)
		if err := write(io.Discard, Recording{Events: broken}); !errors.Is(err, torn) {
			t.Errorf("%s: error %v", ending, err)
		}
	}
}

// A nearlyFull is a writer that accepts the given number of bytes and then fails.
type nearlyFull int

var errFull = errors.New("disk full")

func (n *nearlyFull) Write(b []byte) (int, error) {
	if len(b) > int(*n) {
		return 0, errFull
	}
	*n -= nearlyFull(len(b))
	return len(b), nil
}

// TestWriteFails makes a write fail at the beginning, in the middle and at the end.
func TestWriteFails(t *testing.T) {
	for _, ending := range Endings() {
		write, _ := ByEnding(ending)
		whole := len(writtenBy(t, write, kitchen()))
		for _, room := range []int{0, whole / 2, whole - 1} {
			disk := nearlyFull(room)
			if err := write(&disk, kitchen()); !errors.Is(err, errFull) {
				t.Errorf("%s, room for %d of %d bytes: error %v", ending, room, whole, err)
			}
		}
	}
}

// Workers and Dropped must be called after the last event, because a stream's reader knows their
// results only then.
func TestAskedAfterTheLastEvent(t *testing.T) {
	read := false
	rec := Recording{
		Events: func(yield func(events.Event, error) bool) {
			yield(scope(0, "a", "", 1, 3), nil)
			read = true
		},
		Workers: func() []string {
			if !read {
				return nil
			}
			return []string{"late"}
		},
		Dropped: func() int64 {
			if !read {
				return 0
			}
			return 4
		},
	}
	got := readPerfetto(t, writtenBy(t, writePerfetto, rec))
	if !slices.Equal(got.rows, []string{"late"}) || !slices.Equal(got.samples, []readSample{{"dropped events", 0, 4}}) {
		t.Errorf("rows %q, samples %v", got.rows, got.samples)
	}
}

func TestNothingRecorded(t *testing.T) {
	for name, format := range timelines {
		got := format.read(t, writtenBy(t, format.write, Recording{Events: given()}))
		if off := got.differs(reading{process: "recording"}); off != "" {
			t.Errorf("%s: %s", name, off)
		}
	}
	if got := writtenBy(t, writeFolded, Recording{Events: given()}); len(got) > 0 {
		t.Errorf("folded: %q", got)
	}
	readPprof(t, writtenBy(t, writePprof, Recording{Events: given()}))
}

// The output must have all named rows and all rows with events, sorted by row number.
func TestRowsAreInOrderOfNumber(t *testing.T) {
	rec := Recording{
		Workers: func() []string { return []string{"", "one"} },
		Events:  given(scope(1<<30, "a", "", 0, 1), scope(-1, "a", "", 0, 1)),
	}
	for name, format := range timelines {
		got := format.read(t, writtenBy(t, format.write, rec)).rows
		if want := []string{"worker -1", "worker 0", "one", "worker 1073741824"}; !slices.Equal(got, want) {
			t.Errorf("%s: rows %q, want %q", name, got, want)
		}
	}
}

// If a recording has negative times, all its times are shifted up, and the wall clock is set back.
func TestTimesBeforeTheBeginning(t *testing.T) {
	rec := func() Recording {
		return Recording{Start: time.Unix(100, 0), Events: given(
			scope(0, "a", "", -30, 10), point(events.Instant, 0, "m", 20), amount(events.Value, 0, "v", -40, 1),
		)}
	}
	want := reading{
		process: "recording", rows: []string{"worker 0"},
		slices:  []readSlice{{"worker 0", "a", "a", 10, 40}},
		marks:   []readMark{{"worker 0", "m", "m", 60, 0}},
		samples: []readSample{{"v", 0, 1}},
	}
	for name, format := range timelines {
		if off := format.read(t, writtenBy(t, format.write, rec())).differs(want); off != "" {
			t.Errorf("%s: %s", name, off)
		}
	}
	got := readPprof(t, writtenBy(t, writePprof, rec())).TimeNanos
	if want := int64(100e9 - 40); got != want {
		t.Errorf("wall clock of time 0 is %d, want %d", got, want)
	}
}

// TestTimesFarAway expects that extremely large times do not overflow.
func TestTimesFarAway(t *testing.T) {
	rec := func() Recording {
		return Recording{Events: given(
			events.Event{Kind: events.Scope, Name: "first", Time: math.MinInt64, Dur: 5},
			events.Event{Kind: events.Scope, Name: "last", Time: math.MaxInt64, Dur: math.MaxInt64},
		)}
	}
	want := []readSlice{{"worker 0", "first", "first", 0, 5}, {"worker 0", "last", "last", 2 * farthest, farthest}}
	for name, format := range timelines {
		if got := format.read(t, writtenBy(t, format.write, rec())).slices; !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// Events of unknown kinds, and counter events without numbers, must be skipped.
func TestUnknownEvents(t *testing.T) {
	rec := Recording{Events: given(
		amount(200, 0, "x", 1, 3), amount(events.Value, 0, "v", 1), amount(events.Vector, 0, "v", 1),
		amount(events.Value, 0, "v", 2, 7, 8), amount(events.Alloc, 0, "v", 2),
	)}
	want := reading{process: "recording", samples: []readSample{{"v", 2, 7}}}
	if off := readPerfetto(t, writtenBy(t, writePerfetto, rec)).differs(want); off != "" {
		t.Error(off)
	}
}

// The running sums of memory must follow the order of time, even if different workers allocate and
// free.
func TestMemorySumsFollowTime(t *testing.T) {
	rec := Recording{Events: given(
		amount(events.Alloc, 0, "b", 10, 100), amount(events.Free, 0, "b", 40, 100),
		amount(events.Alloc, 1, "b", 20, 7), amount(events.Value, 1, "b", 25, 1), amount(events.Free, 1, "b", 30, 7),
	)}
	got := readPerfetto(t, writtenBy(t, writePerfetto, rec)).sorted().samples
	want := []readSample{{"b", 25, 1}, {"b bytes", 10, 100}, {"b bytes", 20, 107}, {"b bytes", 30, 100}, {"b bytes", 40, 0}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestEventSizesAreAsDocumented(t *testing.T) {
	if s, l := unsafe.Sizeof(span{}), unsafe.Sizeof(level{}); s > 40 || l > 24 {
		t.Errorf("%d bytes an event, %d a number", s, l)
	}
}
