package watch

import (
	"testing"
	"time"
)

func TestPace(t *testing.T) {
	for _, test := range []struct {
		name   string
		took   time.Duration
		worked bool
		cores  int
		shown  bool
		want   time.Duration
		poll   time.Duration
	}{
		{"small tree", 10 * time.Millisecond, false, 2, true, time.Minute, 2 * time.Second},
		{"large tree", 2 * time.Second, false, 2, true, 800 * time.Second, 20 * time.Second},
		{"many cores", 2 * time.Second, false, 4, true, 1600 * time.Second, 20 * time.Second},
		{"very large tree", time.Minute, false, 8, true, time.Hour, time.Minute},
		{"large tree elsewhere", 2 * time.Second, false, 2, false, time.Minute, 20 * time.Second},
		{"with work", time.Hour, true, 2, true, time.Minute, 2 * time.Second},
	} {
		t.Run(test.name, func(t *testing.T) {
			var p pace
			now := time.Unix(1, 0)
			p.looked(now, test.took, test.worked)
			if got := p.due(test.cores, test.shown).Sub(now); got != test.want {
				t.Errorf("due in %v, want %v", got, test.want)
			}
			if got := p.poll(); got != test.poll {
				t.Errorf("polls after %v, want %v", got, test.poll)
			}
		})
	}
}

// The duration of a scan that found work is not used to schedule the next scan.
func TestPaceRemembers(t *testing.T) {
	var p pace
	p.looked(time.Unix(1, 0), time.Second, false)
	p.looked(time.Unix(9, 0), time.Hour, true)
	if got := p.due(1, true); !got.Equal(time.Unix(209, 0)) {
		t.Errorf("due at %v", got)
	}
}
