package index_test

import (
	"errors"
	"runtime/debug"
	"testing"

	"github.com/assetcook/assetcook/cook/internal/index"
)

func TestGuardTurnsDamageIntoErrors(t *testing.T) {
	if err := index.Guard(func() error { return nil }); err != nil {
		t.Errorf("error %v of a function that succeeds", err)
	}
	own := errors.New("own")
	if err := index.Guard(func() error { return own }); err != own {
		t.Errorf("error %v, want %v", err, own)
	}
	row := 5
	for name, do := range map[string]func() error{
		"row outside":   func() error { _ = []int{1}[row]; return nil },
		"slice outside": func() error { _ = []int{1}[row:]; return nil },
		"nothing":       func() error { _ = *(*int)(nil); return nil },
		"empty index":   func() error { new(index.Index).Path(index.Ref(row)); return nil },
	} {
		if err := index.Guard(do); !errors.Is(err, index.ErrFault) {
			t.Errorf("%s: error %v, want %v", name, err, index.ErrFault)
		}
	}
	for _, before := range []bool{true, false} {
		debug.SetPanicOnFault(before)
		index.Guard(func() error { panic("in between") })
		if after := debug.SetPanicOnFault(false); after != before {
			t.Errorf("panic on fault is %v, was %v", after, before)
		}
	}
}
