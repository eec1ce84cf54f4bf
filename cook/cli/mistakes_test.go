package cli

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/assetcook/assetcook/cook/internal/rules"
	"github.com/assetcook/assetcook/internal/frontend"
	"github.com/assetcook/assetcook/internal/recipeset"
	"github.com/assetcook/assetcook/recipes"
)

// A mistake is a line of a rule with an error in an option, and the text that the error message
// must contain.
type mistake struct{ recipe, option, line, want string }

// mistakes returns likely mistakes in every option of every recipe.
func mistakes(t *testing.T) (all []mistake) {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2))
	quoted := regexp.MustCompile(`"([a-z0-9_.-]+)"`)
	for _, r := range recipes.All() {
		for _, o := range recipeset.Options(r.New()) {
			add := func(line, want string) { all = append(all, mistake{r.Name, o.Key, line, want}) }
			if len(o.Key) > 3 { // swap two letters, omit a letter, or double a letter
				i := 1 + random.IntN(len(o.Key)-2)
				if o.Key[i] != o.Key[i+1] {
					add(o.Key[:i]+o.Key[i+1:i+2]+o.Key[i:i+1]+o.Key[i+2:]+" = 1", o.Key)
				}
				add(o.Key[:i]+o.Key[i+1:]+" = 1", o.Key)
				add(o.Key[:i]+o.Key[i:i+1]+o.Key[i:]+" = 1", o.Key)
			}
			switch {
			case o.Want == "true or false":
				add(o.Key+" = True", "lower case: true")
				add(o.Key+" = off", "want false")
				add(o.Key+` = "true"`, "remove the quotes")
				add(o.Key+" = 1", "true or false")
			case strings.HasPrefix(o.Want, "a whole number"):
				add(o.Key+` = "7"`, "remove the quotes")
				add(o.Key+" = 1.5", "have 1.5")
				add(o.Key+" = 010", "cannot begin with 0")
				add(o.Key+" = -1000000", o.Want)
			case strings.HasPrefix(o.Want, `"`) && quoted.MatchString(o.Want):
				words := quoted.FindAllStringSubmatch(o.Want, -1)
				word := words[random.IntN(len(words))][1]
				add(o.Key+" = "+word, "needs quotes")
				add(o.Key+` = "`+word, "closing quote")
				if len(word) > 3 {
					add(o.Key+` = "`+strings.ToUpper(word)+`"`, word)
					if !strings.Contains(o.Want, `"`+word[1:]+`"`) {
						add(o.Key+` = "`+word[1:]+`"`, `"`)
					}
				}
				add(o.Key+" = 3", o.Want)
			case o.Want == "a list of strings":
				add(o.Key+` = "a"`, "a list of strings")
				add(o.Key+` = ["a", "b"`, `"]" is missing`)
			}
			add(o.Key+": 1", `want "="`)
		}
	}
	return all
}

// TestMistakes expects each mistake in cook.toml to be reported with its position, and a suggested
// remedy for 95 of 100.
func TestMistakes(t *testing.T) {
	set, err := recipeset.New(recipes.All()...)
	if err != nil {
		t.Fatal(err)
	}
	all := mistakes(t)
	if len(all) < 300 {
		t.Errorf("%d mistakes", len(all))
	}
	compile := func(m mistake, line string) error {
		text := fmt.Sprintf("[[rule]]\nmatch = '*'\nrecipe = %q\n%s\n", m.recipe, line)
		if !strings.Contains(m.line, "output") {
			text += "outputs = ['a']\n"
		}
		_, err := rules.Compile([]rules.File{{Name: "cook.toml", Data: []byte(text)}}, set)
		return err
	}
	var missed []string
	fixed := 0
	for _, m := range all {
		err := compile(m, m.line)
		var list rules.Errors
		if !errors.As(err, &list) {
			t.Errorf("recipe %s: %s: no error", m.recipe, m.line)
			continue
		}
		at := slices.IndexFunc(list, func(e *rules.Error) bool { return e.Line == 4 || e.Line == 5 })
		if at < 0 || list[at].Column < 1 || !strings.Contains(list[at].Excerpt(), m.line) {
			t.Errorf("recipe %s: %s: it has no place: %v", m.recipe, m.line, err)
			continue
		}
		if edit, ok := list[at].Fix(); ok {
			fixed++
			line := applied(m.line, edit)
			var left rules.Errors
			errors.As(compile(m, line), &left)
			if edit.Line != 4 || line == m.line || !strings.HasPrefix(line, m.option+" =") || slices.ContainsFunc(left, func(e *rules.Error) bool { return e.Msg == list[at].Msg }) {
				t.Errorf("recipe %s: %s: %v: the fix makes it %q: %v", m.recipe, m.line, list[at], line, left)
			}
		}
		if !strings.Contains(list[at].Error(), m.want) {
			missed = append(missed, fmt.Sprintf("recipe %s: %s: %v; want %s", m.recipe, m.line, list[at], m.want))
		}
	}
	t.Logf("%d mistakes, %d without the remedy, %d with a fix", len(all), len(missed), fixed)
	if 2*fixed < len(all) {
		t.Errorf("%d of %d have a fix", fixed, len(all))
	}
	if 20*len(missed) > len(all) {
		t.Errorf("%d of %d have not the right remedy:\n%s", len(missed), len(all), strings.Join(missed, "\n"))
	}
}

// applied applies an edit to a line.
func applied(line string, e rules.Edit) string {
	before, rest := line[:e.Column-1], line[e.Column-1:]
	return before + e.New + strings.TrimPrefix(rest, e.Old)
}

// TestFlagMistakes tests misspelled flags and verbs, and flags with a missing or wrong value. It
// expects one line for each mistake, and a fitting message for 95 of 100 mistakes.
func TestFlagMistakes(t *testing.T) {
	c := command{recipes: recipes.All()}
	random := rand.New(rand.NewPCG(3, 4))
	n, missed := 0, []string{}
	run := func(args []string, wants ...string) {
		n++
		var out, err strings.Builder
		code := c.runArguments(t.Context(), func() {}, args, &out, &err)
		said := err.String()
		if code != frontend.Usage || !strings.HasPrefix(said, "cook: error: ") || strings.Count(said, "\n") != 1 {
			t.Errorf("%q: exit status %d, %q", args, code, said)
		}
		if !slices.ContainsFunc(wants, func(want string) bool { return strings.Contains(said, want) }) {
			missed = append(missed, fmt.Sprintf("%q: %swant %s", args, said, wants))
		}
	}
	misspelt := func(word string) []string {
		i := 1 + random.IntN(len(word)-2)
		list := []string{word[:i] + word[i+1:], word[:i] + word[i:i+1] + word[i:], word[:len(word)-1]}
		if word[i] != word[i+1] {
			list = append(list, word[:i]+word[i+1:i+2]+word[i:i+1]+word[i+2:])
		}
		return list
	}
	sets := map[string]*flag.FlagSet{"": flagsOf("")}
	for _, v := range c.newCall(nil).Verbs[1:] {
		if v.Name != "view" && v.Name != "events" {
			sets[v.Name] = v.Flags()
		}
		for _, word := range misspelt(v.Name + " ")[:2] {
			if word = strings.TrimSpace(word); len(word) > 3 && !slices.Contains(c.newCall(nil).Names(), word) {
				run([]string{word}, "did you mean cook ")
			}
		}
	}
	for verb, fs := range sets {
		var before []string
		if verb != "" {
			before = []string{verb}
		}
		fs.VisitAll(func(f *flag.Flag) {
			if boolean, ok := f.Value.(interface{ IsBoolFlag() bool }); ok && boolean.IsBoolFlag() {
				run(append(slices.Clone(before), "-"+f.Name+"=perhaps"), `invalid boolean value "perhaps" for -`+f.Name)
			} else {
				run(append(slices.Clone(before), "-"+f.Name), "flag needs an argument: -"+f.Name)
			}
			if len(f.Name) < 4 {
				return
			}
			for _, word := range misspelt(f.Name) {
				if fs.Lookup(word) == nil && word != "verify" {
					run(append(slices.Clone(before), "-"+word), "did you mean -")
					run(append(slices.Clone(before), "--"+word+"=1"), "did you mean -")
				}
			}
		})
	}
	for _, args := range [][]string{
		{"-j", "many"}, {"-j", "1.5"}, {"-mem", "lots"}, {"-mem", "0"}, {"-cache-size", "10 GB x"}, {"-cache-size", "-1"}, {"-outputs", "all"}, {"-target", "a,,b"},
	} {
		run(args, `invalid value "`+args[1]+`" for flag `+args[0])
	}
	t.Logf("%d mistakes, %d without the remedy", n, len(missed))
	if 20*len(missed) > n || n < 300 {
		t.Errorf("%d of %d have not the right remedy:\n%s", len(missed), n, strings.Join(missed, "\n"))
	}
}
