package pass

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/assetcook/assetcook/cook/internal/execute"
	"github.com/assetcook/assetcook/cook/internal/session"
)

// targetRules are the rules for a tree with two targets.
const targetRules = "[target.pc.json]\nminify = true\n[target.mobile.json]\nminify = false\n"

// Alternating runs for two targets are incremental. A run does not list a directory again that the
// other run has listed. It cooks all changes since the last run for its own target.
func TestTargetsInTurn(t *testing.T) {
	needFolderStamps(t)
	files := map[string]string{"cook.toml": targetRules, "a.json": `{"a": 1}`, "b/c.json": `{"b": 12}`, "b/d.txt": "three"}
	p := newProject(t, files)
	name := func(path string) string { return filepath.Join(p.Place.Dir, filepath.FromSlash(path)) }
	run := func(target string) Done {
		p.Scope.Targets = []string{target}
		return p.run()
	}
	want := func(step, target, counted string, listed int64) {
		t.Helper()
		d := run(target)
		if got := counts(d); got != counted || d.Stats.Looked.Listed != listed {
			t.Errorf("%s, %s: %s, %d directories listed; want %s, %d", step, target, got, d.Stats.Looked.Listed, counted, listed)
		}
	}
	want("first run", "pc", "cook/found 3, cook/cook 3, cook/checksum 3", 2)
	want("first run", "mobile", "cook/found 3, cook/cook 3", 2)
	const noop = "cook/found 3, cook/skip/stamp 3"
	for range 2 {
		want("no-op run", "pc", noop, 0)
		want("no-op run", "mobile", noop, 0)
	}

	p.write("a.json", `{"a": 234}`)
	want("edited", "pc", "cook/found 3, cook/skip/stamp 2, cook/cook 1, cook/checksum 1", 0)
	want("edited", "mobile", "cook/found 3, cook/skip/stamp 2, cook/cook 1", 0)
	want("edited, again", "pc", noop, 0)
	want("edited, again", "mobile", noop, 0)

	p.write("a.json", `{"a": 5}`)
	want("edited once more", "pc", "cook/found 3, cook/skip/stamp 2, cook/cook 1, cook/checksum 1", 0)
	p.write("a.json", `{"a": 234}`)
	want("edited back", "pc", "cook/found 3, cook/skip/stamp 2, cook/cook 1, cook/checksum 1", 0)
	want("edited back", "mobile", noop, 0)

	p.write("b/e.json", `{}`)
	want("new", "pc", "cook/found 4, cook/skip/stamp 3, cook/cook 1, cook/checksum 1", 1)
	want("new", "mobile", "cook/found 4, cook/skip/stamp 3, cook/cook 1", 0)

	if err := os.Rename(name("b/e.json"), name("b/f.json")); err != nil {
		t.Fatal(err)
	}
	want("renamed", "pc", "cook/found 4, cook/skip/stamp 3, cook/restore 1, cook/remove 1, cook/checksum 1", 1)
	want("renamed", "mobile", "cook/found 4, cook/skip/stamp 3, cook/restore 1, cook/remove 1", 0)

	if err := os.Remove(name("b/f.json")); err != nil {
		t.Fatal(err)
	}
	want("removed", "pc", "cook/found 3, cook/skip/stamp 3, cook/remove 1", 1)
	want("removed", "mobile", "cook/found 3, cook/skip/stamp 3, cook/remove 1", 0)
	if exists(p.out("mobile/b/f.json")) {
		t.Error("the output of a removed source is there")
	}

	p.write("a.json", `{"a": `)
	want("broken", "pc", "cook/found 3, cook/skip/stamp 2, cook/fail 1, cook/remove 1, cook/checksum 1", 0)
	want("broken", "mobile", "cook/found 3, cook/skip/stamp 2, cook/fail 1, cook/remove 1", 0)
	if exists(p.out("mobile/a.json")) {
		t.Error("the output of a broken source is there")
	}
	want("broken, again", "pc", "cook/found 3, cook/skip/stamp 2, cook/fail 1", 0)

	p.write("a.json", `{"a": 2345}`)
	p.write("cook.toml", targetRules+"[[rule]]\nmatch = \"c.json\"\nrecipe = \"copy\"\n")
	want("mended, and a rule", "pc", "cook/found 3, cook/skip/stamp 1, cook/cook 2, cook/checksum 1", 0)
	want("mended, and a rule", "mobile", "cook/found 3, cook/skip/stamp 1, cook/cook 2", 0)

	if err := os.Remove(p.out("mobile/b/d.txt")); err != nil {
		t.Fatal(err)
	}
	want("output of another target removed", "pc", noop, 0)
	want("output removed", "mobile", "cook/found 3, cook/skip/stamp 2, cook/restore 1", 0)

	p.Scope.Targets = []string{"mobile", "pc"}
	if d := p.run(); counts(d) != "cook/found 6, cook/skip/stamp 6" || d.Stats.Looked.Listed != 0 {
		t.Errorf("both: %s, %d directories listed", counts(d), d.Stats.Looked.Listed)
	}
}

// A source stays pending for a target until a run for that target covers the source.
func TestPendingOutOfScope(t *testing.T) {
	needFolderStamps(t)
	p := newProject(t, map[string]string{"cook.toml": targetRules, "a.json": `{"a": 1}`, "b/c.json": `{"b": 12}`})
	run := func(target string, patterns ...string) Done {
		p.Scope.Targets, p.Scope.Patterns = []string{target}, patterns
		return p.run()
	}
	run("pc")
	run("mobile")
	p.write("a.json", `{"a": 234}`)
	p.write("b/c.json", `{"b": 3}`)
	run("pc")
	for _, step := range []struct{ pattern, want string }{
		{"b", "cook/found 1, cook/cook 1"},
		{"b", "cook/found 1, cook/skip/stamp 1"},
		{"*", "cook/found 2, cook/skip/stamp 1, cook/cook 1"},
	} {
		if d := run("mobile", step.pattern); counts(d) != step.want || d.Stats.Looked.Listed != 0 {
			t.Errorf("mobile, %s: %s, %d directories listed, want %s", step.pattern, counts(d), d.Stats.Looked.Listed, step.want)
		}
	}
}

// If a large part of the tree is pending for a target, the next run for the target lists the tree
// anyway. The index then does not record the pending sources.
func TestTooManyPending(t *testing.T) {
	p := newProject(t, map[string]string{"cook.toml": targetRules})
	for i := range 150 {
		p.write(fmt.Sprintf("%d.json", i), `{"a": 1}`)
	}
	p.Scope.Targets = []string{"mobile"}
	p.run()
	for i := range 140 {
		p.write(fmt.Sprintf("%d.json", i), fmt.Sprintf(`{"a": %d}`, 1000+i))
	}
	p.Scope.Targets = []string{"pc"}
	p.run()
	s := p.open()
	known, err := s.LoadIndex()
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(known.Vouched()); got != "[pc]" {
		t.Errorf("vouches for %s", got)
	}
	known.Close()
	s.Close()
	p.Scope.Targets = []string{"mobile"}
	if d := p.run(); d.Stats.Outcomes.Cooked.Assets != 140 || d.Stats.Looked.Listed == 0 {
		t.Errorf("%s, %d directories listed", counts(d), d.Stats.Looked.Listed)
	}
}

// A run ignores changes to the program that cooked another target.
func TestToolsOfTargetsInTurn(t *testing.T) {
	if _, err := exec.LookPath("cp"); err != nil {
		t.Skip(err)
	}
	p := newProject(t, map[string]string{
		"cook.toml": targetRules + "[[rule]]\nmatch = \"*.in\"\ncommand = [\"cp\", \"{in}\", \"{out}\"]\ntools = [\"tools/list\"]\noutputs = [\"{path}\"]\n",
		"a.in":      "one", "b.txt": "two", "tools/list": "one", "tools/.cookignore": "*\n",
	})
	run := func(target string) Done {
		p.Scope.Targets = []string{target}
		return p.run()
	}
	run("pc")
	run("mobile")
	p.write("tools/list", "other")
	for _, step := range []struct {
		target, want string
		whole        bool
	}{
		{"mobile", "cook/found 2, cook/skip/stamp 1, cook/cook 1, cook/checksum 1", true},
		{"mobile", "cook/found 2, cook/skip/stamp 2", false},
		{"pc", "cook/found 2, cook/skip/stamp 1, cook/restore 1", false},
		{"pc", "cook/found 2, cook/skip/stamp 2", false},
		{"mobile", "cook/found 2, cook/skip/stamp 2", false},
	} {
		if d := run(step.target); counts(d) != step.want || (d.Delta == nil) != step.whole {
			t.Errorf("%s: %s, whole %v; want %s, %v", step.target, counts(d), (d.Delta == nil), step.want, step.whole)
		}
	}
}

// TestRulesOfTargetsInTurn edits rules while another target is cooked, and expects the next run for
// each target to apply the edit.
func TestRulesOfTargetsInTurn(t *testing.T) {
	needFolderStamps(t)
	p := newProject(t, map[string]string{"cook.toml": targetRules, "a.txt": "one", "b.json": "{}"})
	run := func(target string, whole bool, want string) {
		t.Helper()
		p.Scope.Targets = []string{target}
		if d := p.run(); (d.Delta == nil) != whole || counts(d) != want {
			t.Errorf("%s: %s, whole %v; want %s, %v", target, counts(d), (d.Delta == nil), want, whole)
		}
	}
	run("pc", true, "cook/found 2, cook/cook 2, cook/checksum 2")
	run("mobile", true, "cook/found 2, cook/cook 2")
	const same = "[target.pc.json]\nminify = true\n[target.mobile.json]\nminify = true\n"
	p.write("cook.toml", same)
	run("pc", false, "cook/found 2, cook/skip/stamp 2")
	run("mobile", false, "cook/found 2, cook/skip/stamp 1, cook/cook 1")
	p.write("cook.toml", same+"[[rule]]\nmatch = \"*.txt\"\noutput = \"{dir}/{stem}-one.txt\"\n")
	p.write(".cookignore", "*.no\n")
	run("pc", true, "cook/found 2, cook/skip/stamp 1, cook/restore 1, cook/remove 1")
	run("mobile", false, "cook/found 2, cook/skip/stamp 1, cook/restore 1, cook/remove 1")
}

// A target that the rules no longer declare is refused, even if a run for another target has
// already seen the edit, and even if there are no assets.
func TestTargetThatRulesDropped(t *testing.T) {
	p := newProject(t, map[string]string{"cook.toml": targetRules})
	run := func(target string) error {
		p.Scope.Targets = []string{target}
		s := p.open()
		defer s.Close()
		_, err := Run(t.Context(), s, nil)
		return err
	}
	if err := errors.Join(run("pc"), run("mobile")); err != nil {
		t.Fatal(err)
	}
	p.write("cook.toml", "[target.pc.json]\nminify = true\n")
	if err := run("pc"); err != nil {
		t.Fatal(err)
	}
	var wrong *session.ConfigError
	if err := run("mobile"); !errors.As(err, &wrong) {
		t.Errorf("mobile: %v", err)
	}
}

// A run for all targets cooks every declared target, and is incremental.
func TestAllTargets(t *testing.T) {
	needFolderStamps(t)
	p := newProject(t, map[string]string{"a.json": `{"a": 1}`, "b/c.json": `{"b": 12}`, "b/d.txt": "three"})
	run := func(target string) Done {
		p.Scope = session.Scope{Targets: []string{target}}
		return p.run()
	}
	want := func(step, target, counted string, listed int64) {
		t.Helper()
		d := run(target)
		if got := counts(d); got != counted || d.Stats.Looked.Listed != listed {
			t.Errorf("%s, %s: %s, %d directories listed; want %s, %d", step, target, got, d.Stats.Looked.Listed, counted, listed)
		}
	}
	want("none declared", "all", "cook/found 3, cook/cook 3, cook/checksum 3", 2)
	want("none declared, again", "all", "cook/found 3, cook/skip/stamp 3", 0)
	want("none declared, by no name", "", "cook/found 3, cook/skip/stamp 3", 0)

	p.write("cook.toml", targetRules)
	want("two declared", "all", "cook/found 6, cook/cook 6", 2)
	want("two declared, again", "all", "cook/found 6, cook/skip/stamp 6", 0)
	want("two declared, one asked for", "pc", "cook/found 3, cook/skip/stamp 3", 0)

	p.write("a.json", `{"a": 234}`)
	want("edited", "all", "cook/found 6, cook/skip/stamp 4, cook/cook 2, cook/checksum 1", 0)
	p.write("a.json", `{"a": 23456}`)
	want("edited", "pc", "cook/found 3, cook/skip/stamp 2, cook/cook 1, cook/checksum 1", 0)
	want("edited for the other", "all", "cook/found 6, cook/skip/stamp 5, cook/cook 1", 0)

	p.write("b/cook.toml", "[target.tv.json]\nminify = true\n")
	want("a third one in a directory", "pc", "cook/found 3, cook/skip/stamp 3", 2)
	want("a third one in a directory", "all", "cook/found 9, cook/skip/stamp 6, cook/cook 3", 2)
	want("a third one in a directory, again", "all", "cook/found 9, cook/skip/stamp 9", 0)

	p.write("cook.toml", "[target.pc.json]\nminify = true\n")
	want("one less", "all", "cook/found 6, cook/skip/stamp 6, cook/remove 3", 2)
	if exists(p.out("mobile/a.json")) {
		t.Error("the output of a target that is gone is there")
	}
	want("one less, again", "all", "cook/found 6, cook/skip/stamp 6", 0)
}

// A setting that is overridden for one target still applies to other targets. cook neither rejects
// it nor warns that it has no effect.
func TestRulesDifferByTarget(t *testing.T) {
	const rules = "[target.small]\n[[rule]]\nmatch = \"*.json\"\nminify = false\n[[rule]]\nmatch = \"*.json\"\nrecipe = \"copy\"\ntarget = \"small\"\n"
	for _, target := range []string{"small", "", "all"} {
		p := newProject(t, map[string]string{"cook.toml": rules, "a.json": `{"a": 1}`})
		var said []string
		p.Observer = warnings{&said}
		p.Scope.Targets = []string{target}
		if d := p.run(); d.Stats.Outcomes.Cooked.Assets != 1 {
			t.Errorf("%q: %s", target, counts(d))
		}
		if len(said) > 0 {
			t.Errorf("%q: %q", target, said)
		}
	}
}

// warnings records warnings.
type warnings struct{ said *[]string }

func (warnings) Stage(string)               {}
func (warnings) Planned(int, time.Duration) {}
func (warnings) Reading(_, _ int, _ int64)  {}
func (warnings) Step(_, _, _ string)        {}
func (w warnings) Note(text string)         { *w.said = append(*w.said, text) }
func (w warnings) Event(e execute.Event) {
	if e.Outcome == execute.Warned {
		*w.said = append(*w.said, e.Err.Error())
	}
}

// If the index is lost, the outputs of a dropped target are still removed.
func TestLostIndexAndTarget(t *testing.T) {
	for _, lost := range []bool{false, true} {
		p := newProject(t, map[string]string{"cook.toml": targetRules, "a.json": `{"a": 1}`, "b/c.json": `{}`})
		p.Scope.Targets = []string{"all"}
		p.run()
		p.write("cook.toml", "[target.pc.json]\nminify = true\n")
		if lost {
			if err := os.Remove(filepath.Join(p.Place.Out, ".cook", "index")); err != nil {
				t.Fatal(err)
			}
		}
		p.run()
		if exists(p.out("mobile")) || !exists(p.out("pc/b/c.json")) {
			t.Errorf("index lost: %v: what is cooked for mobile is there: %v", lost, exists(p.out("mobile")))
		}
	}
}
