package state

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/internal/confine"
)

// keepAll keeps complete lines. If brief is set, it keeps the part before the tab.
func keepAll(line []byte, brief bool) []byte {
	if len(line) == 0 {
		return nil
	}
	if before, _, ok := bytes.Cut(line, []byte("\t")); ok && brief {
		return before
	}
	return line
}

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

// TestHistoryIsShortened checks that a long history is shortened to half, with a complete last
// line.
func TestHistoryIsShortened(t *testing.T) {
	const lines = 8
	for _, longer := range []int{0, 1} {
		d, _ := locked(t)
		size := historyBytes/2/lines - 1 // size of a line without its line break; the lines fill half of the history
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

func journalLine(c plan.Claim) string { return string(appendJournalLine(nil, c)) }

// FuzzJournal parses arbitrary text. All claims must be paths in the output directory. Writing and
// parsing them must not change them.
func FuzzJournal(f *testing.F) {
	for _, text := range []string{
		"", "\n", journalLine(plan.Claim{Output: "a", Source: "b", Target: "c"}), "\"a\" \"b\" \"c\"\n",
		"\"a.ktx2\" \"a.png\" \"\"\n\"cut", "\"../up\" \"a\" \"\"\n", "\"/abs\" \"a\" \"\"\n", "`raw` 'x' \"y\"\n",
		"\"a\\xff\\n\" \"\\u202e\" \"t\"\n", "\"a\"  \"b\" \"\"\n", "\"a\" \"b\" \"\" \n", "\"a/../b\" \"\" \"\"\n",
		"\"\" \"\" \"\"\n", "../up", "/abs", "a/../b", ".", "a/",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		// The text also serves as the name in a valid line.
		text = append(text, journalLine(plan.Claim{Output: string(text), Source: string(text)})...)
		claims, _ := parseJournal(text)
		var again bytes.Buffer
		for _, c := range claims {
			if !filepath.IsLocal(c.Output) || c.Output == "." || strings.HasSuffix(c.Output, "/") {
				t.Errorf("claims %q", c.Output)
			}
			again.WriteString(journalLine(c))
		}
		if back, damaged := parseJournal(again.Bytes()); damaged > 0 || !slices.Equal(back, claims) {
			t.Errorf("%q, read again %q, %d damaged", claims, back, damaged)
		}
		// If a journal is truncated, only its last line is lost.
		if len(claims) > 0 {
			cut, _ := parseJournal(text[:len(text)-1])
			if !slices.Equal(cut[:min(len(cut), len(claims)-1)], claims[:len(claims)-1]) {
				t.Errorf("%q, cut %q", claims, cut)
			}
		}
	})
}

func TestParseJournal(t *testing.T) {
	want := []plan.Claim{{Output: "a.ktx2", Source: "a.png", Target: "pc"}, {Output: "b", Source: "b"}}
	first, last := journalLine(want[0]), journalLine(want[1])
	text := first + journalLine(plan.Claim{Output: "../up", Source: "a"}) + "rubbish\n" +
		"\"b\" \"b\" \"\"\n" + last + strings.Replace(last, "b", "c", 1) + first[:len(first)-1]
	if got, damaged := parseJournal([]byte(text)); !slices.Equal(got, want) || damaged != 5 {
		t.Errorf("claims %q, %d damaged; want %q and 5", got, damaged, want)
	}
}

// TestFailedRemovalNamesWholePath checks that the error names the whole path of the journal, which
// may be outside of the output directory.
func TestFailedRemovalNamesWholePath(t *testing.T) {
	base := t.TempDir()
	journal := filepath.Join(base, filepath.FromSlash(journalName))
	if err := os.MkdirAll(filepath.Join(journal, "full"), 0o777); err != nil {
		t.Fatal(err)
	}
	out, err := confine.Open(base)
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	if err := Open(out).Journal.Write(nil); err == nil || !strings.Contains(err.Error(), out.Name()) {
		t.Errorf("%v, want the path %s", err, journal)
	}
}
