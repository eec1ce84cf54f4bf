//go:build linux || darwin

package cook_test

import (
	"testing"

	"github.com/assetcook/assetcook/cook"
)

// A no-op run opens each directory once, stats each file once, and does nothing else.
func TestNoOpRunSystemCalls(t *testing.T) {
	for _, files := range []int{100, 300} {
		p := smallFiles(t, files)
		want := cook.Calls{
			// The asset directory and its subdirectories, the output directories, and the directory of
			// the manifest.
			Opened: 1 + smallFolders + smallFolders + 1,
			// The asset directories, sources and outputs, cook.toml, .cookignore and
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
