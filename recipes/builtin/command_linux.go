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

// setProcessGroup makes the kernel kill the program when the thread that started it ends. So the
// program dies whenever this process ends; see executeInGroup.
func setProcessGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// membersOf returns the processes in a group, their descendants, and the program's strays. It does
// not find a process that has left its parents and dropped TMPDIR.
func (s strays) membersOf(leader int) (pids []int) {
	proc, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer proc.Close()
	names, _ := proc.Readdirnames(-1) // after an error, the names that were read before it
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

// parentOf returns the parent and the group of a process, or 0 if the process has ended.
func parentOf(pid int) (parent, group int) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, 0
	}
	// The second field, the name, is in parentheses and may contain any characters.
	fields := bytes.Fields(text[bytes.LastIndexByte(text, ')')+1:])
	if len(fields) < 3 {
		return 0, 0
	}
	parent, _ = strconv.Atoi(string(fields[1]))
	group, _ = strconv.Atoi(string(fields[2]))
	return parent, group
}

// memoryOf returns the memory of processes: their private memory and their share of shared memory,
// without mapped files.
func memoryOf(pids []int) (memory int64) {
	for _, pid := range pids {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid)) // empty if the process has ended
		memory += procKilobytes(text, "RssAnon:") << 10
		if procKilobytes(text, "RssShmem:") > 0 {
			text, _ = os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
			memory += procKilobytes(text, "Pss_Shmem:") << 10
		}
	}
	return memory
}

// procKilobytes returns the number in the first line that starts with name, in a /proc file.
func procKilobytes(text []byte, name string) int64 {
	_, rest, _ := bytes.Cut(text, []byte("\n"+name))
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	n, _ := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(string(line), "kB")), 10, 64)
	return n
}

// sizeOfRemoved returns the total size of deleted files that processes still have open in the
// given directories.
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
	unix.Prlimit(pid, unix.RLIMIT_FSIZE, &limit, nil) // error ignored, because watchLimits also checks sizes
}

// overFileSize reports whether a program was ended because a file became too large. If the program
// was started by a shell, the shell's exit status is 128 plus the signal.
func overFileSize(state *os.ProcessState) bool {
	status, ok := state.Sys().(syscall.WaitStatus)
	return ok && (status.Signaled() && status.Signal() == unix.SIGXFSZ || status.Exited() && status.ExitStatus() == 128+int(unix.SIGXFSZ))
}

// waitForLeader waits for the leader and kills the rest of the group. It does so before it releases
// the process ID of the dead leader, which another process could get.
func (g *group) waitForLeader() (*os.ProcessState, error) {
	for unix.Waitid(unix.P_PID, g.leader.Pid, nil, unix.WEXITED|unix.WNOWAIT, nil) == unix.EINTR {
	}
	g.killGroup()
	return g.leader.Wait()
}

// Strays are processes that a program started and that left its process group with setsid and the
// double fork of a daemon. They inherit the variable TMPDIR, which names a directory that no other
// program uses. So they can be found without changing this process (no subreaper) and without
// privileges. A PID namespace would need privileges, and different signal rules apply to its first
// process.
//
// A stray that has dropped TMPDIR or belongs to another user is not found.
type strays struct {
	marker []byte    // the entry of TMPDIR in the environment
	after  int       // process ID of the program; its strays have later IDs
	since  time.Time // time when the program was started
}

const (
	// straysLate is a runtime within which process IDs cannot wrap around.
	straysLate = time.Second
	// straysRange is the number of process IDs above which listing /proc is cheaper than trying
	// each ID.
	straysRange = 256
	// straysPasses limits the number of search passes, since new processes may keep appearing.
	straysPasses = 100
	// straysPatience limits the wait for a process that is in exec and has no environment yet.
	straysPatience = 2 * time.Second
)

// findStrays prepares the search for the strays of a program with the given environment. TMPDIR
// is scratch unless the rule changes it.
func findStrays(environ []string, scratch string) strays {
	marker := "TMPDIR=" + scratch
	if !slices.Contains(environ, marker) {
		return strays{} // this TMPDIR does not identify strays
	}
	return strays{marker: []byte(marker), since: time.Now()}
}

// killStrays kills all strays. The program itself and its group must be dead.
//
// During a search, a process may start a child and end before the search reaches it. A child may
// have a process ID before it is visible. A child's ID is higher than its parent's. So a search in
// ascending order finds the parent or the child, unless the child's ID is beyond the end of the
// search. The search is complete if a pass found no stray and no new ID was assigned during the
// pass.
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

// procIsOurs reports whether the process IDs in /proc are the IDs that this process sees.
func procIsOurs() bool {
	self, err := os.Readlink("/proc/self")
	return err == nil && self == strconv.Itoa(os.Getpid())
}

// suspects returns the process IDs from after+1 to last. It returns all processes if late is set,
// if IDs have wrapped around, or if there are more than straysRange IDs.
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
	names, _ := proc.Readdirnames(-1) // names that were read before an error
	var pids []int
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil && pid != os.Getpid() {
			pids = append(pids, pid)
		}
	}
	return pids
}

// lastProcess returns the most recently assigned ID of a process or thread, or 0 if it is
// unknown.
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
			return false // the process has ended, or belongs to another user
		}
		if len(environ) > 0 {
			return s.marksStray(environ)
		}
		if !isStarting(pid) || time.Now().After(end) {
			return false
		}
	}
}

// marksStray reports whether the environment belongs to a stray.
func (s strays) marksStray(environ []byte) bool {
	// The marker is copied, because other goroutines read it at the same time.
	variable := slices.Concat([]byte{0}, s.marker, []byte{0})
	return bytes.HasPrefix(environ, variable[1:]) || bytes.Contains(environ, variable)
}

// isMarked is like the method are, but checks only once and does not wait.
func (s strays) isMarked(pid int) bool {
	environ, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", pid))
	return err == nil && s.marksStray(environ)
}

// isStarting reports whether a process is in exec and has no environment yet.
func isStarting(pid int) bool {
	const kernelThread = 0x00200000 // PF_KTHREAD of the kernel's sched.h
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return false
	}
	// The second field, the name, is in parentheses and may contain any characters.
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	if len(fields) < 49 {
		return false
	}
	state, envEnd := fields[0], fields[48] // envEnd in /proc/PID/stat is 0 until the environment exists, even if it is empty
	flags, err := strconv.ParseUint(fields[6], 10, 32)
	return err == nil && state != "Z" && state != "X" && flags&kernelThread == 0 && envEnd == "0"
}

// killOne kills a stray. It does not kill another process that has meanwhile got the same ID.
func (s strays) killOne(pid int) bool {
	fd, err := unix.PidfdOpen(pid, 0)
	if errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.EPERM) {
		return unix.Kill(pid, unix.SIGKILL) == nil // the kernel is old, or pidfd_open is forbidden
	}
	if err != nil {
		return false // the process has ended, or the ID belongs to a thread of another process
	}
	defer unix.Close(fd)
	return s.are(pid) && unix.PidfdSendSignal(fd, unix.SIGKILL, nil, 0) == nil
}
