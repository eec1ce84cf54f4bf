package smoke

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// codeLimit is how many functions a step lists, by most instructions.
const codeLimit = 100

// CanCount reports whether instructions can be counted: valgrind is installed. The runner uses
// cachegrind without cache simulation: callgrind loses track of the stack when Go switches
// goroutines, and virtual machines rarely offer the processor's own counters. Valgrind does not
// emulate some instructions, such as AVX-512, so the portable forms of such kernels are counted.
func CanCount() bool {
	_, err := exec.LookPath("valgrind")
	return err == nil
}

// counting wraps a command so that valgrind counts its instructions into a file.
func counting(ctx context.Context, cmd *exec.Cmd, file string) *exec.Cmd {
	args := append([]string{"--quiet", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=" + file, cmd.Path}, cmd.Args[1:]...)
	counted := exec.CommandContext(ctx, "valgrind", args...)
	counted.Dir, counted.Env = cmd.Dir, cmd.Env
	return counted
}

// readInstructions reads cachegrind's output: the sum, and a figure for each of the functions
// with most instructions.
func readInstructions(name string) ([]Figure, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	figures, err := parseCachegrind(f)
	if err != nil {
		return nil, fmt.Errorf("instructions counted by valgrind: %w", err)
	}
	return figures, nil
}

// scheduled reports whether the instructions of a Go runtime function depend on thread timing:
// its scheduler, its allocator, the growth of stacks. Moving, clearing and comparing memory and
// maps do not.
func scheduled(function string) bool {
	name, ok := strings.CutPrefix(function, "runtime.")
	return ok && !strings.HasPrefix(name, "mem") && !strings.HasPrefix(name, "cmp") && !strings.HasPrefix(name, "map")
}

// parseCachegrind reads lines "fn=NAME", each followed by lines "LINE COUNT", and at the end one
// line "summary: COUNT". The sum excludes [scheduled] functions.
func parseCachegrind(r io.Reader) ([]Figure, error) {
	sums := map[string]float64{}
	function, total, whole := "", 0.0, false
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := lines.Text()
		if name, ok := strings.CutPrefix(line, "fn="); ok {
			function = name
			continue
		}
		if text, ok := strings.CutPrefix(line, "summary:"); ok {
			if _, err := strconv.ParseUint(strings.TrimSpace(text), 10, 64); err != nil {
				return nil, err
			}
			whole = true
			continue
		}
		number, count, ok := strings.Cut(line, " ")
		if _, err := strconv.Atoi(number); !ok || err != nil {
			continue // a header or a file name
		}
		n, err := strconv.ParseUint(count, 10, 64)
		if err != nil {
			return nil, err
		}
		if sums[function] += float64(n); !scheduled(function) {
			total += float64(n)
		}
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if !whole {
		return nil, io.ErrUnexpectedEOF
	}
	var code []Figure
	for name, n := range sums {
		code = append(code, Figure{Name: "code/" + name, Class: codeClass, Value: n})
	}
	return append(most(code, codeLimit), Figure{Name: instructionCount, Class: instructionsClass, Value: total}), nil
}
