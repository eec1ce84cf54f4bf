//go:build linux || darwin

package cook_test

import (
	"testing"

	"github.com/assetcook/assetcook/cook"
)

// TestNoOpRunSystemCalls expects a no-op run to open each directory once and stat each file once,
// without further calls.
func TestNoOpRunSystemCalls(t *testing.T) {
	for _, files := range []int{100, 300} {
		p := smallFiles(t, files)
		want := cook.Calls{
			// A run opens the asset directory and its subdirectories, the output directories, and
			// the directory of the manifest.
			Opened: 1 + smallFolders + smallFolders + 1,
			// A run calls stat for the asset directories, sources, outputs, cook.toml, .cookignore
			// and the manifest.
			Stats: int64(1 + smallFolders + 2*files + 2 + 1),
		}
		for range 2 {
			if s := p.cook(); s.Looked != want || s.ByStamp.Assets != files {
				t.Errorf("%s: %+v, want %+v", s.String(), s.Looked, want)
			}
		}
	}
}
