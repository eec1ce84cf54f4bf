package sysmem

import "testing"

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		status string
		want   int64
	}{
		{"Name:\tcook\nVmPeak:\t  9000 kB\nVmHWM:\t    1234 kB\nVmRSS:\t    1000 kB\n", 1234 << 10},
		{"VmHWM:\t1 kB", 1 << 10},
		{"", 0},
		{"VmRSS:\t1000 kB\n", 0},
		{"VmHWM:\t1234 MB\n", 0},
		{"VmHWM:\t-1 kB\n", 0},
		{"VmHWM:\t9223372036854775807 kB\n", 0},
		{"VmHWM:\n", 0},
	} {
		if got := parse([]byte(tt.status), "VmHWM:"); got != tt.want {
			t.Errorf("%q: %d, want %d", tt.status, got, tt.want)
		}
	}
}

// TestPeakRSSNeverFalls checks that PeakRSS does not decrease, even if the system later reports
// less.
func TestPeakRSSNeverFalls(t *testing.T) {
	said := PeakRSS() + 1<<20
	mostRSS.Store(said)
	defer mostRSS.Store(0)
	if now := PeakRSS(); now < said {
		t.Errorf("%d bytes, then %d", said, now)
	}
}
