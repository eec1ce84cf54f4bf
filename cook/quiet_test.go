package cook_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/cook/cooktest"
	"github.com/assetcook/assetcook/cook/scan"
)

// When nothing changed, nothing is written: no file or folder of the output
// folder or the store gets another stamp.
func TestNothingChangedNothingWritten(t *testing.T) {
	dir := t.TempDir()
	assets := filepath.Join(dir, "assets")
	if err := os.Mkdir(assets, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"a.txt": "text", "b.json": "{}", "c.png": string(cooktest.Picture(1))} {
		if err := os.WriteFile(filepath.Join(assets, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	stamps := func() map[string]scan.Stamp {
		all := map[string]scan.Stamp{}
		for _, root := range []string{filepath.Join(dir, "cooked"), filepath.Join(dir, "store")} {
			err := filepath.WalkDir(root, func(name string, d os.DirEntry, err error) error {
				if err != nil || d.Name() == "lock" { // it holds the process ID
					return err
				}
				info, err := d.Info()
				all[name] = scan.StampOf(info)
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		return all
	}
	opt := cook.Options{Dir: assets, Cache: filepath.Join(dir, "store"),
		// By this clock every stamp is old enough to be trusted.
		Now: func() time.Time { return time.Now().Add(time.Hour) }}
	var before map[string]scan.Stamp
	for i := range 3 {
		s, err := cook.Cook(t.Context(), opt)
		if err != nil {
			t.Fatal(err)
		}
		now := stamps()
		if i == 0 {
			if s.Cooked.Assets != 3 || len(now) < 6 {
				t.Fatalf("%s, %d files", s.Line(), len(now))
			}
			before = now
			continue
		}
		if s.ByStamp.Assets != 3 || s.Checksummed.Assets != 0 {
			t.Errorf("run %d: %s, %d files checksummed", i, s.Line(), s.Checksummed.Assets)
		}
		for name, stamp := range now {
			if before[name] != stamp {
				t.Errorf("run %d wrote %s", i, name)
			}
		}
		if len(now) != len(before) {
			t.Errorf("run %d: %d files, there were %d", i, len(now), len(before))
		}
	}
}
