package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"hashsum": main})
}

func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(e *testscript.Env) error {
			// The race detector makes each process sleep for a second at its end.
			e.Setenv("GORACE", "atexit_sleep_ms=0")
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"file":  writeFile,
			"nul":   endWithNUL,
			"bytes": compareBytes,
			"lines": writeLines,

			"interrupt": interrupt,
		},
	})
}

// unquote interprets a word as the inside of a Go string literal.
func unquote(ts *testscript.TestScript, word string) string {
	text, err := strconv.Unquote(`"` + word + `"`)
	ts.Check(err)
	return text
}

// file NAME CONTENT writes a file; both may have Go escapes.
func writeFile(ts *testscript.TestScript, _ bool, args []string) {
	name := ts.MkAbs(unquote(ts, args[0]))
	ts.Check(os.MkdirAll(filepath.Dir(name), 0o777))
	ts.Check(os.WriteFile(name, []byte(unquote(ts, args[1])), 0o666))
}

// nul FILE replaces the newlines in a file by NUL.
func endWithNUL(ts *testscript.TestScript, _ bool, args []string) {
	text := ts.ReadFile(args[0])
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), bytes.ReplaceAll([]byte(text), []byte("\n"), []byte{0}), 0o666))
}

// bytes FILE TEXT fails unless the file (or stdout, or stderr) equals the text, which may have Go
// escapes.
func compareBytes(ts *testscript.TestScript, neg bool, args []string) {
	got, want := ts.ReadFile(args[0]), unquote(ts, args[1])
	if (got == want) == neg {
		ts.Fatalf("%s is %q, want %q", args[0], got, want)
	}
}

// lines FILE COUNT LINE writes a line many times; %d in it becomes its number.
func writeLines(ts *testscript.TestScript, _ bool, args []string) {
	count, err := strconv.Atoi(args[1])
	ts.Check(err)
	var b bytes.Buffer
	for i := range count {
		b.WriteString(fmt.Sprintf(unquote(ts, args[2])+"\n", i))
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), b.Bytes(), 0o666))
}

// interrupt STATE FILE ... sums the files and then standard input, which stays open and empty. It
// sends an interrupt after the first printed line. It fails if hashsum prints anything more, or if
// the text of its os.ProcessState is not STATE.
func interrupt(ts *testscript.TestScript, _ bool, args []string) {
	program, err := exec.LookPath("hashsum") // testscript puts the program on PATH
	ts.Check(err)
	cmd := exec.Command(program, append(args[1:], "-")...)
	cmd.Dir = ts.MkAbs(".")
	stdin, err := cmd.StdinPipe()
	ts.Check(err)
	defer stdin.Close()
	stdout, err := cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	out := bufio.NewReader(stdout)
	first, err := out.ReadString('\n')
	ts.Check(err)
	ts.Check(cmd.Process.Signal(os.Interrupt))
	rest, err := io.ReadAll(out)
	ts.Check(err)
	cmd.Wait()
	ts.Logf("%s%s", first, rest)
	if got := cmd.ProcessState.String(); got != args[0] || len(rest) > 0 {
		ts.Fatalf("%s, want %s; more output: %q", got, args[0], rest)
	}
}
