package view

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/assetcook/assetcook/profile/counters"
	"github.com/assetcook/assetcook/profile/events"
	"github.com/assetcook/assetcook/profile/view/internal/console"
)

// maxWhens is the maximum number of active conditions.
const maxWhens = 16

// whens holds the active conditions.
type whens struct {
	mu   sync.Mutex
	all  []*when
	last int // number of the latest condition
}

// A when is a condition, which its own goroutine checks.
type when struct {
	console.When
	number int
	stop   context.CancelFunc

	mu   sync.Mutex
	said string // message about the last time that the condition became true
}

// addWhen starts to check a condition.
func (v *View) addWhen(w console.When) (text string, err error) {
	tape := v.lines.tape()
	if tape == nil {
		return "", errors.New("when: nothing is being recorded: there is neither Sources.Events nor a stream among the recordings")
	}
	if v.sources.Dumps == "" {
		return "", errors.New("when: there is no directory for recordings: Sources.Dumps is not set")
	}
	l := &v.whens
	l.mu.Lock()
	defer l.mu.Unlock()
	select {
	case <-v.closed:
		return "", errors.New("when: the view is closed")
	default:
	}
	if len(l.all) >= maxWhens {
		return "", fmt.Errorf("when: there are already %d conditions, the limit; remove one with when remove N", maxWhens)
	}
	ctx, cancel := context.WithCancel(context.Background())
	l.last++
	added := &when{When: w, number: l.last, stop: cancel}
	l.all = append(l.all, added)
	go v.watch(ctx, added, tape)
	return added.String(), nil
}

// watch checks the condition in each frame, and writes a recording each time it becomes true.
func (v *View) watch(ctx context.Context, w *when, tape *events.Tape) {
	set := v.sources.Counters
	defer set.Watch(w.Counter)()
	rows := frameRows{set: set, catalogs: &v.catalogs, names: []string{w.Counter}, next: set.Table(0).Next}
	t := trigger{when: w.When}
	poll := time.NewTicker(pollFrames)
	defer poll.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-poll.C:
		}
		for frame, value := range rows.values() {
			if !t.takeFrameValue(value) {
				continue
			}
			w.report("at frame %d: the condition is true; recording for another %v", frame.Number, w.Dump)
			select {
			case <-ctx.Done():
				return
			case <-time.After(w.Dump):
			}
			path, err := v.dump(tape, w.Dump)
			said := fmt.Sprintf("wrote %s", path)
			if err != nil {
				said = err.Error()
			}
			w.report("at frame %d (%.4g): %s", frame.Number, value, said)
			v.told.notice(w.String())
			rows.next = set.Table(0).Next // The recording includes the frames until now.
			t.run = 0
			break
		}
	}
}

func (w *when) report(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.said = fmt.Sprintf(format, args...)
}

// String returns the condition's line in the list of conditions.
func (w *when) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := fmt.Sprintf("%d: %s", w.number, w.When.String())
	if w.said != "" {
		text += "; " + w.said
	}
	return text
}

// A trigger counts the consecutive frames that meet its condition.
type trigger struct {
	when console.When
	run  int
}

// takeFrameValue takes the value of a frame. It reports whether the condition has been true for
// enough frames.
func (t *trigger) takeFrameValue(value float64) bool {
	if !t.when.Holds(value) {
		t.run = 0
		return false
	}
	t.run++
	return t.run == t.when.Frames
}

func (l *whens) list() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.all) == 0 {
		return "there are no conditions; add one with when COUNTER > NUMBER [for FRAMES] dump DURATION"
	}
	lines := make([]string, len(l.all))
	for i, w := range l.all {
		lines[i] = w.String()
	}
	return strings.Join(lines, "\n")
}

func (l *whens) remove(number int) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := slices.IndexFunc(l.all, func(w *when) bool { return w.number == number })
	if at < 0 {
		return fmt.Errorf("there is no condition %d; when lists them", number)
	}
	l.all[at].stop()
	l.all = slices.Delete(l.all, at, at+1)
	return nil
}

func (l *whens) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, w := range l.all {
		w.stop()
	}
	l.all = nil
}

// values yields each new frame with the value of the condition's counter.
func (f *frameRows) values() func(func(counters.Frame, float64) bool) {
	return func(yield func(counters.Frame, float64) bool) {
		t := f.set.Table(f.next, f.names...)
		f.next = t.Next
		for i, frame := range t.Frames {
			value := t.Row(i)[0]
			if !yield(frame, value*f.factor(0, value)) {
				return
			}
		}
	}
}
