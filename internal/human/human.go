// Package human formats durations and sizes for people.
package human

import (
	"fmt"
	"time"
)

// Duration formats a duration with at most three digits: 74ns, 1.23µs, 38ms, 1.52s, 14m32s.
func Duration(d time.Duration) string {
	switch {
	case d < time.Microsecond:
		return d.String()
	case d < 10*time.Microsecond:
		return d.Round(10 * time.Nanosecond).String()
	case d < time.Millisecond:
		return d.Round(time.Microsecond).String()
	case d < 10*time.Millisecond:
		return d.Round(10 * time.Microsecond).String()
	case d < time.Second:
		return d.Round(time.Millisecond).String()
	case d < time.Minute:
		return d.Round(10 * time.Millisecond).String()
	}
	return d.Round(time.Second).String()
}

// Count formats a number of things: 1 asset, 2 assets.
func Count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// Bytes formats a size with its unit: 312 B, 4.7 MiB.
func Bytes(n int64) string {
	const units = "KMGTPE"
	if n < 1024 {
		return fmt.Sprintf("%d B", n)
	}
	x, u := float64(n)/1024, 0
	for x >= 1023.95 && u < len(units)-1 {
		x, u = x/1024, u+1
	}
	return fmt.Sprintf("%.1f %ciB", x, units[u])
}
