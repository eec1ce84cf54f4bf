package scan

import (
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"
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
