//go:build unix

package cli

import (
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode"

	"github.com/gofrs/flock"
	"github.com/rogpeppe/go-internal/testscript"
)

// freeze FILE stops the process whose ID is the only number in a file; ! freeze FILE
// continues it, as does the end of the script. freeze FILE LOCK stops it at a moment when
// nothing has locked the file LOCK.
func freeze(ts *testscript.TestScript, neg bool, args []string) {
	digits := strings.TrimFunc(ts.ReadFile(args[0]), func(r rune) bool { return !unicode.IsDigit(r) })
	pid, err := strconv.Atoi(digits)
	ts.Check(err)
	if neg {
		ts.Check(syscall.Kill(pid, syscall.SIGCONT))
		return
	}
	ts.Check(syscall.Kill(pid, syscall.SIGSTOP))
	ts.Defer(func() { syscall.Kill(pid, syscall.SIGCONT) })
	for len(args) > 1 && locked(ts, args[1]) {
		ts.Check(syscall.Kill(pid, syscall.SIGCONT))
		time.Sleep(time.Millisecond) // so that it can go on
		ts.Check(syscall.Kill(pid, syscall.SIGSTOP))
	}
}

// locked reports whether a file is locked.
func locked(ts *testscript.TestScript, name string) bool {
	l := flock.New(ts.MkAbs(name), flock.SetFlag(os.O_RDONLY))
	defer l.Close()
	free, err := l.TryRLock()
	ts.Check(err)
	return !free
}
