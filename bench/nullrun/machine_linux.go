package main

import (
	"io/fs"
	"os"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const supported = true

// ownGroup returns attributes that make a process the leader of a new group, which endGroup can
// end.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

// endGroup sends SIGTERM to all processes of a group, and SIGKILL a second later.
func endGroup(p *os.Process) {
	syscall.Kill(-p.Pid, syscall.SIGTERM)
	time.Sleep(time.Second)
	syscall.Kill(-p.Pid, syscall.SIGKILL)
}

// maxRSS returns the peak memory of an ended process in bytes.
func maxRSS(state *os.ProcessState) int64 {
	if u, ok := state.SysUsage().(*syscall.Rusage); ok {
		return int64(u.Maxrss) << 10
	}
	return 0
}

// ownPeak returns the peak memory of this process in bytes.
func ownPeak() int64 {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return int64(u.Maxrss) << 10
}

func inode(info fs.FileInfo) uint64 {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return st.Ino
	}
	return 0
}

func kernel() string {
	var u unix.Utsname
	if unix.Uname(&u) != nil {
		return "unknown"
	}
	return unix.ByteSliceToString(u.Sysname[:]) + " " + unix.ByteSliceToString(u.Release[:])
}

// fileSystem returns the type of the file system that holds dir, an absolute path.
func fileSystem(dir string) string {
	mounts, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return "unknown"
	}
	return mountType(string(mounts), dir)
}

// mountType returns the file system type of the mount point that contains dir, from mountinfo(5).
// It chooses the longest mount point. Of equal ones it chooses the last, which hides the others.
func mountType(mounts, dir string) string {
	found, longest := "unknown", 0
	for line := range strings.Lines(mounts) {
		before, after, ok := strings.Cut(line, " - ")
		words, types := strings.Fields(before), strings.Fields(after)
		if !ok || len(words) < 5 || len(types) == 0 {
			continue
		}
		point := strings.TrimSuffix(words[4], "/") + "/"
		if strings.HasPrefix(dir+"/", point) && len(point) >= longest {
			found, longest = types[0], len(point)
		}
	}
	return found
}
