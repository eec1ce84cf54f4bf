package sysmem

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// groupMemory returns the smallest memory limit of a process's control groups, or 0 if there is
// none. A group's limit also applies to all groups below it.
//
// root is the mount point of the groups, and groups is the content of /proc/self/cgroup: a line
// "0::/path" for version 2, "7:memory:/path" for version 1. In a container the path may refer to
// the host and not exist. Then the mount point itself is the group.
func groupMemory(root, groups string) int64 {
	least := int64(0)
	for line := range strings.Lines(groups) {
		words := strings.SplitN(strings.TrimSuffix(line, "\n"), ":", 3)
		if len(words) != 3 {
			continue
		}
		dir, file := root, "memory.max"
		if words[1] != "" { // version 1 of control groups
			if !strings.Contains(","+words[1]+",", ",memory,") {
				continue
			}
			dir, file = filepath.Join(root, "memory"), "memory.limit_in_bytes"
		}
		// Joining the path to "/" ensures that it cannot lead out of the hierarchy.
		for group := filepath.Join("/", words[2]); ; group = filepath.Dir(group) {
			if n := readLimit(filepath.Join(dir, group, file)); n > 0 && (least == 0 || n < least) {
				least = n
			}
			if group == "/" {
				break
			}
		}
	}
	return least
}

// readLimit reads a number of bytes. It returns 0 for "max" and for text that is not a number.
// Version 1 uses a number near 2^63 if there is no limit.
func readLimit(name string) int64 {
	text, err := os.ReadFile(name)
	if err != nil {
		return 0
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	if err != nil || n < 0 || n >= 1<<62 {
		return 0
	}
	return n
}
