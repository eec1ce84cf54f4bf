package main

import "testing"

func TestMountType(t *testing.T) {
	const mounts = `22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/root rw
30 22 0:25 / /tmp rw - tmpfs tmpfs rw
31 22 0:26 / /tmp/deep rw shared:2 master:1 - btrfs /dev/x rw
32 22 0:27 / /tmp/deep rw - xfs /dev/y rw
33 22 0:28 / /tmpfoo rw - zfs z rw
broken line
34 22 - 
`
	for dir, want := range map[string]string{
		"/": "ext4", "/home/x": "ext4", "/tmp": "tmpfs", "/tmp/a": "tmpfs", "/tmp/deep/er": "xfs", "/tmpfoo": "zfs", "/tmpfo": "ext4",
	} {
		if got := mountType(mounts, dir); got != want {
			t.Errorf("%s is on %s, want %s", dir, got, want)
		}
	}
	if got := mountType("", "/"); got != "unknown" {
		t.Errorf("without mounts: %s", got)
	}
}
