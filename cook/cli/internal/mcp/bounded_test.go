package mcp

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestLinesAreKeptWhole expects the longest beginning of whole lines within the limits, however the
// output is divided into writes.
func TestLinesAreKeptWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		limit := rapid.IntRange(1, 5).Draw(t, "limit")
		whole := rapid.Bool().Draw(t, "whole")
		text := ""
		for range rapid.IntRange(0, 8).Draw(t, "lines") {
			n := rapid.SampledFrom([]int{0, 1, 100, mostBytes / 2, mostBytes - 1, mostBytes}).Draw(t, "length")
			text += strings.Repeat("x", n) + "\n"
		}
		text += strings.Repeat("y", rapid.IntRange(0, 2).Draw(t, "rest"))
		want, more := "", 0
		lines := 0
		for line := range strings.Lines(text) {
			if more == 0 && (whole || lines < limit) && len(want)+len(line) <= mostBytes {
				want, lines = want+line, lines+1
			} else {
				more++
			}
		}
		b := &boundedLines{lines: limit, whole: whole}
		for rest := text; rest != ""; {
			n := min(len(rest), rapid.SampledFrom([]int{1, 7, 4096, mostBytes, 2 * mostBytes}).Draw(t, "write"))
			if len(text) > 1000 {
				n = min(len(rest), max(n, 50_000))
			}
			fmt.Fprint(b, rest[:n])
			rest = rest[n:]
		}
		if got := b.omittedLines(); got != more || b.kept.String() != want {
			t.Fatalf("%d bytes kept and %d lines omitted, want %d and %d", b.kept.Len(), got, len(want), more)
		}
	})
}
