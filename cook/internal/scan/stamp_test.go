package scan

import (
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestStampHasTheFieldsOfStat(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a")
	if err := os.WriteFile(name, []byte("12345"), 0o644); err != nil {
		t.Fatal(err)
	}
	when := time.Unix(1_234_567_890, 123_456_700)
	if err := os.Chtimes(name, when, when); err != nil {
		t.Fatal(err)
	}
	fi, err := os.Stat(name)
	if err != nil {
		t.Fatal(err)
	}
	s := StampOf(fi)
	if s.Size != 5 || s.MTime != when.UnixNano() || fs.FileMode(s.Mode) != fi.Mode() {
		t.Errorf("got %+v of a file of 5 bytes from %d", s, when.UnixNano())
	}
	switch runtime.GOOS {
	case "linux", "darwin":
		if s.CTime <= s.MTime || s.Inode == 0 || s.Device == 0 {
			t.Errorf("got %+v, want change time, inode and device", s)
		}
	default:
		if s.CTime != 0 || s.Inode != 0 || s.Device != 0 {
			t.Errorf("got %+v, want neither change time nor inode nor device", s)
		}
	}
	again, err := os.Lstat(name)
	if err != nil {
		t.Fatal(err)
	}
	if StampOf(again) != s {
		t.Errorf("untouched file: got %+v, then %+v", s, StampOf(again))
	}
}

func TestRecentChangeIsNotSettled(t *testing.T) {
	const now = int64(1_700_000_000_000_000_000)
	const tick = int64(SettleTime)
	tests := []struct {
		name         string
		mtime, ctime int64
		at           int64
		want         bool
	}{
		{"old", 1, 1, now, true},
		{"just long enough", 0, now - tick, now, true},
		{"one short", 0, now - tick + 1, now, false},
		{"same instant", now, now, now, false},
		{"future", 0, now + 1, now, false},
		{"far future", 0, math.MaxInt64, now, false},
		{"old write, fresh rename", 1, now - 1, now, false},
		{"future write time, settled change", now + 5*tick, now - tick, now, true},
		{"no ctime, settled", now - tick, 0, now, true},
		{"no ctime, fresh", now - tick + 1, 0, now, false},
		{"before 1970", math.MinInt64, 0, now, true},
		{"clock before 1970", -10, -5, -4, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := (Stamp{MTime: tt.mtime, CTime: tt.ctime}).Settled(tt.at); got != tt.want {
				t.Errorf("got %v", got)
			}
		})
	}
}

func TestOldStampsAreSettled(t *testing.T) {
	const s = int64(time.Second)
	begin := time.Unix(1_700_000_000, 0)
	const here, there = 1, 2
	for _, tt := range []struct {
		name      string
		written   int64 // time of the file system, relative to begin
		set       int64 // change of the local clock
		device    uint64
		changed   int64 // time of the change, relative to begin
		want      bool  // result of Settled
		wantSince bool  // result of SettledSince, 10 s after begin
	}{
		{name: "old", device: here, changed: -3 * s, want: true, wantSince: true},
		{name: "fresh", device: here, changed: -s, want: false, wantSince: true},
		{name: "in the run", device: here, changed: 5 * s, want: false, wantSince: true},
		{name: "just now", device: here, changed: 9 * s},
		{name: "in the future", device: here, changed: 3600 * s},
		{name: "server behind, fresh there", written: -100 * s, device: here, changed: -101 * s, wantSince: true},
		{name: "server behind, old there", written: -100 * s, device: here, changed: -103 * s, want: true, wantSince: true},
		{name: "server behind, just now there", written: -100 * s, device: here, changed: -91 * s},
		{name: "server behind, file elsewhere", written: -100 * s, device: there, changed: -50 * s, want: true, wantSince: true},
		{name: "server ahead, old here", written: 100 * s, device: here, changed: -3 * s, want: true, wantSince: true},
		{name: "server ahead, fresh here", written: 100 * s, device: here, changed: 50 * s},
		{name: "whole seconds", written: -s, device: here, changed: -3 * s, wantSince: true},
		{name: "set back, seems old", set: -60 * s, device: here, changed: -55 * s, wantSince: true},
		{name: "set back, is old", set: -60 * s, device: here, changed: -63 * s, want: true, wantSince: true},
		{name: "set back, elsewhere", set: -60 * s, device: there, changed: -51 * s},
		{name: "set forward", set: 60 * s, device: here, changed: -s, wantSince: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := NewClock(begin, nil)
			c.read = func() (int64, time.Duration) {
				return begin.UnixNano() + 10*s + tt.set, 10 * time.Second
			}
			c.Written(Stamp{Device: here, CTime: begin.UnixNano() + tt.written})
			st := Stamp{Device: tt.device, CTime: begin.UnixNano() + tt.changed}
			if got := c.Settled(st); got != tt.want {
				t.Errorf("settled %v", got)
			}
			if got := c.SettledSince(st); got != tt.wantSince {
				t.Errorf("settled since %v", got)
			}
		})
	}
}

// TestSettledStampDiffersFromEveryLaterStamp simulates file systems with random ticks and random
// lags of their clocks. A settled stamp must differ from the stamp of every later write.
func TestSettledStampDiffersFromEveryLaterStamp(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const tenth = int64(100 * time.Millisecond) // maximum lag in this test
		tick := rapid.SampledFrom([]int64{1, 4e6, 10e6, 1e9, 2e9}).Draw(t, "tick")
		ctime := func(at int64, late string) int64 {
			return (at - rapid.Int64Range(0, tenth).Draw(t, late)) / tick * tick
		}
		first := 1_700_000_001_000_000_000 + rapid.Int64Range(0, 2e9).Draw(t, "first")
		before := ctime(first, "how late first")
		at := max(first, before+int64(SettleTime)+rapid.Int64Range(-2*tenth, 2*tenth).Draw(t, "age"))
		after := ctime(at, "how late then")
		if before == after && (Stamp{CTime: before}).Settled(at) {
			t.Fatalf("a write at %d and one after %d have the same stamp", first, at)
		}
	})
}

// TestSettledBySystemClock uses a clock that does not advance, and the clock of the system.
func TestSettledBySystemClock(t *testing.T) {
	now := time.Now()
	still := NewClock(now, func() time.Time { return now })
	for age, want := range map[time.Duration]bool{0: false, SettleTime - 1: false, SettleTime: true} {
		s := Stamp{CTime: now.Add(-age).UnixNano()}
		if still.Settled(s) != want || still.SettledSince(s) != want {
			t.Errorf("changed %v before: %v, %v", age, still.Settled(s), still.SettledSince(s))
		}
	}
	// The time of day and the monotonic clock are not read at the same moment.
	real := NewClock(now, time.Now)
	for age, want := range map[time.Duration]bool{0: false, SettleTime / 2: false, 2 * SettleTime: true} {
		if s := (Stamp{CTime: now.Add(-age).UnixNano()}); real.Settled(s) != want {
			t.Errorf("changed %v before, by the system's clocks: %v", age, !want)
		}
	}
}
