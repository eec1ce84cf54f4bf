package state

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/internal/confine"
)

func TestFineStamps(t *testing.T) {
	for what, tt := range map[string]struct {
		times []time.Duration
		want  bool
	}{
		"each its own":           {[]time.Duration{0, 3 * time.Microsecond}, true},
		"delayed at first":       {[]time.Duration{0, time.Second, time.Second + 100}, true},
		"ticks of 1 ms":          {[]time.Duration{0, 0, time.Millisecond, time.Millisecond, 2 * time.Millisecond}, false},
		"ticks of 4 ms, crossed": {[]time.Duration{0, 4 * time.Millisecond, 8 * time.Millisecond}, false},
		"ticks of 2 s":           {[]time.Duration{0}, false},
		"set back":               {[]time.Duration{0, -time.Second, -2 * time.Second}, false},
	} {
		t.Run(what, func(t *testing.T) {
			n := 0
			fine, device := measureStamps(func() (scan.Stamp, error) {
				at := tt.times[min(n, len(tt.times)-1)]
				n++
				return scan.Stamp{CTime: 1e18 + int64(at), Device: 7}, nil
			})
			if fine != tt.want || fine && device != 7 {
				t.Errorf("fine %v on device %d", fine, device)
			}
		})
	}
	for failing := range 2 {
		n := 0
		fine, _ := measureStamps(func() (scan.Stamp, error) {
			n++
			if n > failing {
				return scan.Stamp{CTime: int64(n)}, errors.New("no")
			}
			return scan.Stamp{CTime: int64(n)}, nil
		})
		if fine {
			t.Errorf("fine though write %d failed", failing)
		}
	}
}

func TestFineStampsOfDevice(t *testing.T) {
	d := &Dir{fine: func() (bool, uint64) { return true, 7 }}
	if !d.FineStamps(7) || d.FineStamps(8) {
		t.Errorf("device 7 %v, device 8 %v", d.FineStamps(7), d.FineStamps(8))
	}
}

// FuzzHolder parses texts of other programs. They must name no process, and must not be printed.
func FuzzHolder(f *testing.F) {
	for _, text := range []string{
		"", "process 4711\n", "process 12                  \n", "process -1\n", "process 1\x1b[2J\n", "process 1\nprocess 2\n", "\xff",
	} {
		f.Add([]byte(text))
	}
	plain := regexp.MustCompile(`^(process \d{1,10})?$`)
	f.Fuzz(func(t *testing.T, text []byte) {
		if got := parseHolder(text); !plain.MatchString(got) {
			t.Errorf("holder %q", got)
		}
	})
}

func TestParseHolder(t *testing.T) {
	for text, want := range map[string]string{
		"process 4711\n":               "process 4711",
		fmt.Sprintf(textFormat, 12):    "process 12",
		"process 4711 \x1b[2J\n":       "",
		"process \n":                   "",
		strings.Repeat("9", 100):       "",
		"process 18446744073709551615": "",
	} {
		if got := parseHolder([]byte(text)); got != want {
			t.Errorf("parseHolder(%q) = %q, want %q", text, got, want)
		}
	}
}

// TestOwner checks that OtherOwner returns only existing directories. A damaged file names no
// directory.
func TestOwner(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	a, b, out := filepath.Join(dir, "a"), filepath.Join(dir, "b"), filepath.Join(dir, "out")
	for _, name := range []string{a, b, out} {
		if err := os.Mkdir(name, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	folder, err := confine.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	d := Open(folder)
	if err := d.Make(); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Lock(); err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if got := d.OtherOwner(a); got != "" {
		t.Errorf("without a note: %q", got)
	}
	if err := d.SetOwner(a); err != nil {
		t.Fatal(err)
	}
	if got := d.OtherOwner(a); got != "" {
		t.Errorf("of itself: %q", got)
	}
	if got := d.OtherOwner(b); got != a {
		t.Errorf("another folder: %q, want %q", got, a)
	}
	file := filepath.Join(out, ownerName)
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for n := range len(whole) {
		if err := os.WriteFile(file, whole[:n], 0o666); err != nil {
			t.Fatal(err)
		}
		if got := d.OtherOwner(b); got != "" {
			t.Errorf("%d bytes of it: %q", n, got)
		}
	}
	if err := os.WriteFile(file, whole, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(a, filepath.Join(dir, "renamed")); err != nil {
		t.Fatal(err)
	}
	if got := d.OtherOwner(filepath.Join(dir, "renamed")); got != "" {
		t.Errorf("after it was renamed: %q", got)
	}
}
