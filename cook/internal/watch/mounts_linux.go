package watch

import (
	"os"
	"strings"

	"github.com/assetcook/assetcook/internal/pathname"
)

// mounts returns what is mounted where. No event reports a change.
func mounts() string {
	text, _ := os.ReadFile("/proc/self/mountinfo")
	return string(text)
}

// local are file systems whose changes are all made by this system.
var local = map[string]bool{
	"ext2": true, "ext3": true, "ext4": true, "xfs": true, "btrfs": true, "tmpfs": true, "f2fs": true, "zfs": true,
	"bcachefs": true, "jfs": true, "nilfs2": true, "reiserfs": true,
}

// allLocal reports whether a folder and all below it lie on file systems that report
// every change, given what is mounted where, see proc_pid_mountinfo(5).
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
			own, longest = local[kind[0]], len(at) // of several mounts at one place the last one counts
		}
	}
	return own
}

// unescape undoes what the system does to names.
var unescape = strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)
