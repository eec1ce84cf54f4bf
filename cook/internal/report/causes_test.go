package report

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/assetcook/assetcook/cook"
)

// TestCauses checks that any number of failures fits on a screen. Every cause must be named, and
// the numbers must add up.
func TestCauses(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var out strings.Builder
		text := Text{Out: &out, Err: &out}
		var records strings.Builder
		lines, log := NewJSON(&records), NewSARIF("")
		all := cook.Observers{&text, lines, log}
		kinds := rapid.IntRange(1, 40).Draw(t, "causes")
		n := rapid.SampledFrom([]int{1, 5, 100, 3000}).Draw(t, "failures")
		used := map[int]int{}
		for i := range n {
			k := rapid.IntRange(0, kinds-1).Draw(t, "cause")
			used[k]++
			name := fmt.Sprintf("folder%d/picture_%d.png", i%7, i)
			outcome := cook.Failed
			if k%2 == 1 {
				outcome = cook.Warned
			}
			all.Event(cook.Event{Path: name, Outcome: outcome, Err: fmt.Errorf("cause-%s of %s: %d bytes of %q\nsecond line", strings.Repeat("x", k+1), name, i, name)})
		}
		text.Done()
		if have := strings.Count(records.String(), `"severity":`); have != n || len(log.results) != n {
			t.Fatalf("%d failures, %d records, %d results", n, have, len(log.results))
		}
		printed := strings.Split(strings.TrimSpace(out.String()), "\n")
		if len(printed) > 60 {
			t.Fatalf("%d failures of %d causes take %d lines:\n%s", n, len(used), len(printed), out.String())
		}
		for k := range used {
			if !strings.Contains(out.String(), "cause-"+strings.Repeat("x", k+1)+" ") {
				t.Fatalf("cause %d is missing:\n%s", k, out.String())
			}
		}
		sum := 0
		for _, line := range printed {
			var more, others int
			switch _, after, _ := strings.Cut(line, "and "); {
			case strings.Contains(line, "| second line"), strings.Contains(line, "-v prints all"):
			case strings.Contains(line, "other cause"):
				fmt.Sscanf(after, "%d", &others)
				for _, part := range strings.Split(line, " (")[1:] {
					fmt.Sscanf(part, "%d", &more)
					sum += more
				}
			case strings.Contains(line, " similar ones: "):
				fmt.Sscanf(after, "%d", &more)
				sum += more
			default:
				sum++
			}
		}
		if sum != n {
			t.Fatalf("%d failures, and the lines say %d:\n%s", n, sum, out.String())
		}
	})
}

// TestFlood prints 50,000 failures of ten causes in forty lines. With Verbose it prints all of
// them.
func TestFlood(t *testing.T) {
	for _, verbose := range []bool{false, true} {
		var out strings.Builder
		text := Text{Out: &out, Err: &out, Verbose: verbose}
		for i := range 50_000 {
			text.Event(cook.Event{Path: fmt.Sprintf("a/%d.png", i), Outcome: cook.Failed, Err: fmt.Errorf("kind %c: %d is wrong", 'a'+rune(i%10), i)})
		}
		text.Done()
		if got := strings.Count(out.String(), "\n"); !verbose && got > 40 || verbose && got != 50_000 {
			t.Errorf("verbose %t: %d lines:\n%.3000s", verbose, got, out.String())
		}
	}
}

// TestFindingFlood checks that differences are printed by cause, as failures are.
func TestFindingFlood(t *testing.T) {
	for _, verbose := range []bool{false, true} {
		var out strings.Builder
		text := Text{Out: &out, Err: &out, Verbose: verbose}
		for i := range 1000 {
			text.Finding(cook.Finding{Kind: "extra file", Path: fmt.Sprintf("a/%d.png", i), Text: "is made by nothing"})
			text.Finding(cook.Finding{Kind: "output missing", Path: fmt.Sprintf("b/%d.png", i), Target: "pc", Text: fmt.Sprintf("b/%d.ktx2 is missing", i)})
		}
		text.Done()
		got := out.String()
		if lines := strings.Count(got, "\n"); !verbose && lines != 9 || verbose && lines != 2000 {
			t.Errorf("verbose %t: %d lines:\n%.3000s", verbose, lines, got)
		}
		for _, want := range []string{"a/2.png: error: is made by nothing\n", "b/2.png: error: [pc] b/2.ktx2 is missing\n"} {
			if !strings.Contains(got, want) {
				t.Errorf("verbose %t: no %q", verbose, want)
			}
		}
		for _, want := range []string{"cook: error: and 997 similar ones: is made by nothing\n", "cook: error: and 997 similar ones: b/", "cook: -v prints all\n"} {
			if strings.Contains(got, want) == verbose {
				t.Errorf("verbose %t: %q:\n%.3000s", verbose, want, got)
			}
		}
	}
}

func TestCauseOf(t *testing.T) {
	for _, tc := range []struct{ a, b string }{
		{"image is 64 x 64 pixels; the limit is 16 a side", "image is 128 x 32 pixels; the limit is 8 a side"},
		{`unknown word "abc"`, `unknown word "x y"`},
		{"a/first.png: cannot be read", "b/second.png: cannot be read"},
		{"checksum 12ab34 differs", "checksum 99ff00aa differs"},
	} {
		if a, b := causeOfFailure(tc.a, "a/first.png"), causeOfFailure(tc.b, "b/second.png"); a != b {
			t.Errorf("%q and %q are two causes: %q, %q", tc.a, tc.b, a, b)
		}
	}
	if causeOfFailure("no such file", "a") == causeOfFailure("no such directory", "a") {
		t.Error("two causes are one")
	}
	for _, odd := range []string{"", `"`, `"a`, "1", "\n", "a\nb"} {
		causeOfFailure(odd, "")
	}
}

func TestLongMessage(t *testing.T) {
	var out strings.Builder
	text := Text{Out: &out, Err: &out}
	text.Event(cook.Event{Path: "a.frag", Outcome: cook.Failed, Err: errors.New(strings.Repeat("ERROR: line\n", 500))})
	text.Done()
	if got := strings.Count(out.String(), "\n"); got != mostLines+1 || !strings.Contains(out.String(), "(488 lines more)") {
		t.Errorf("%d lines: %s", got, out.String())
	}
}
