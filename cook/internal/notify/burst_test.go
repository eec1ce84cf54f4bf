package notify

import (
	"strconv"
	"testing"
	"testing/synctest"
	"time"
)

func TestCompleteBurstIsOverSoon(t *testing.T) {
	do := func(k kind, name string) event { return event{watch: 1, name: []byte(name), kind: k} }
	save := []event{do(made, "f.tmp"), do(written, "f.tmp"), do(closed, "f.tmp")}
	for _, test := range []struct {
		name    string
		events  []event
		settled bool
	}{
		{"touched", []event{do(changed, "f"), do(closed, "f")}, true},
		{"written in place", []event{do(written, "f"), do(written, "f"), do(closed, "f")}, true},
		{"still open", []event{do(written, "f")}, false},
		{"one of two still open", []event{do(written, "f"), do(written, "g"), do(closed, "g")}, false},
		{"made, not written yet", []event{do(made, "f")}, false},
		{"directory made", []event{{watch: 1, name: []byte("d"), kind: made, folder: true}}, true},
		{"saved by rename", append(save, do(movedFrom, "f.tmp"), do(movedTo, "f"), do(changed, "f")), true},
		{"renamed while open", []event{do(made, "f.tmp"), do(movedFrom, "f.tmp"), do(movedTo, "f")}, true},
		{"moved away for a backup", []event{do(movedFrom, "f"), do(movedTo, "f~")}, false},
		{"saved with a backup", []event{do(movedFrom, "f"), do(movedTo, "f~"), do(made, "f"), do(written, "f"), do(closed, "f"), do(removed, "f~")}, true},
		{"tried to write", []event{do(made, "4913"), do(closed, "4913"), do(removed, "4913")}, true},
		{"removed", []event{do(removed, "f")}, false},
		{"removed and made again", []event{do(removed, "f"), do(made, "f"), do(written, "f"), do(closed, "f")}, true},
		{"in another directory", []event{do(removed, "f"), {watch: 2, name: []byte("f"), kind: movedTo}}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w, start := handDriven(), time.Now()
				w.folders.addWatch("/u", 2)
				for _, e := range test.events {
					w.note(e)
				}
				if w.Settled() != test.settled {
					t.Errorf("settled is %t", !test.settled)
				}
				want := patience.Open
				if test.settled {
					want = patience.Settled
				}
				if err := w.Wait(t.Context(), patience); err != nil || time.Since(start) != want {
					t.Errorf("took %v, want %v (%v)", time.Since(start), want, err)
				}
				w.folders.takeChanges()
				if !w.folders.burst.settled() {
					t.Error("the next burst starts with changes of the last one")
				}
			})
		})
	}
}

// Once the last open file is closed, Wait uses the shorter limit Settled.
func TestClosingTheLastFileSettlesTheBurst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w, start := handDriven(), time.Now()
		note := func(k kind) {
			w.mu.Lock()
			defer w.mu.Unlock()
			w.note(event{watch: 1, name: []byte("f"), kind: k})
		}
		note(written)
		time.AfterFunc(2*quiet, func() { note(closed) })
		if err := w.Wait(t.Context(), patience); err != nil || time.Since(start) != 3*quiet {
			t.Errorf("took %v, %v", time.Since(start), err)
		}
	})
}

func TestHugeBurstIsNotSettled(t *testing.T) {
	for _, k := range []kind{made, written, removed, movedTo} {
		b := newBurst()
		for i := range 2 * mostOpen {
			b.note(event{watch: 1, name: []byte(strconv.Itoa(i)), kind: k})
		}
		for _, n := range []names{b.writing, b.arrived, b.missing} {
			if len(n.set) > mostOpen {
				t.Errorf("kind %d: %d names", k, len(n.set))
			}
		}
		if b.settled() {
			t.Errorf("kind %d: settled after more names than the limit", k)
		}
	}
}
