package state

import (
	"path/filepath"

	"github.com/assetcook/assetcook/cook/internal/manifest"
	"github.com/assetcook/assetcook/cook/internal/statedir"
)

// LogFile is the file of all failures and warnings of the last run that had too many to
// print, in an output folder.
func LogFile(out string) string {
	return filepath.Join(statedir.Home(out), manifest.StateDir, "last.log")
}
