package contents

import (
	"context"

	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/hashing"
	"github.com/assetcook/assetcook/internal/confine"
	"github.com/assetcook/assetcook/internal/lease"
)

// Holds reads a file of the output folder and reports whether it has an artifact's
// content, by size and checksum, and will show any change by its stamp: no process has
// it open for writing. A file that cannot be read does not hold it.
func Holds(ctx context.Context, summer *hashing.Summer, out *confine.Dir, file string, m *index.Artifact) bool {
	f, err := out.OpenFile(file)
	if err != nil {
		return false
	}
	defer f.Close()
	if lease.File(f) == lease.Busy {
		return false
	}
	sum, err := summer.Sum(ctx, f, hashing.WantSum)
	return err == nil && sum.Size == m.Stamp.Size && sum.Sum == m.Sum
}
