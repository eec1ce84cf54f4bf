package cook

import (
	"fmt"
	"testing"
	"time"
)

// A summary prints its line, also as the value that Cook returns.
func TestSummaryPrintsItself(t *testing.T) {
	s := Summary{Found: Count{Assets: 1}, Cooked: Count{Assets: 1}, Took: time.Second}
	const want = "1 asset: 1 cooked in 1s"
	for _, got := range []string{fmt.Sprint(s), fmt.Sprint(&s), s.String()} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// So does what Verify returns.
func TestVerifiedPrintsItself(t *testing.T) {
	v := Verified{Outputs: 2, Differences: 1, Took: time.Second}
	if got := fmt.Sprint(v); got != v.String() || got != fmt.Sprint(&v) {
		t.Errorf("%q, want %q", got, v.String())
	}
}
