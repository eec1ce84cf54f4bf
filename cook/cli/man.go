package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/manpage"
	"github.com/assetcook/assetcook/internal/version"
)

// man prints the manual page, made of what help prints.
func (c command) man(w io.Writer) {
	build := version.Read()
	p := manpage.Page{W: w}
	p.Macro("TH", "COOK", "1", build.Date, "assetcook "+build.Version, "User Commands")
	p.Macro("SH", "NAME")
	fmt.Fprintf(w, "cook \\- %s\n", manpage.Roff("turn source assets into shippable ones"))
	p.Macro("SH", "SYNOPSIS")
	lines := []string{"cook " + synopsis}
	for _, v := range c.verbs() {
		lines = append(lines, "cook "+v.synopsis)
	}
	p.Verbatim(lines)
	p.Macro("SH", "DESCRIPTION")
	p.Text(introText + patternText)
	p.Macro("SH", "FLAGS")
	p.Flags(new(cookRun).flags())
	p.Macro("SH", "VERBS")
	for _, v := range c.verbs() {
		usage, about, _ := strings.Cut(v.text, "\n\n")
		p.Macro("SS", "cook "+v.name)
		usage = strings.TrimPrefix(usage, "usage: ")
		var calls []string
		for line := range strings.Lines(usage) {
			calls = append(calls, strings.TrimSpace(line))
		}
		p.Verbatim(calls)
		p.Macro("PP")
		p.Text(about)
		p.Flags(v.flags())
	}
	if set, err := recipe.NewSet(c.recipes...); err == nil {
		p.Macro("SH", "RECIPES")
		p.Text("The files that each cooks by default; cook help RECIPE prints its options.\n")
		for _, name := range set.Names() {
			p.Macro("TP")
			fmt.Fprintf(w, "\\fB%s\\fR\n%s\n", manpage.Roff(name), manpage.Roff(filesOf(set, name)))
		}
	}
	p.Macro("SH", "EXIT STATUS")
	p.Text(strings.TrimPrefix(strings.TrimSpace(exitText), "Exit status: "))
	p.Macro("SH", "SEE ALSO")
	p.Text("https://" + module)
}
