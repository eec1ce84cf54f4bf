package sweep_test

import (
	"errors"
	"runtime/debug"
	"testing"

	"github.com/assetcook/assetcook/cook/index"
	"github.com/assetcook/assetcook/cook/sweep"
)

func TestGuard(t *testing.T) {
	if err := sweep.Guard(func() error { return nil }); err != nil {
		t.Errorf("error %v of what went well", err)
	}
	own := errors.New("own")
	if err := sweep.Guard(func() error { return own }); err != own {
		t.Errorf("error %v, want %v", err, own)
	}
	row := 5
	for name, do := range map[string]func() error{
		"row outside":   func() error { _ = []int{1}[row]; return nil },
		"slice outside": func() error { _ = []int{1}[row:]; return nil },
		"nothing":       func() error { _ = *(*int)(nil); return nil },
		"empty index":   func() error { new(index.Index).NodePath(row); return nil },
	} {
		if err := sweep.Guard(do); !errors.Is(err, sweep.ErrFault) {
			t.Errorf("%s: error %v, want %v", name, err, sweep.ErrFault)
		}
	}
	// Afterwards a fault is again what it was.
	for _, before := range []bool{true, false} {
		debug.SetPanicOnFault(before)
		sweep.Guard(func() error { panic("in between") })
		if after := debug.SetPanicOnFault(false); after != before {
			t.Errorf("panic on fault is %v, was %v", after, before)
		}
	}
}
