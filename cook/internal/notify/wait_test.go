package notify

import (
	"context"
	"errors"
	"io/fs"
	"testing"
	"testing/synctest"
	"time"
)

const (
	quiet = 50 * time.Millisecond
	most  = time.Second
)

var patience = Patience{Settled: quiet, Open: 4 * quiet, Most: most}

// handDriven returns a watcher of one directory without a system queue. Tests add its events.
func handDriven() *Watcher {
	w := newWatcher()
	w.folders.addWatch("/t", 1)
	return w
}

// touch simulates an event in the watched directory.
func (w *Watcher) touch() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.note(event{watch: 1, name: []byte("f"), kind: changed})
}

func TestWaitReturnsAfterTheBurst(t *testing.T) {
	for _, test := range []struct {
		name   string
		before bool            // set if a change precedes the call
		events []time.Duration // times of changes after the call
		want   time.Duration
	}{
		{"one", false, []time.Duration{3 * time.Second}, 3*time.Second + quiet},
		{"already changed", true, nil, quiet},
		{"burst", false, []time.Duration{time.Second, time.Second + quiet - 1, time.Second + 2*quiet - 2}, time.Second + 3*quiet - 2},
		{"then later ones", false, []time.Duration{time.Second, time.Second + quiet + 1}, time.Second + quiet},
		{"never quiet", false, every(10*time.Millisecond, 3*time.Second), 10*time.Millisecond + most},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, start := handDriven(), time.Now()
				if test.before {
					w.touch()
				}
				for _, at := range test.events {
					time.AfterFunc(at, w.touch)
				}
				if err := w.Wait(t.Context(), patience); err != nil {
					t.Fatal(err)
				}
				if took := time.Since(start); took != test.want {
					t.Errorf("took %v, want %v", took, test.want)
				}
			})
		})
	}
}

func every(d, until time.Duration) (at []time.Duration) {
	for t := d; t <= until; t += d {
		at = append(at, t)
	}
	return at
}

func TestWaitIgnoresChangesTakenBySync(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, start := handDriven(), time.Now()
		w.touch()
		w.folders.takeChanges()
		time.AfterFunc(time.Minute, w.touch)
		if err := w.Wait(t.Context(), patience); err != nil || time.Since(start) != time.Minute+quiet {
			t.Errorf("took %v, %v", time.Since(start), err)
		}
	})
}

func TestWaitReturnsAfterLoss(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, start := handDriven(), time.Now()
		time.AfterFunc(time.Minute, func() {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.note(event{watch: noWatch, kind: overflowed})
		})
		if err := w.Wait(t.Context(), patience); err != nil || time.Since(start) != time.Minute+quiet {
			t.Errorf("took %v, %v", time.Since(start), err)
		}
	})
}

// Wait ends with its context, both before a change and in the quiet time after a change.
func TestWaitEndsWithItsContext(t *testing.T) {
	for _, changed := range []bool{false, true} {
		for name, test := range map[string]struct {
			end  func(w *Watcher, cancel context.CancelCauseFunc)
			want error
		}{
			"closed":    {func(w *Watcher, _ context.CancelCauseFunc) { close(w.closed) }, fs.ErrClosed},
			"cancelled": {func(_ *Watcher, cancel context.CancelCauseFunc) { cancel(errors.ErrUnsupported) }, errors.ErrUnsupported},
		} {
			t.Run(name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					w, start := handDriven(), time.Now()
					ctx, cancel := context.WithCancelCause(t.Context())
					if changed {
						w.touch()
					}
					time.AfterFunc(quiet/2, func() { test.end(w, cancel) })
					if err := w.Wait(ctx, patience); !errors.Is(err, test.want) || time.Since(start) != quiet/2 {
						t.Errorf("after %v: %v, want %v", time.Since(start), err, test.want)
					}
				})
			})
		}
	}
}
