package state

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// keepAll keeps whole lines, or with brief the part before the tab.
func keepAll(line []byte, brief bool) []byte {
	if len(line) == 0 {
		return nil
	}
	if before, _, ok := bytes.Cut(line, []byte("\t")); ok && brief {
		return before
	}
	return line
}

// New lines are appended to the existing ones.
func TestHistoryKeepsLines(t *testing.T) {
	d, _ := locked(t)
	for i := range 3 {
		if err := d.History.Add(fmt.Append(nil, "run ", i), keepAll); err != nil {
			t.Fatal(err)
		}
	}
	if text, err := d.History.Read(); err != nil || string(text) != "\nrun 0\nrun 1\nrun 2" {
		t.Errorf("%q, %v", text, err)
	}
}

// A history that has become long is shortened to half, to the last byte.
func TestHistoryIsShortened(t *testing.T) {
	const lines = 8
	for _, longer := range []int{0, 1} {
		d, _ := locked(t)
		size := historyBytes/2/lines - 1 // lines of this size, with line breaks, fill half of the history
		for i := range 2*lines + 1 {
			n := size
			if i == 2*lines {
				n += longer
			}
			line := fmt.Appendf(nil, "%02d %s", i, strings.Repeat("x", n-3))
			if err := d.History.Add(line, keepAll); err != nil {
				t.Fatal(err)
			}
		}
		if err := d.History.shortenHistory(keepAll); err != nil {
			t.Fatal(err)
		}
		text, err := d.History.Read()
		if err != nil {
			t.Fatal(err)
		}
		if got := bytes.Count(text, []byte("x\n")) + 1; got != lines-longer || !bytes.Contains(text, fmt.Appendf(nil, "\n%02d ", 2*lines)) {
			t.Errorf("%d bytes more: %d lines stay of %d bytes", longer, got, len(text))
		}
	}
}
