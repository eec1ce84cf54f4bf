package smokerun

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

// codeLimit is the maximum number of functions listed for a step. Functions with fewer instructions
// are omitted.
const codeLimit = 100

// CanCount reports whether instructions can be counted, which requires valgrind. The runner uses
// cachegrind without cache simulation. The tool callgrind loses track of the stack when Go switches
// goroutines, and virtual machines rarely provide the processor's own counters. Valgrind does not
// emulate some instructions, such as AVX-512, so the portable variants of such kernels are counted.
func CanCount() bool {
	_, err := exec.LookPath("valgrind")
	return err == nil
}

// counting returns a command that runs cmd in valgrind, which counts the instructions and writes
// the counts to a file.
func counting(ctx context.Context, cmd *exec.Cmd, file string) *exec.Cmd {
	args := append([]string{"--quiet", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=" + file, cmd.Path}, cmd.Args[1:]...)
	counted := exec.CommandContext(ctx, "valgrind", args...)
	counted.Dir, counted.Env = cmd.Dir, cmd.Env
	return counted
}

// readInstructions reads cachegrind's output. It returns the total, and a figure for each of the
// functions with the most instructions.
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

// scheduled reports whether the instruction count of a Go runtime function depends on thread
// timing. That applies to the scheduler, the allocator and stack growth, but not to maps or
// functions that move, clear or compare memory.
func scheduled(function string) bool {
	name, ok := strings.CutPrefix(function, "runtime.")
	return ok && !strings.HasPrefix(name, "mem") && !strings.HasPrefix(name, "cmp") && !strings.HasPrefix(name, "map")
}

// parseCachegrind parses lines "fn=NAME", each followed by lines "LINE COUNT", and a last line
// "summary: COUNT". The total excludes [scheduled] functions.
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
			continue // The line is a header or names a file.
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
	return append(Most(code, codeLimit), Figure{Name: instructionCount, Class: instructionsClass, Value: total}), nil
}
