package manpage

import (
	"flag"
	"os/exec"
	"strings"
	"testing"
)

// TestManPageText formats a page with groff and expects the original text.
func TestManPageText(t *testing.T) {
	if _, err := exec.LookPath("groff"); err != nil {
		t.Skip(err)
	}
	for _, text := range []string{
		".so /etc/passwd", "'so x", `a\fBb\n(.x`, `"quoted" 'too' ` + "`so`", "-dir --x a-b", "~^", "5 µs, 3 × 4", "a.", `\`, ".", "'",
	} {
		var b strings.Builder
		p := Page{&b}
		p.Macro("TH", "X", "1", "", text, "")
		p.Macro("SH", text)
		p.Text(text + "\n\n\t" + text + "\n")
		cmd := exec.CommandContext(t.Context(), "groff", "-man", "-ww", "-Tutf8", "-P-cbou")
		cmd.Stdin = strings.NewReader(b.String())
		var stderr strings.Builder
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil || stderr.Len() > 0 || strings.Count(string(out), text) < 3 {
			t.Errorf("%q: %v %s\n%s\n%s", text, err, stderr.String(), b.String(), out)
		}
	}
}

func TestDeclarations(t *testing.T) {
	fs := flag.NewFlagSet("", flag.ContinueOnError)
	fs.Bool("a", false, "short")
	fs.Bool("long-one", true, "on")
	fs.Int("n", 7, "how `many` there are")
	fs.String("s", "x", "no name")
	var help strings.Builder
	fs.SetOutput(&help)
	fs.PrintDefaults()
	want := []Declared{{"a", "", "short"}, {"long-one", "", "on (default true)"}, {"n", "many", "how many there are (default 7)"}, {"s", "string", `no name (default "x")`}}
	got := Declarations(help.String())
	if len(got) != len(want) {
		t.Fatalf("%q", got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("%q, want %q", got[i], want[i])
		}
	}
}
