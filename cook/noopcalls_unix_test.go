//go:build linux || darwin

package cook_test

import (
	"testing"

	"github.com/assetcook/assetcook/cook"
)

// A no-op run opens each folder once, stats each file once, and does nothing else.
func TestNoOpRunSystemCalls(t *testing.T) {
	for _, files := range []int{100, 300} {
		p := smallFiles(t, files)
		want := cook.Calls{
			// The asset folder and its subfolders, the output folders, and the folder of
			// the manifest.
			Opened: 1 + smallFolders + smallFolders + 1,
			// The asset folders, sources and outputs, cook.toml, .cookignore and
			// the manifest.
			Stats: int64(1 + smallFolders + 2*files + 2 + 1),
		}
		for range 2 {
			if s := p.cook(); s.Looked != want || s.ByStamp.Assets != files {
				t.Errorf("%s: %+v, want %+v", s.String(), s.Looked, want)
			}
		}
	}
}
