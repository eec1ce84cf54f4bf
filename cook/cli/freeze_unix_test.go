//go:build unix

package cli

import (
	"strconv"
	"strings"
	"syscall"
	"unicode"

	"github.com/rogpeppe/go-internal/testscript"
)

// freeze FILE stops the process whose ID is the only number in a file; ! freeze FILE
// continues it, as does the end of the script.
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
}
