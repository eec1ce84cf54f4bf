package assetcook

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// quoted returns the texts between backquotes in a Markdown text.
var quoted = regexp.MustCompile("`([^`\n]+)`")

func words(text string) (list []string) {
	for _, m := range quoted.FindAllStringSubmatch(text, -1) {
		list = append(list, m[1])
	}
	return list
}

// section returns the text below a heading of ARCHITECTURE.md; "" is the whole page.
func section(t *testing.T, heading string) string {
	t.Helper()
	page, err := os.ReadFile("ARCHITECTURE.md")
	if err != nil {
		t.Fatal(err)
	}
	if heading == "" {
		return string(page)
	}
	_, below, ok := strings.Cut(string(page), "\n## "+heading+"\n")
	if !ok {
		t.Fatalf("ARCHITECTURE.md has no heading %q", heading)
	}
	text, _, _ := strings.Cut(below, "\n## ")
	return text
}

// walk calls visit for each of this module's files that go list would see, and for go.mod.
func walk(t *testing.T, visit func(name string) error) {
	t.Helper()
	err := filepath.WalkDir(".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != "." && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") || isModule(name)):
			return fs.SkipDir
		case d.IsDir():
			return nil
		}
		return visit(filepath.ToSlash(name))
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestArchitectureMap checks that the map lists all packages and all top-level directories, and
// nothing else.
func TestArchitectureMap(t *testing.T) {
	var folders []string
	for line := range strings.Lines(section(t, "Map")) {
		if cells := strings.Split(line, "|"); len(cells) > 2 {
			folders = append(folders, words(cells[1])...)
		}
	}
	if len(folders) < 40 {
		t.Errorf("the map has only %d directories", len(folders))
	}
	for _, name := range folders {
		if info, err := os.Stat(strings.TrimSuffix(name, "/...")); err != nil || !info.IsDir() {
			t.Errorf("the map has %q, which is not a directory", name)
		}
	}
	mapped := func(dir string) bool {
		return slices.ContainsFunc(folders, func(f string) bool { return fits(f, dir) })
	}
	lacks := map[string]bool{}
	walk(t, func(name string) error {
		if dir := path.Dir(name); strings.HasSuffix(name, ".go") && dir != "." && !mapped(dir) && !lacks[dir] {
			lacks[dir] = true
			t.Errorf("the map lacks %s", dir)
		}
		return nil
	})
	top, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range top {
		inside := func(f string) bool { return strings.HasPrefix(f, d.Name()+"/") }
		if d.IsDir() && d.Name()[0] != '.' && !mapped(d.Name()) && !slices.ContainsFunc(folders, inside) {
			t.Errorf("the map lacks %s", d.Name())
		}
	}
}

// TestArchitectureNames checks that all tests, scripts, files and directories named in
// ARCHITECTURE.md exist.
func TestArchitectureNames(t *testing.T) {
	tests := map[string]bool{}
	declared := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
	walk(t, func(name string) error {
		if !strings.HasSuffix(name, "_test.go") {
			return nil
		}
		text, err := os.ReadFile(name)
		for _, m := range declared.FindAllSubmatch(text, -1) {
			tests[string(m[1])] = true
		}
		return err
	})
	isTest := regexp.MustCompile(`^(Test|Fuzz)[A-Z]\w*$`)
	isFile := regexp.MustCompile(`^[a-z0-9_]+(/[\w.-]+)+$|_test\.go$`)
	seen := 0
	for _, word := range words(section(t, "")) {
		top, _, _ := strings.Cut(word, "/")
		_, noFolder := os.Stat(top)
		name := strings.TrimSuffix(word, "/...")
		switch {
		case isTest.MatchString(word):
			if !tests[word] {
				t.Errorf("test %s does not exist", word)
			}
		case strings.HasSuffix(word, ".txtar"):
			name = path.Join("cook/cli/testdata/script", word)
			fallthrough
		case isFile.MatchString(name) && noFolder == nil:
			if _, err := os.Stat(name); err != nil {
				t.Error(err)
			}
		default:
			continue
		}
		seen++
	}
	if seen < 100 {
		t.Errorf("%d names looked at", seen)
	}
}

// TestArchitectureModules compares the modules that ARCHITECTURE.md explains with those in go.mod.
func TestArchitectureModules(t *testing.T) {
	text, err := os.ReadFile("go.mod")
	if err != nil {
		t.Fatal(err)
	}
	var required []string
	for _, m := range regexp.MustCompile(`(?m)^\t(\S+) v\S+$`).FindAllStringSubmatch(string(text), -1) {
		required = append(required, m[1])
	}
	shipped := map[string]bool{}
	walk(t, func(name string) error {
		forTests := strings.HasSuffix(name, "_test.go") || strings.Contains(name, "internal/") && strings.HasSuffix(path.Dir(name), "test")
		if !strings.HasSuffix(name, ".go") || forTests || fits("proof/...", name) || fits("internal/proof/...", name) || fits("bench/...", name) {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		for _, spec := range file.Imports {
			imported, _ := strconv.Unquote(spec.Path.Value)
			for _, module := range required {
				shipped[module] = shipped[module] || fits(module+"/...", imported)
			}
		}
		return nil
	})
	table, forTests, ok := strings.Cut(section(t, "Dependencies"), "\nUsed by tests, proofs and benchmarks only:\n")
	forTests, _, _ = strings.Cut(forTests, "\n\nUsed by")
	if !ok || len(required) < 10 {
		t.Fatalf("%d modules, but no list of the modules that are not shipped", len(required))
	}
	var named []string
	for line := range strings.Lines(table) {
		if cells := strings.Split(line, "|"); len(cells) > 2 {
			named = append(named, words(cells[1])...)
		}
	}
	for _, module := range required {
		if shipped[module] != slices.Contains(named, module) || !shipped[module] != slices.Contains(words(forTests), module) {
			t.Errorf("%s (shipped: %v) has no line or a wrong one", module, shipped[module])
		}
	}
	for _, module := range slices.Concat(named, words(forTests)) {
		if !slices.Contains(required, module) {
			t.Errorf("%s is not in go.mod", module)
		}
	}
}
