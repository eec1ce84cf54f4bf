package cook

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/assetcook/assetcook/cook/index"
	"github.com/assetcook/assetcook/cook/scan"
	"github.com/assetcook/assetcook/internal/confine"
)

func TestFinely(t *testing.T) {
	for what, tt := range map[string]struct {
		times []time.Duration // of one write after the other
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
			fine, device := finely(func() (scan.Stamp, error) {
				at := tt.times[min(n, len(tt.times)-1)]
				n++
				return scan.Stamp{CTime: 1e18 + int64(at), Device: 7}, nil
			})
			if fine != tt.want || fine && device != 7 {
				t.Errorf("%v on device %d", fine, device)
			}
		})
	}
	if fine, _ := finely(func() (scan.Stamp, error) { return scan.Stamp{}, errors.New("no") }); fine {
		t.Error("fine, though nothing can be written")
	}
}

// Where stamps are coarse, an artifact is only trusted after its content was seen
// once more.
func TestSettle(t *testing.T) {
	out, err := confine.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	sum, err := checksum("")
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(out.Name(), "a")
	if err := os.WriteFile(name, []byte("content"), 0o666); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(name)
	if err != nil {
		t.Fatal(err)
	}
	stamp := scan.StampOf(info)
	other := stamp
	other.MTime--
	for what, tt := range map[string]struct {
		later   time.Duration // than the stamp
		fine    bool
		stamp   scan.Stamp
		content string
		want    bool
	}{
		"fresh":             {time.Second, true, stamp, "content", false},
		"old, fine":         {time.Minute, true, stamp, "content", true},
		"old, fine, edited": {time.Minute, true, other, "content", false},
		// Whoever edited it within the tick of its stamp left no trace in that.
		"old, coarse, edited": {time.Minute, false, stamp, "CONTENT", false},
		"old, coarse":         {time.Minute, false, stamp, "content", true},
		"of no file":          {time.Minute, true, scan.Stamp{Size: stamp.Size}, "content", false},
	} {
		t.Run(what, func(t *testing.T) {
			now := info.ModTime().Add(tt.later)
			k := &kitchen{out: out, checksum: sum, clock: scan.NewClock(now, func() time.Time { return now })}
			k.fineOnce.Do(func() { k.fine, k.fineDevice = tt.fine, stamp.Device })
			made := []index.Artifact{{Path: "a", Stamp: tt.stamp, Sum: sum.Sum128([]byte(tt.content))}}
			k.settle(made)
			if made[0].Settled != tt.want {
				t.Errorf("settled %v", made[0].Settled)
			}
		})
	}
}
