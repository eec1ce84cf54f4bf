package builtin

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/assetcook/assetcook/internal/pathname"
)

// setProcessGroup has the system kill the program when the thread that started it ends, and so when this
// process ends in any way; see executeInGroup.
func setProcessGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// membersOf returns the processes of a group, their descendants, and the strays. It does not find a
// process that left its parents and dropped TMPDIR.
func (s strays) membersOf(leader int) (pids []int) {
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
		memory += procKilobytes(text, "RssAnon:") << 10
		if procKilobytes(text, "RssShmem:") > 0 {
			text, _ = os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
			memory += procKilobytes(text, "Pss_Shmem:") << 10
		}
	}
	return memory
}

// procKilobytes returns the number in the line of a /proc file that starts with name.
func procKilobytes(text []byte, name string) int64 {
	_, rest, _ := bytes.Cut(text, []byte("\n"+name))
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	n, _ := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(string(line), "kB")), 10, 64)
	return n
}

// sizeOfRemoved returns the total size of removed files in directories that processes still have open.
func sizeOfRemoved(pids []int, folders []string) (size int64) {
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
	unix.Prlimit(pid, unix.RLIMIT_FSIZE, &limit, nil) // if this fails, watchLimits still looks each second
}

// overFileSize reports whether a program ended because a file became too large. A shell reports the
// same about a program that it started by its exit status.
func overFileSize(state *os.ProcessState) bool {
	status, ok := state.Sys().(syscall.WaitStatus)
	return ok && (status.Signaled() && status.Signal() == unix.SIGXFSZ || status.Exited() && status.ExitStatus() == 128+int(unix.SIGXFSZ))
}

// waitForLeader waits for the leader and ends the group. It kills the group while the dead leader still has its
// process number, so that no other process can be hit.
func (g *group) waitForLeader() (*os.ProcessState, error) {
	for unix.Waitid(unix.P_PID, g.leader.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil) == unix.EINTR {
	}
	g.killGroup()
	return g.leader.Wait()
}

// Strays are processes that a program started and that have left its process group, by setsid and the
// double fork of a daemon. They inherit the variable TMPDIR, which names a directory that no other
// program got. So they can be found without a change of this process (no subreaper), and without
// privileges (no namespace, in which programs would be process 1, with other rules for signals).
//
// A stray that has dropped TMPDIR or belongs to another user is not found.
type strays struct {
	marker []byte    // the variable in the form of an environment
	after  int       // the process number before the first of them
	since  time.Time // the time of that
}

const (
	// straysLate is the longest run of a program in which process numbers cannot wrap around.
	straysLate = time.Second
	// straysRange is the most process numbers that are cheaper to try than to list.
	straysRange = 256
	// straysPasses bounds the search if new processes come without end.
	straysPasses = 100
	// straysPatience is the longest time that a process takes to become another program.
	straysPatience = 2 * time.Second
)

// findStrays returns the means to find the strays of a program with an environment, in which TMPDIR is
// scratch unless the rule has changed it.
func findStrays(environ []string, scratch string) strays {
	marker := "TMPDIR=" + scratch
	if !slices.Contains(environ, marker) {
		return strays{} // none would have it
	}
	return strays{marker: []byte(marker), since: time.Now()}
}

// killStrays kills all strays. The program itself and its group must be dead.
//
// A process may start a child during the search and end before the search reaches it, and a child
// may have a number before it can be seen. The number of a child is higher than its parent's. So a
// search in ascending order finds the parent or the child, unless the number of the child is beyond
// the end of the search. The search is complete when it found no stray and no new number was given
// meanwhile.
func (s strays) killStrays() {
	if s.marker == nil || s.after == 0 || !procIsOurs() {
		return
	}
	late := time.Since(s.since) >= straysLate
	killed := map[int]bool{}
	for range straysPasses {
		last := lastProcess()
		found := false
		for _, pid := range suspects(s.after, last, late) {
			if !killed[pid] && s.are(pid) && s.killOne(pid) {
				killed[pid], found = true, true
			}
		}
		if !found && lastProcess() == last {
			return
		}
	}
}

// procIsOurs reports whether /proc has the processes under the same numbers as this process.
func procIsOurs() bool {
	self, err := os.Readlink("/proc/self")
	return err == nil && self == strconv.Itoa(os.Getpid())
}

// suspects lists the processes whose numbers were given after one and up to another. It lists all
// if it is late, or if the numbers have started again from the lowest.
func suspects(after, last int, late bool) []int {
	if !late && last >= after && last-after <= straysRange {
		pids := make([]int, 0, last-after)
		for pid := after + 1; pid <= last; pid++ {
			pids = append(pids, pid)
		}
		return pids
	}
	proc, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer proc.Close()
	names, _ := proc.Readdirnames(-1) // whatever could be listed
	var pids []int
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil && pid != os.Getpid() {
			pids = append(pids, pid)
		}
	}
	return pids
}

// lastProcess returns the number that was given last to a process or thread, 0 if it is unknown.
func lastProcess() int {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return 0
	}
	last, _ := strconv.Atoi(strings.TrimSpace(string(text[bytes.LastIndexByte(bytes.TrimSpace(text), ' ')+1:])))
	return last
}

// are reports whether a process is one of the strays.
func (s strays) are(pid int) bool {
	for end := time.Now().Add(straysPatience); ; time.Sleep(100 * time.Microsecond) {
		environ, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
		if err != nil {
			return false // gone, or another user's
		}
		if len(environ) > 0 {
			return s.marksStray(environ)
		}
		if !isStarting(pid) || time.Now().After(end) {
			return false
		}
	}
}

// marksStray reports whether a process with this environment is a stray.
func (s strays) marksStray(environ []byte) bool {
	return bytes.HasPrefix(environ, append(s.marker, 0)) || bytes.Contains(environ, slices.Concat([]byte{0}, s.marker, []byte{0}))
}

// isMarked is like are, but looks once and never waits.
func (s strays) isMarked(pid int) bool {
	environ, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	return err == nil && s.marksStray(environ)
}

// isStarting reports whether a process is about to become another program, and
// has no environment just now.
func isStarting(pid int) bool {
	const kernelThread = 0x00200000 // PF_KTHREAD of the kernel's sched.h
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	// The name, the second field, is in parentheses and may hold anything.
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	if len(fields) < 49 {
		return false
	}
	state, envEnd := fields[0], fields[48] // envEnd is 0 until there is an environment, even an empty one
	flags, err := strconv.ParseUint(fields[6], 10, 32)
	return err == nil && state != "Z" && state != "X" && flags&kernelThread == 0 && envEnd == "0"
}

// killOne kills a stray, but not another process that got the same number meanwhile.
func (s strays) killOne(pid int) bool {
	fd, err := unix.PidfdOpen(pid, 0)
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM) {
		return unix.Kill(pid, unix.SIGKILL) == nil // an old kernel, or one that is kept from us
	}
	if err != nil {
		return false // gone, or a thread of a process that has a number of its own
	}
	defer unix.Close(fd)
	return s.are(pid) && unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0) == nil
}
