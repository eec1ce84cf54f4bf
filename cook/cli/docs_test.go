package cli

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The documentation tests read pages as files, so go test runs them again after an edit of a page.
// With -update they write the expected text into the pages.
var update = flag.Bool("update", false, "rewrite transcripts and generated tables in README.md and docs")

const root = "../.."

// languages are the languages of fenced code blocks. Drawings use the language text. For each other
// language, a test runs, compiles or parses the blocks.
var languages = []string{"c", "console", "go", "groovy", "ini", "js", "json", "nginx", "sh", "text", "toml", "yaml"}

// A page is a Markdown file of the documentation.
type page struct {
	name   string // path relative to the module's directory
	text   string
	blocks []block
}

// A block is a fenced code block of a page.
type block struct {
	lang, text string
	line       int // line number in the page
	start, end int // byte offsets in the page
	shows      []string
}

// fence matches a code block. The comment before a transcript lists the texts that its commands
// must print, so that -update cannot record a run that had no effect:
//
//	<!-- shows: 88 up to date | 1 cooked -->
var fence = regexp.MustCompile("(?ms)(?:^<!-- shows: ([^\n]*) -->\n)?^```([a-z]*)\n(.*?)^```$")

// pages reads README.md and all pages in docs.
func pages(t *testing.T) []page {
	t.Helper()
	names := []string{filepath.Join(root, "README.md")}
	for _, pattern := range []string{"docs/*.md", "docs/recipes/*.md", "docs/internals/*.md"} {
		found, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil || len(found) == 0 {
			t.Fatalf("%s: no pages, %v", pattern, err)
		}
		names = append(names, found...)
	}
	var all []page
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, parsePage(filepath.ToSlash(rel), string(text)))
	}
	return all
}

func parsePage(name, text string) page {
	p := page{name: name, text: text}
	for _, m := range fence.FindAllStringSubmatchIndex(text, -1) {
		b := block{lang: text[m[4]:m[5]], text: text[m[6]:m[7]], line: 1 + strings.Count(text[:m[6]], "\n"), start: m[6], end: m[7]}
		if m[2] >= 0 {
			b.shows = strings.Split(text[m[2]:m[3]], " | ")
		}
		p.blocks = append(p.blocks, b)
	}
	return p
}

// write replaces a page's text if -update is set.
func (p page) write(t *testing.T, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(root, filepath.FromSlash(p.name)), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// in returns the pages with code blocks in the given language. It fails if there are none.
func in(t *testing.T, lang string) []page {
	t.Helper()
	all := slices.DeleteFunc(pages(t), func(p page) bool {
		return !slices.ContainsFunc(p.blocks, func(b block) bool { return b.lang == lang })
	})
	if len(all) == 0 {
		t.Fatalf("no page has a %s block", lang)
	}
	return all
}

// TestDocsBlocks expects that all code blocks are closed and have a language that some test checks.
func TestDocsBlocks(t *testing.T) {
	for _, p := range pages(t) {
		if n := strings.Count("\n"+p.text, "\n```"); n != 2*len(p.blocks) {
			t.Errorf("%s: %d fences, %d blocks", p.name, n, len(p.blocks))
		}
		for _, b := range p.blocks {
			if !slices.Contains(languages, b.lang) {
				t.Errorf("%s:%d: a block of %q; have %q", p.name, b.line, b.lang, languages)
			}
			if (b.lang == "console") != (len(b.shows) > 0) {
				t.Errorf("%s:%d: <!-- shows: TEXT | TEXT --> belongs before transcripts, and before each", p.name, b.line)
			}
		}
	}
	for _, lang := range languages {
		in(t, lang)
	}
}

var link = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// TestDocsLinks checks that links in pages lead to existing files and headings.
func TestDocsLinks(t *testing.T) {
	all := pages(t)
	text, err := os.ReadFile(filepath.Join(root, "ARCHITECTURE.md"))
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for _, p := range append(all, page{name: "ARCHITECTURE.md", text: string(text)}) {
		for _, m := range link.FindAllStringSubmatch(p.text, -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			seen++
			target, heading, _ := strings.Cut(m[1], "#")
			name := filepath.Join(root, filepath.Dir(filepath.FromSlash(p.name)), filepath.FromSlash(target))
			if target == "" {
				name = filepath.Join(root, filepath.FromSlash(p.name))
			}
			if _, err := os.Stat(name); err != nil {
				t.Errorf("%s: %v", p.name, err)
			} else if heading != "" && !hasHeading(t, name, heading) {
				t.Errorf("%s: %s has no heading %q", p.name, target, heading)
			}
		}
	}
	if seen < 20 {
		t.Errorf("%d links looked at", seen)
	}
}

var notInAnchor = regexp.MustCompile("[^a-z0-9 _-]")

// hasHeading reports whether a page has a heading with the given anchor, as GitHub derives anchors.
func hasHeading(t *testing.T, name, anchor string) bool {
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		title, ok := strings.CutPrefix(strings.TrimLeft(string(line), "#"), " ")
		if ok && line[0] == '#' && strings.ReplaceAll(notInAnchor.ReplaceAllString(strings.ToLower(strings.TrimSpace(title)), ""), " ", "-") == anchor {
			return true
		}
	}
	return false
}

// generated compares the text between two markers of a page with the expected text. With -update,
// it replaces the text.
func (p page) generated(t *testing.T, name, want string) {
	t.Helper()
	begin, end := fmt.Sprintf("<!-- %s: generated -->\n", name), fmt.Sprintf("<!-- %s: end -->\n", name)
	before, rest, ok := strings.Cut(p.text, begin)
	got, after, closed := strings.Cut(rest, end)
	switch {
	case !ok || !closed:
		t.Errorf("%s has no %q and %q", p.name, begin, end)
	case got == want:
	case *update:
		p.write(t, before+begin+want+end+after)
	default:
		t.Errorf("%s: %s is not what it should be; run go test ./cook/cli -run %s -update\n%s", p.name, name, t.Name(), want)
	}
}
