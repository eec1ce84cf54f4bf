//go:build !linux && !windows

package notify

import (
	"errors"
	"testing"
)

func TestUnsupported(t *testing.T) {
	if w, err := New(); w != nil || !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("%v, %v", w, err)
	}
}
