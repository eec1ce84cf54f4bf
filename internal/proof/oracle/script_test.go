package oracle

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// words splits a line like a script does: at spaces outside of single quotes. Inside quotes, two
// single quotes stand for one single quote.
func words(line string) (words []string) {
	word, quoted, begun := "", false, false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\'' && quoted && i+1 < len(line) && line[i+1] == '\'':
			word += "'"
			i++
		case c == '\'':
			quoted, begun = !quoted, true
		case c == ' ' && !quoted:
			if begun {
				words = append(words, word)
			}
			word, begun = "", false
		default:
			word, begun = word+string(c), true
		}
	}
	if begun {
		words = append(words, word)
	}
	return words
}

func TestStepsRoundTrip(t *testing.T) {
	steps := Script{
		{Edit: Edit{Kind: Write, Path: "assets/it's $HOME #1.txt", Data: "two\nlines"}},
		{Edit: Edit{Kind: Write, Path: "assets/a", Data: ""}},
		{Edit: Edit{Kind: Write, Path: "assets/a", Data: "''\"\\\x00\xff é"}},
		{Edit: Edit{Kind: Append, Path: "assets/a", Data: `"quoted"`}},
		{Edit: Edit{Kind: Overwrite, Path: "assets/a", N: 1 << 40, Data: "x"}},
		{Edit: Edit{Kind: Chmod, Path: "assets/a", N: 0o640}},
		{Edit: Edit{Kind: Touch, Path: "assets/a", N: -1}},
		{Edit: Edit{Kind: Link, Path: "assets/a", To: "../b c"}},
		{Edit: Edit{Kind: Wait, N: 5}},
		{Edit: Edit{Kind: Tick}},
		{Mode: &Mode{}},
		{Mode: &Mode{Full: true, List: true, Verify: true, ByFolder: true, Targets: []string{"", "b"}, Patterns: []string{"*.txt", "a b"}, Clock: -7, Cancel: 3, FirstFailure: true}},
	}
	for seed := range uint64(20) {
		steps = append(steps, Random(seed, Options{Tools: true, Aged: true, Mappings: true})...)
	}
	for _, step := range steps {
		w := words(step.String())
		var got Step
		var err error
		switch w[0] {
		case "edit":
			got.Edit, err = ParseEdit(w[1:])
		case "agree":
			var way Mode
			way, err = ParseMode(w[1:])
			got.Mode = &way
		}
		if err != nil || !reflect.DeepEqual(got, step) {
			t.Errorf("%s: read as %+v, %v, want %+v", step, got, err, step)
		}
	}
}

func TestParseEditRejectsInvalidEdits(t *testing.T) {
	for line, want := range map[string]string{
		"":                    "edit: no kind given",
		"paint a":             `edit: there is no kind "paint"`,
		"write a":             "edit write: 2 words, want 3",
		"remove a b":          "edit remove: 3 words, want 2",
		"touch a now":         `edit touch: strconv.ParseInt: parsing "now": invalid syntax`,
		`write a '"\z"'`:      "edit write: data: invalid syntax",
		"overwrite a 0 x y z": "edit overwrite: 6 words, want 4",
	} {
		if _, err := ParseEdit(words(line)); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", line, err, want)
		}
	}
	p, err := NewPlayer(Place{Dir: t.TempDir(), Scratch: t.TempDir()}, InProcess)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []Edit{{Kind: "paint"}, {Kind: Remove}, {Kind: Remove, Path: "../x"}, {Kind: Rename, Path: "assets/a", To: "/tmp/x"}} {
		if err := p.Edit(e); err == nil {
			t.Errorf("%+v: no error", e)
		}
	}
}

func TestRandomScriptsAreReproducibleAndCoverAllKinds(t *testing.T) {
	all := Options{Tools: true, Aged: true, Mappings: true}
	if a, b := Random(7, all), Random(7, all); !reflect.DeepEqual(a, b) {
		t.Error("one seed gives two different scripts")
	}
	seen := map[string]bool{}
	for seed := range uint64(300) {
		for _, opt := range []Options{all, {}} {
			s := Random(seed, opt)
			if last := s[len(s)-1].Mode; last == nil || len(last.Patterns) > 0 || s.Runs() < 11 || s.Runs() > 11+10*3 {
				t.Fatalf("seed %d: a script of %d runs ends with %s", seed, s.Runs(), s[len(s)-1])
			}
			for _, step := range s {
				if step.Mode == nil {
					seen[string(step.Kind)] = true
					continue
				}
				for _, w := range words(step.String()) {
					seen[w] = true
				}
			}
		}
	}
	want := []string{"-full", "-list", "-verify", "-byfolder", "-target", "-clock", "-cancel", "-firstfailure"}
	for kind := range fields {
		if kind != Tick { // random scripts have no ticks, because the player waits for ticks itself
			want = append(want, string(kind))
		}
	}
	for _, w := range want {
		if !seen[w] {
			t.Errorf("no script contains %s", w)
		}
	}
}

func TestShrinkKeepsOnlyNeededSteps(t *testing.T) {
	script := Random(3, Options{})
	needs := func(s Script) bool { // reports whether a script has an edit, later a run with -full, and later another edit
		at := 0
		for _, step := range s {
			switch {
			case at == 0 && step.Mode == nil && step.Path == "assets/first",
				at == 1 && step.Mode != nil && step.Mode.Full,
				at == 2 && step.Mode == nil && step.Path == "assets/last":
				at++
			}
		}
		return at == 3
	}
	script = slices.Insert(script, 5, Step{Edit: Edit{Kind: Remove, Path: "assets/first"}})
	script = slices.Insert(script, len(script)/2, Step{Mode: &Mode{Full: true, Verify: true, Clock: 5}})
	script = append(script, Step{Edit: Edit{Kind: Remove, Path: "assets/last"}})
	calls := 0
	short := Shrink(script, func(s Script) bool { calls++; return needs(s) })
	if got, want := string(short.Txtar()), "edit remove assets/first\nagree -full\nedit remove assets/last\n"; got != want {
		t.Errorf("got\n%s", got)
	}
	if most := 10 * len(script); calls > most {
		t.Errorf("%d calls for %d steps", calls, len(script))
	}
}

func ExampleScript_Txtar() {
	fmt.Print(string(Script{
		{Edit: Edit{Kind: Write, Path: "assets/a.txt", Data: "one\n"}},
		{Mode: &Mode{}},
		{Edit: Edit{Kind: KeepTime, Path: "assets/a.txt", Data: "two\n"}},
		{Mode: &Mode{Full: true}},
	}.Txtar()))
	// Output:
	// edit write assets/a.txt '"one\n"'
	// agree
	// edit keeptime assets/a.txt '"two\n"'
	// agree -full
}

func TestDifferenceErrorHasStepAndText(t *testing.T) {
	d := &Difference{Step: 3, Text: "wrong"}
	if !strings.HasPrefix(d.Error(), "step 3: wrong") {
		t.Error(d)
	}
}
