package builtin

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/assetcook/assetcook/internal/pathname"
)

// newGroup has the program killed when we are, by whatever means. The system
// means by that the thread that has started it; see execute.
func newGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// members returns the processes of a group, their descendants, and the strays. It misses a process
// that left its parents and dropped TMPDIR.
func (s strays) members(leader int) (pids []int) {
	proc, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer proc.Close()
	names, _ := proc.Readdirnames(-1) // whatever could be listed
	children := map[int][]int{}
	is := map[int]bool{}
	add := func(pid int) {
		if !is[pid] {
			is[pid] = true
			pids = append(pids, pid)
		}
	}
	var others []int
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		parent, group := parentOf(pid)
		children[parent] = append(children[parent], pid)
		if group == leader || pid == leader {
			add(pid)
		} else if parent != 0 {
			others = append(others, pid)
		}
	}
	for _, pid := range others {
		if s.marker != nil && pid > leader && s.isMarked(pid) {
			add(pid)
		}
	}
	for i := 0; i < len(pids); i++ {
		for _, child := range children[pids[i]] {
			add(child)
		}
	}
	return pids
}

// parentOf returns the parent and the group of a process, 0 if it has ended.
func parentOf(pid int) (parent, group int) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, 0
	}
	// The name, the second field, is in parentheses and may hold anything.
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	if len(fields) < 3 {
		return 0, 0
	}
	parent, _ = strconv.Atoi(string(fields[1]))
	group, _ = strconv.Atoi(string(fields[2]))
	return parent, group
}

// memoryOf returns the private memory of processes and their share of shared memory, without mapped
// files.
func memoryOf(pids []int) (memory int64) {
	for _, pid := range pids {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid)) // empty if it has ended
		memory += kilobytes(text, "RssAnon:") << 10
		if kilobytes(text, "RssShmem:") > 0 {
			text, _ = os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
			memory += kilobytes(text, "Pss_Shmem:") << 10
		}
	}
	return memory
}

// kilobytes returns the number in the line of a /proc file that starts with name.
func kilobytes(text []byte, name string) int64 {
	_, rest, _ := bytes.Cut(text, []byte("\n"+name))
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	n, _ := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(string(line), "kB")), 10, 64)
	return n
}

// unlinked returns the total size of removed files in directories that processes still have open.
func unlinked(pids []int, folders []string) (size int64) {
	seen := map[[2]uint64]bool{}
	for _, pid := range pids {
		dir := fmt.Sprintf("/proc/%d/fd", pid)
		open, _ := os.ReadDir(dir) // empty if the process has ended
		for _, f := range open {
			name, err := os.Readlink(filepath.Join(dir, f.Name()))
			if err != nil || !strings.HasSuffix(name, " (deleted)") || !slices.ContainsFunc(folders, func(folder string) bool { _, ok := pathname.Below(realName(folder), name); return ok }) {
				continue
			}
			var st unix.Stat_t
			if unix.Stat(filepath.Join(dir, f.Name()), &st) == nil && !seen[[2]uint64{st.Dev, st.Ino}] {
				seen[[2]uint64{st.Dev, st.Ino}] = true
				size += max(smallest, st.Size)
			}
		}
	}
	return size
}

// limitFileSize limits the size of each file that a process and its future children write.
func limitFileSize(pid int, size int64) {
	limit := unix.Rlimit{Cur: uint64(size), Max: uint64(size)}
	unix.Prlimit(pid, unix.RLIMIT_FSIZE, &limit, nil) // if this fails, watch still looks each second
}

// overFileSize reports whether a program ended because a file became too large. A shell reports the
// same about a program that it started by its exit status.
func overFileSize(state *os.ProcessState) bool {
	status, ok := state.Sys().(syscall.WaitStatus)
	return ok && (status.Signaled() && status.Signal() == unix.SIGXFSZ || status.Exited() && status.ExitStatus() == 128+int(unix.SIGXFSZ))
}

// wait waits for the leader and ends the group. It kills the group while the dead leader still has its
// process number, so that no other process can be hit.
func (g *group) wait() (*os.ProcessState, error) {
	for unix.Waitid(unix.P_PID, g.leader.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil) == unix.EINTR {
	}
	g.killGroup()
	return g.leader.Wait()
}
