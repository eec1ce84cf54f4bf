//go:build unix

package cli

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode"

	"github.com/rogpeppe/go-internal/testscript"
)

// freeze FILE stops the process whose ID is the only number in FILE. "! freeze FILE" continues the
// process, as does the end of the script. On Linux, "freeze FILE LOCK" stops the process while it
// holds no lock on the file LOCK.
func freeze(ts *testscript.TestScript, neg bool, args []string) {
	digits := strings.TrimFunc(ts.ReadFile(args[0]), func(r rune) bool { return !unicode.IsDigit(r) })
	pid, err := strconv.Atoi(digits)
	ts.Check(err)
	if neg {
		ts.Check(syscall.Kill(pid, syscall.SIGCONT))
		return
	}
	ts.Defer(func() { syscall.Kill(pid, syscall.SIGCONT) })
	for {
		ts.Check(syscall.Kill(pid, syscall.SIGSTOP))
		if len(args) == 1 {
			return
		}
		for !stopped(ts, pid) {
			time.Sleep(time.Millisecond)
		}
		if !locked(ts, args[1]) {
			return
		}
		ts.Check(syscall.Kill(pid, syscall.SIGCONT))
		time.Sleep(time.Millisecond)
	}
}

// stopped reports whether a process has stopped. A process may stop some time after the signal.
func stopped(ts *testscript.TestScript, pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	ts.Check(err)
	_, state, _ := strings.Cut(string(stat), ") ")
	return strings.HasPrefix(state, "T")
}

// locked reports whether a process holds a lock on a file. It does not try to take the lock,
// because another test may inherit it when it starts a program.
func locked(ts *testscript.TestScript, name string) bool {
	var st syscall.Stat_t
	ts.Check(syscall.Stat(ts.MkAbs(name), &st))
	locks, err := os.ReadFile("/proc/locks")
	ts.Check(err)
	return strings.Contains(string(locks), fmt.Sprintf(":%d ", st.Ino))
}
