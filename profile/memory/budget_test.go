package memory

import (
	"context"
	"errors"
	"runtime"
	"testing"
)

// nested returns pools of two nested groups. The inner group has a budget of 100, and the enclosing
// group a budget of 150.
func nested(t *Tracker) (inner, middle *Pool) {
	run := t.Group("run", GroupOptions{})
	m := t.Group("middle", GroupOptions{Budget: 150, Enforce: true, Parent: run})
	return t.Group("inner", GroupOptions{Budget: 100, Enforce: true, Parent: m}).Pool("p", PoolOptions{}), m.Pool("p", PoolOptions{})
}

func TestBudgetsRefuse(t *testing.T) {
	tracker := New(Options{})
	inner, middle := nested(tracker)
	must := func(b []byte, err error) []byte {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	refused := func(want BudgetError, err error) {
		t.Helper()
		var got *BudgetError
		if !errors.As(err, &got) || *got != want || !isRefusal(err) {
			t.Errorf("error %v, want %+v", err, want)
		}
	}
	a := must(inner.TryBytes(nil, 60))
	_, err := inner.TryBytes(nil, 41)
	refused(BudgetError{"inner", 100, 60, 41}, err)
	b := must(middle.TryBytes(nil, 60))
	_, err = inner.TryBytes(nil, 31)
	refused(BudgetError{"middle", 150, 120, 31}, err)
	_, err = inner.group.TryGrow(nil, 31)
	refused(BudgetError{"middle", 150, 120, 31}, err)
	_, err = inner.WaitBytes(t.Context(), nil, 101) // This fails at once, because it exceeds the whole budget.
	refused(BudgetError{"inner", 100, 60, 101}, err)
	_, err = middle.group.WaitGrow(t.Context(), nil, 151)
	refused(BudgetError{"middle", 150, 120, 151}, err)
	wantPanic(t, `group "inner": the request of 41 bytes exceeds the budget: 60 of 100 are in use`, func() { inner.Bytes(nil, 41) })
	wantPanic(t, `group "inner": the request of 101 bytes exceeds the whole budget of 100`, func() { inner.group.Grow(nil, 101) })

	// When the budget of the middle group refuses a request, the inner budget must lose nothing.
	c := must(inner.TryBytes(nil, 30))
	middle.Free(nil, b)
	d := must(inner.WaitBytes(t.Context(), nil, 10))
	for _, slice := range [][]byte{a, c, d, must(inner.TryBytes(nil, 0))} {
		inner.Free(nil, slice)
	}
	account, err := middle.group.WaitGrow(t.Context(), nil, 150)
	if err != nil {
		t.Error(err)
	}
	account.Shrink()
	s := tracker.Snapshot()
	for i, want := range []GroupRow{
		{Name: "inner", Peak: 100, Budget: 100, Parents: "middle < run", Refused: 4},
		{Name: "middle", Peak: 150, Budget: 150, Parents: "run", Refused: 3},
		{Name: "run", Peak: 150},
	} {
		if s.Groups[i] != want {
			t.Errorf("group %+v, want %+v", s.Groups[i], want)
		}
	}
}

// A large request must be served before later, smaller ones.
func TestWaitingIsInOrder(t *testing.T) {
	tracker := New(Options{})
	inner, _ := nested(tracker)
	held := inner.Bytes(nil, 60)
	large := make(chan []byte)
	go func() {
		b, err := inner.WaitBytes(context.Background(), nil, 100)
		if err != nil {
			t.Error(err)
		}
		large <- b
	}()
	for { // Loop until the other request waits.
		b, err := inner.TryBytes(nil, 1)
		if err != nil {
			if want := `memory: group "inner": the request of 1 bytes has to wait: 60 of the budget of 100 are in use, and earlier requests come first`; err.Error() != want {
				t.Errorf("error %q, want %q", err, want)
			}
			break
		}
		inner.Free(nil, b)
		runtime.Gosched()
	}
	inner.Free(nil, held)
	inner.Free(nil, <-large)
	if got := tracker.Snapshot().Groups[0]; got.Waited != 1 || got.Peak != 100 || got.Bytes != 0 {
		t.Errorf("group %+v, want a peak of 100 after one wait", got)
	}
}

func TestWaitingCanBeCanceled(t *testing.T) {
	tracker := New(Options{})
	inner, middle := nested(tracker)
	held := middle.Bytes(nil, 100)
	ctx, cancel := context.WithCancel(t.Context())
	failed := make(chan error)
	go func() {
		_, err := inner.WaitBytes(ctx, nil, 60)
		failed <- err
	}()
	for middle.group.waited.Load() == 0 {
		runtime.Gosched()
	}
	cancel()
	if err := <-failed; !errors.Is(err, context.Canceled) || isRefusal(err) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	middle.Free(nil, held)
	if b, err := inner.TryBytes(nil, 100); err != nil {
		t.Errorf("a canceled request keeps a part of the budget: %v", err)
	} else {
		inner.Free(nil, b)
	}
}

func TestBudgetOfUntracked(t *testing.T) {
	tracker := New(Options{Live: 1})
	inner, _ := nested(tracker)
	held := inner.Bytes(nil, 10)
	if _, err := inner.TryBytes(nil, 90); err == nil || isRefusal(err) {
		t.Errorf("a slice that is not tracked: %v, want an error that says so", err)
	}
	inner.Free(nil, held)
	if b, err := inner.TryBytes(nil, 100); err != nil {
		t.Errorf("the refused slice keeps a part of the budget: %v", err)
	} else {
		inner.Free(nil, b)
	}
}

// isRefusal reports whether an enforced budget refused an allocation.
func isRefusal(err error) bool {
	var refused *BudgetError
	return errors.As(err, &refused)
}
