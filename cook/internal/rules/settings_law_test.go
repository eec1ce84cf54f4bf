package rules

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// lawSources are the sources that TestEverySettingCountsOrIsReported uses.
var lawSources = []string{"a.png", "b.json", "ui/a.png", "ui/c.txt", "ui/b.json"}

// drawRules returns the lines of a random cook.toml, with one setting on each line.
func drawRules(t *rapid.T, name string) []string {
	setting := rapid.SampledFrom([]string{"srgb = false", "max_size = 7", "quality = 2", "quality = 'low'", "level = 9", "indent = true", "output = 'x/{path}'"})
	settings := func(few int) []string {
		return rapid.SliceOfNDistinct(setting, 0, few, func(line string) string { return strings.Fields(line)[0] }).Draw(t, "settings")
	}
	lines := []string{"[target.pc]", "[target.web]"}
	for range rapid.IntRange(0, 4).Draw(t, name+" rules") {
		lines = append(lines, "[[rule]]", "match = '"+rapid.SampledFrom([]string{"*", "*.png", "a.*", "ui/*", "none"}).Draw(t, "match")+"'")
		for _, key := range []string{"target = 'pc'", "target = ['pc', 'web']", "recipe = 'zstd'", "recipe = 'image'", "recipe = 'copy'"} {
			if rapid.IntRange(0, 5).Draw(t, key) == 0 && !slices.ContainsFunc(lines[len(lines)-2:], func(line string) bool { return line[:4] == key[:4] }) {
				lines = append(lines, key)
			}
		}
		for _, line := range settings(3) {
			lines = append(lines, strings.Replace(line, "'x/", fmt.Sprintf("'%s%d/", name, len(lines)), 1)) // makes the names of outputs unique
		}
	}
	for _, table := range []string{"[target.pc.image]", "[target.web.image]", "[target.pc.zstd]"} {
		if rapid.Bool().Draw(t, table) {
			lines = append(append(lines, table), settings(2)...)
		}
	}
	return lines
}

// effects describes the method of each source for each target.
func effects(s *Set) string {
	var b strings.Builder
	for _, target := range []string{"", "pc", "web"} {
		for _, source := range lawSources {
			m, err := s.Method(source, target)
			if err != nil {
				fmt.Fprintf(&b, "%s for %s: %v\n", source, target, err)
				continue
			}
			fmt.Fprintf(&b, "%s for %s: %v %v %v\n", source, target, m.Options, m.Outputs, m.Rules)
		}
	}
	return b.String()
}

// TestEverySettingCountsOrIsReported checks that exactly the settings without effect are reported.
// To find out whether a setting has an effect, the test removes its line.
func TestEverySettingCountsOrIsReported(t *testing.T) {
	all := recipes(t)
	rapid.Check(t, func(t *rapid.T) {
		files := map[string][]string{"cook.toml": drawRules(t, "root"), "ui/cook.toml": drawRules(t, "ui")}
		build := func() (*Set, error) {
			return Compile([]File{
				{Name: "cook.toml", Data: []byte(strings.Join(files["cook.toml"], "\n"))},
				{Name: "ui/cook.toml", Dir: "ui", Data: []byte(strings.Join(files["ui/cook.toml"], "\n"))},
			}, all)
		}
		s, err := build()
		if err != nil {
			t.Skip() // invalid settings are reported as errors
		}
		whole := effects(s)
		reported := map[string]string{}
		for _, e := range slices.Concat(s.Dropped(), s.Wrong(), s.Useless(slices.Values(lawSources), leftOut)) {
			reported[fmt.Sprint(e.File, e.Line)] = e.Msg
		}
		for name, lines := range files {
			head := 0
			for i, line := range lines {
				if strings.HasPrefix(line, "[") {
					head = i + 1
				}
				key := strings.Fields(line)[0]
				if head == i+1 || slices.Contains([]string{"match", "target", "recipe"}, key) {
					continue
				}
				lines[i] = "#"
				less, err := build()
				counts := err != nil || effects(less) != whole
				lines[i] = line
				said := ""
				for n := head; n < len(lines)+1 && (n == head || !strings.HasPrefix(lines[n-1], "[")); n++ {
					msg := reported[fmt.Sprint(name, n)]
					if n == i+1 || strings.Contains(msg, "this table has no effect") || strings.Contains(msg, "this rule has no effect") || strings.Contains(msg, "no source matches") {
						said += msg
					}
				}
				if counts == (said != "") {
					t.Fatalf("%s:%d: %s: counts: %v, reported: %q\n%s\n\n%s", name, i+1, line, counts, said, strings.Join(files["cook.toml"], "\n"), strings.Join(files["ui/cook.toml"], "\n"))
				}
			}
		}
	})
}

// TestRulesWithTargetComeAfterTables checks that a rule for a target overrides the table of the
// target, whatever their order.
func TestRulesWithTargetComeAfterTables(t *testing.T) {
	s := compileFiles(t,
		File{Name: "cook.toml", Data: []byte("[[rule]]\nmatch = 'ui/'\ntarget = 'pc'\nmax_size = 64\n[target.pc.image]\nmax_size = 256\n[[rule]]\nmatch = '*.png'\nmax_size = 1024\n")},
		File{Name: "ui/cook.toml", Dir: "ui", Data: []byte("[target.pc.image]\nmax_size = 128\n")},
	)
	for _, tc := range []struct {
		path, target string
		want         int
	}{{"a.png", "", 1024}, {"a.png", "pc", 256}, {"ui/a.png", "", 1024}, {"ui/a.png", "pc", 64}} {
		if got := method(t, s, tc.path, tc.target).Cooker.(*fakeImage).MaxSize; got != tc.want {
			t.Errorf("%s for %q: max_size = %d, want %d", tc.path, tc.target, got, tc.want)
		}
	}
	want := "ui/cook.toml:2:1: max_size has no effect on any asset; cook.toml:4 overrides it for ui/a.png"
	if got := s.Useless(slices.Values([]string{"a.png", "ui/a.png"}), leftOut).Error(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
