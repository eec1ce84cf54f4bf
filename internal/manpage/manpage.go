// Package manpage writes manual pages with the macros of man(7), which groff and mandoc format.
package manpage

import (
	"flag"
	"fmt"
	"io"
	"strings"

	"github.com/assetcook/assetcook/internal/lazyregexp"
)

// A Page writes one manual page to W.
type Page struct{ W io.Writer }

// roffMarks escapes characters that roff interprets. For example, roff would print "-" as a hyphen,
// which does not work in a command line.
var roffMarks = strings.NewReplacer(`\`, `\e`, "-", `\-`, `"`, `\(dq`, "'", `\(aq`, "`", `\(ga`, "^", `\(ha`, "~", `\(ti`)

// Roff escapes a text so that it is printed unchanged at any position in a line.
func Roff(text string) string {
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

// Macro writes a line that starts with a macro.
func (p Page) Macro(name string, args ...string) {
	for _, arg := range args {
		name += ` "` + Roff(arg) + `"`
	}
	fmt.Fprintf(p.W, ".%s\n", name)
}

// Verbatim writes lines unchanged.
func (p Page) Verbatim(lines []string) {
	p.Macro("nf")
	for _, line := range lines {
		fmt.Fprintln(p.W, Roff(line))
	}
	p.Macro("fi")
}

// Text writes paragraphs, which are separated by empty lines in text. Lines that start with a tab
// are examples.
func (p Page) Text(text string) {
	begun := false
	for part := range strings.SplitSeq(strings.Trim(text, "\n")+"\n", "\n\n") {
		var example []string
		lines := strings.Split(strings.TrimSuffix(part, "\n"), "\n")
		if begun {
			p.Macro("PP")
		}
		begun = true
		for _, line := range lines {
			if rest, ok := strings.CutPrefix(line, "\t"); ok {
				example = append(example, rest)
				continue
			}
			p.example(example)
			example = nil
			fmt.Fprintln(p.W, Roff(line))
		}
		p.example(example)
	}
}

func (p Page) example(lines []string) {
	if len(lines) == 0 {
		return
	}
	p.Macro("RS", "4")
	p.Verbatim(lines)
	p.Macro("RE")
}

// declaration matches a flag in a help text, as package flag writes it.
var declaration = lazyregexp.New(`(?m)^  -([a-z][a-z0-9-]*)(?: ([^\t\n]+))?(?:\t|\n    \t)(.*)$`)

// A Declared is a flag in a help text.
type Declared struct {
	Name  string
	Value string // name of the flag's value; may be empty
	Doc   string // help text, including the default
}

// Declarations returns the flags of a help text.
func Declarations(help string) (all []Declared) {
	for _, m := range declaration().FindAllStringSubmatch(help, -1) {
		all = append(all, Declared{m[1], m[2], m[3]})
	}
	return all
}

// Flags writes one paragraph per flag.
func (p Page) Flags(fs *flag.FlagSet) {
	var help strings.Builder
	fs.SetOutput(&help)
	fs.PrintDefaults()
	for _, f := range Declarations(help.String()) {
		p.Macro("TP")
		fmt.Fprintf(p.W, "\\fB\\-%s\\fR", Roff(f.Name))
		if f.Value != "" {
			fmt.Fprintf(p.W, " \\fI%s\\fR", Roff(f.Value))
		}
		fmt.Fprintf(p.W, "\n%s\n", Roff(f.Doc))
	}
}
