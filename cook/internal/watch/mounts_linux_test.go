package watch

import (
	"strings"
	"testing"
)

func TestAllLocal(t *testing.T) {
	const mounts = `22 1 259:1 / / rw,relatime shared:1 - ext4 /dev/root rw
23 22 0:5 / /proc rw - proc proc rw
30 22 0:40 / /home/nfs rw shared:7 - nfs4 server:/export rw,addr=10.0.0.1
31 22 0:41 / /mnt/a\040b rw - fuse.sshfs far rw
32 22 0:42 / /fast rw - xfs /dev/sdb rw
33 32 0:43 / /fast/over rw - overlay overlay rw
34 33 0:44 / /fast/over rw - tmpfs tmpfs rw
`
	for folder, want := range map[string]bool{
		"/work":          true,
		"/home":          false, // there is a network mount below this directory
		"/home/nfs":      false,
		"/home/nfs/a":    false,
		"/home/nfs2":     true,
		"/mnt/a b":       false,
		"/mnt/a":         true,
		"/mnt":           false,
		"/fast/assets":   true,
		"/fast/over/dir": true, // a local mount hides the directory
		"/proc/1":        false,
		"/":              false,
	} {
		if got := allLocal(mounts, folder); got != want {
			t.Errorf("%s: %t", folder, got)
		}
	}
	for _, torn := range []string{"", "22 1 259:1 / /", "22 1 259:1 / / rw - ", strings.Repeat("- ", 9)} {
		if allLocal(torn, "/work") {
			t.Errorf("%q: local", torn)
		}
	}
}
