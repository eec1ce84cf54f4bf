package main

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// mostAtStart is how many bytes a package may allocate whenever the program starts.
const mostAtStart = 200_000

// No library prepares at start what only some recipes use: each run pays for that.
func TestStartIsCheap(t *testing.T) {
	cmd := exec.Command(os.Args[0], "-test.run=^$")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	packages := 0
	for line := range strings.Lines(string(out)) {
		// init PACKAGE @1.2 ms, 0.3 ms clock, 456 bytes, 7 allocs
		words := strings.Fields(line)
		if len(words) < 9 || words[0] != "init" || strings.HasSuffix(words[1], "/cooktest") { // which only tests link
			continue
		}
		packages++
		if n, err := strconv.Atoi(words[7]); err != nil || n > mostAtStart {
			t.Errorf("%s allocates %s bytes before main, want at most %d", words[1], words[7], mostAtStart)
		}
	}
	if packages < 10 {
		t.Errorf("only %d packages were seen:\n%s", packages, out)
	}
}
