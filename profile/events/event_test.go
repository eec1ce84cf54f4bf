package events

import (
	"fmt"
	"testing"
)

func TestKindString(t *testing.T) {
	for k, want := range map[Kind]string{0: "kind 0", Scope: "scope", FlowOut: "flow out", User: "user", Open: "open", Open + 1: "kind 11"} {
		if got := fmt.Sprint(k); got != want {
			t.Errorf("kind %d is %q, want %q", uint8(k), got, want)
		}
	}
}
