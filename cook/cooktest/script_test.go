package cooktest

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// words splits a line as a script does: at blanks that are not in single quotes,
// of which two stand for one inside.
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

func TestStepsAreReadAsPrinted(t *testing.T) {
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
		{Way: &Way{}},
		{Way: &Way{Long: true, List: true, Verify: true, ByFolder: true, Targets: []string{"", "b"}, Patterns: []string{"*.txt", "a b"}, Clock: -7, Cancel: 3, FirstFailure: true}},
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
			var way Way
			way, err = ParseWay(w[1:])
			got.Way = &way
		}
		if err != nil || !reflect.DeepEqual(got, step) {
			t.Errorf("%s: read as %+v, %v, want %+v", step, got, err, step)
		}
	}
}

func TestWrongEdits(t *testing.T) {
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

// A seed stands for one script, and scripts have something of everything.
func TestRandom(t *testing.T) {
	all := Options{Tools: true, Aged: true, Mappings: true}
	if a, b := Random(7, all), Random(7, all); !reflect.DeepEqual(a, b) {
		t.Error("a seed gives two scripts")
	}
	seen := map[string]bool{}
	for seed := range uint64(300) {
		for _, opt := range []Options{all, {}} {
			s := Random(seed, opt)
			if last := s[len(s)-1].Way; last == nil || len(last.Patterns) > 0 || s.Runs() != 11 {
				t.Fatalf("seed %d: a script of %d runs ends with %s", seed, s.Runs(), s[len(s)-1])
			}
			for _, step := range s {
				if step.Way == nil {
					seen[string(step.Kind)] = true
					continue
				}
				for _, w := range words(step.String()) {
					seen[w] = true
				}
			}
		}
	}
	want := []string{"-long", "-list", "-verify", "-byfolder", "-target", "-clock", "-cancel", "-firstfailure"}
	for kind := range fields {
		if kind != Tick { // runs tick of themselves
			want = append(want, string(kind))
		}
	}
	for _, w := range want {
		if !seen[w] {
			t.Errorf("no script has %s", w)
		}
	}
}

func TestShrink(t *testing.T) {
	script := Random(3, Options{})
	needs := func(s Script) bool { // an edit, later a run with -long and another edit, in this order
		at := 0
		for _, step := range s {
			switch {
			case at == 0 && step.Way == nil && step.Path == "assets/first",
				at == 1 && step.Way != nil && step.Way.Long,
				at == 2 && step.Way == nil && step.Path == "assets/last":
				at++
			}
		}
		return at == 3
	}
	script = slices.Insert(script, 5, Step{Edit: Edit{Kind: Remove, Path: "assets/first"}})
	script = slices.Insert(script, len(script)/2, Step{Way: &Way{Long: true, Verify: true, Clock: 5}})
	script = append(script, Step{Edit: Edit{Kind: Remove, Path: "assets/last"}})
	calls := 0
	short := Shrink(script, func(s Script) bool { calls++; return needs(s) })
	if got, want := string(short.Txtar()), "edit remove assets/first\nagree -long\nedit remove assets/last\n"; got != want {
		t.Errorf("got\n%s", got)
	}
	if most := 10 * len(script); calls > most {
		t.Errorf("%d calls for %d steps", calls, len(script))
	}
}

func ExampleScript_Txtar() {
	fmt.Print(string(Script{
		{Edit: Edit{Kind: Write, Path: "assets/a.txt", Data: "one\n"}},
		{Way: &Way{}},
		{Edit: Edit{Kind: KeepTime, Path: "assets/a.txt", Data: "two\n"}},
		{Way: &Way{Long: true}},
	}.Txtar()))
	// Output:
	// edit write assets/a.txt '"one\n"'
	// agree
	// edit keeptime assets/a.txt '"two\n"'
	// agree -long
}

// Of a difference the step and the text are told.
func TestDifference(t *testing.T) {
	d := &Difference{Step: 3, Text: "wrong"}
	if !strings.HasPrefix(d.Error(), "step 3: wrong") {
		t.Error(d)
	}
}
