package cli

import (
	"flag"
	"fmt"
	"io"
	"runtime/debug"
	"strings"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/lazyregexp"
)

// A manPage writes a manual page in the macros of man(7), which groff and mandoc format.
type manPage struct{ w io.Writer }

// man prints the manual page, made of what help prints.
func (c command) man(w io.Writer) {
	version, date := "(devel)", ""
	if info, ok := debug.ReadBuildInfo(); ok {
		version = versionOf(info)
		for _, s := range info.Settings {
			if s.Key == "vcs.time" && len(s.Value) >= len("2006-01-02") {
				date = s.Value[:len("2006-01-02")]
			}
		}
	}
	p := manPage{w}
	p.macro("TH", "COOK", "1", date, "assetcook "+version, "User Commands")
	p.macro("SH", "NAME")
	fmt.Fprintf(w, "cook \\- %s\n", roff("turn source assets into shippable ones"))
	p.macro("SH", "SYNOPSIS")
	lines := []string{"cook " + synopsis}
	for _, v := range c.verbs() {
		lines = append(lines, "cook "+v.synopsis)
	}
	p.verbatim(lines)
	p.macro("SH", "DESCRIPTION")
	p.text(introText + patternText)
	p.macro("SH", "FLAGS")
	p.flags(new(cookRun).flags())
	p.macro("SH", "VERBS")
	for _, v := range c.verbs() {
		usage, about, _ := strings.Cut(v.text, "\n\n")
		p.macro("SS", "cook "+v.name)
		usage = strings.TrimPrefix(usage, "usage: ")
		var calls []string
		for line := range strings.Lines(usage) {
			calls = append(calls, strings.TrimSpace(line))
		}
		p.verbatim(calls)
		p.macro("PP")
		p.text(about)
		p.flags(v.flags())
	}
	if set, err := recipe.NewSet(c.recipes...); err == nil {
		p.macro("SH", "RECIPES")
		p.text("The files that each cooks by default; cook help RECIPE prints its options.\n")
		for _, name := range set.Names() {
			p.macro("TP")
			fmt.Fprintf(w, "\\fB%s\\fR\n%s\n", roff(name), roff(filesOf(set, name)))
		}
	}
	p.macro("SH", "EXIT STATUS")
	p.text(strings.TrimPrefix(strings.TrimSpace(exitText), "Exit status: "))
	p.macro("SH", "SEE ALSO")
	p.text("https://" + module)
}

// roffMarks are what roff does not take as it is. A "-" would become a hyphen, which does not
// work in a command line.
var roffMarks = strings.NewReplacer(`\`, `\e`, "-", `\-`, `"`, `\(dq`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`)

// roff escapes a text, which then stands for itself wherever in a line it is.
func roff(text string) string {
	var b strings.Builder
	for _, r := range roffMarks.Replace(text) {
		if r < 0x80 {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, `\[u%04X]`, r)
		}
	}
	text = b.String()
	if strings.HasPrefix(text, ".") {
		return `\&` + text
	}
	return text
}

func (p manPage) macro(name string, args ...string) {
	for _, arg := range args {
		name += ` "` + roff(arg) + `"`
	}
	fmt.Fprintf(p.w, ".%s\n", name)
}

// verbatim writes lines as they are.
func (p manPage) verbatim(lines []string) {
	p.macro("nf")
	for _, line := range lines {
		fmt.Fprintln(p.w, roff(line))
	}
	p.macro("fi")
}

// text writes paragraphs, between which are empty lines. Lines that begin with a tab are
// examples.
func (p manPage) text(text string) {
	begun := false
	for part := range strings.SplitSeq(strings.Trim(text, "\n")+"\n", "\n\n") {
		var example []string
		lines := strings.Split(strings.TrimSuffix(part, "\n"), "\n")
		if begun {
			p.macro("PP")
		}
		begun = true
		for _, line := range lines {
			if rest, ok := strings.CutPrefix(line, "\t"); ok {
				example = append(example, rest)
				continue
			}
			p.example(example)
			example = nil
			fmt.Fprintln(p.w, roff(line))
		}
		p.example(example)
	}
}

func (p manPage) example(lines []string) {
	if len(lines) == 0 {
		return
	}
	p.macro("RS", "4")
	p.verbatim(lines)
	p.macro("RE")
}

// declaration is a flag in a help text, as package flag writes it.
var declaration = lazyregexp.New(`(?m)^  -([a-z][a-z0-9-]*)(?: ([^\t\n]+))?(?:\t|\n    \t)(.*)$`)

// A declared flag is one in a help text: its name, that of its value, which may be "", and
// what it does, with the default.
type declared struct{ name, value, doc string }

// declarations reads the flags of a help text.
func declarations(help string) (all []declared) {
	for _, m := range declaration().FindAllStringSubmatch(help, -1) {
		all = append(all, declared{m[1], m[2], m[3]})
	}
	return all
}

func (p manPage) flags(fs *flag.FlagSet) {
	var help strings.Builder
	fs.SetOutput(&help)
	fs.PrintDefaults()
	for _, f := range declarations(help.String()) {
		p.macro("TP")
		fmt.Fprintf(p.w, "\\fB\\-%s\\fR", roff(f.name))
		if f.value != "" {
			fmt.Fprintf(p.w, " \\fI%s\\fR", roff(f.value))
		}
		fmt.Fprintf(p.w, "\n%s\n", roff(f.doc))
	}
}
