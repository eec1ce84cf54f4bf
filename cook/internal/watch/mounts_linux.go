package watch

import (
	"os"
	"strings"

	"github.com/assetcook/assetcook/internal/pathname"
)

// mounts returns the list of all mounts. It must be compared, because no event reports changes of
// mounts.
func mounts() string {
	text, _ := os.ReadFile("/proc/self/mountinfo")
	return string(text)
}

// local has the types of file systems that no other machine can change.
var local = map[string]bool{
	"ext2": true, "ext3": true, "ext4": true, "xfs": true, "btrfs": true, "tmpfs": true, "f2fs": true, "zfs": true,
	"bcachefs": true, "jfs": true, "nilfs2": true, "reiserfs": true,
}

// allLocal reports whether a directory and everything below it are on local file systems. mounts
// is as in proc_pid_mountinfo(5).
func allLocal(mounts, folder string) bool {
	own, longest := false, -1
	for line := range strings.Lines(mounts) {
		before, after, _ := strings.Cut(line, " - ")
		place, kind := strings.Fields(before), strings.Fields(after)
		if len(place) < 5 || len(kind) == 0 {
			return false
		}
		at := unescape.Replace(place[4])
		if rel, below := pathname.Below(folder, at); below && rel != "." && !local[kind[0]] {
			return false
		}
		if _, above := pathname.Below(at, folder); above && len(at) >= longest {
			own, longest = local[kind[0]], len(at) // the last of several mounts at the same path counts
		}
	}
	return own
}

// unescape decodes names in the list of mounts.
var unescape = strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)
