package commit

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/scan"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/confine"
)

// On a file system with coarse stamps, an artifact is trusted only after its content was read
// again.
func TestRecheckStamps(t *testing.T) {
	out, err := confine.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	sum, ok := hashing.Lookup("xxh128")
	if !ok {
		t.Fatal("no checksum")
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
	edited := stamp
	edited.MTime--
	for what, tt := range map[string]struct {
		age     time.Duration
		fine    bool
		stamp   scan.Stamp
		content string
		want    bool
	}{
		"new, fine":         {time.Second, true, stamp, "content", false},
		"new, coarse":       {time.Second, false, stamp, "content", false},
		"old, fine":         {time.Minute, true, stamp, "content", true},
		"old, fine, edited": {time.Minute, true, edited, "content", false},
		// An edit within the same tick of the clock leaves the stamp unchanged.
		"old, coarse, edited": {time.Minute, false, stamp, "CONTENT", false},
		"old, coarse":         {time.Minute, false, stamp, "content", true},
		"of another file":     {time.Minute, true, scan.Stamp{Size: stamp.Size}, "content", false},
	} {
		t.Run(what, func(t *testing.T) {
			now := time.Unix(0, max(stamp.MTime, stamp.CTime)).Add(tt.age)
			c := recheck{hashing.NewSummer(sum), scan.NewClock(now, func() time.Time { return now }), out, func(device uint64) bool { return tt.fine && device == tt.stamp.Device }, new(confine.LastFolder)}
			defer c.last.Close()
			made := []index.Artifact{{Path: "a", Stamp: tt.stamp, Sum: sum.Sum128([]byte(tt.content))}}
			c.settleArtifacts(made)
			if made[0].Settled != tt.want {
				t.Errorf("settled %v", made[0].Settled)
			}
		})
	}
}
