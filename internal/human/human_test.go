package human

import (
	"testing"
	"time"
)

func TestDurationAndBytes(t *testing.T) {
	for d, want := range map[time.Duration]string{
		0: "0s", 74: "74ns", 1234 * time.Nanosecond: "1.23µs", 12345 * time.Nanosecond: "12µs", 4294 * time.Microsecond: "4.29ms", 38123 * time.Microsecond: "38ms",
		1516 * time.Millisecond: "1.52s", 872*time.Second + 1: "14m32s",
	} {
		if got := Duration(d); got != want {
			t.Errorf("Duration(%d) = %s, want %s", d, got, want)
		}
	}
	for n, want := range map[int]string{0: "0 files", 1: "1 file", 2: "2 files", 21: "21 files", -1: "-1 files"} {
		if got := Count(n, "file"); got != want {
			t.Errorf("Count(%d) = %s, want %s", n, got, want)
		}
	}
	for n, want := range map[int64]string{0: "0 B", 1023: "1023 B", 1024: "1.0 KiB", 1<<20 - 1: "1.0 MiB", 5 << 30: "5.0 GiB", 1 << 62: "4.0 EiB"} {
		if got := Bytes(n); got != want {
			t.Errorf("Bytes(%d) = %s, want %s", n, got, want)
		}
	}
}
