package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/assetcook/assetcook/cook/cli/internal/cmdline"
	"github.com/assetcook/assetcook/internal/frontend"
	"github.com/assetcook/assetcook/internal/manpage"
	"github.com/assetcook/assetcook/internal/recipeset"
	"github.com/assetcook/assetcook/internal/version"
)

const module = "github.com/assetcook/assetcook"

const versionText = `usage: cook version

Prints the version of this program, the commit, its date and the version of Go that it
was built from, and the system it is for.

Example:
	cook version
`

var versionVerb = cmdline.Verb{
	Name: "version", Synopsis: "version", Summary: "print the version of this program", Text: versionText,
	New: func() cmdline.Handler { return cmdline.Handler{Run: runVersion} },
}

// runVersion prints the version of the program and of its build.
func runVersion(_ context.Context, c *cmdline.Call, words []string) int {
	if len(words) > 0 {
		return c.Wrong("version takes no arguments, have %q", words)
	}
	io.WriteString(c.Stdout, version.Read().Line("cook"))
	return frontend.OK
}

// writeMan prints the manual page, which is generated from the help texts.
func writeMan(w io.Writer, c *cmdline.Call) {
	build := version.Read()
	p := manpage.Page{W: w}
	p.Macro("TH", "COOK", "1", build.Date, "assetcook "+build.Version, "User Commands")
	p.Macro("SH", "NAME")
	fmt.Fprintf(w, "cook \\- %s\n", manpage.Roff("turn source assets into shippable ones"))
	p.Macro("SH", "SYNOPSIS")
	var lines []string
	for i := range c.Verbs {
		lines = append(lines, "cook "+c.Verbs[i].Synopsis)
	}
	p.Verbatim(lines)
	p.Macro("SH", "DESCRIPTION")
	p.Text(introText + patternText)
	p.Macro("SH", "FLAGS")
	p.Flags(c.Verbs[0].Flags())
	p.Macro("SH", "VERBS")
	for i := range c.Verbs[1:] {
		v := &c.Verbs[1+i]
		usage, about, _ := strings.Cut(v.Text, "\n\n")
		p.Macro("SS", "cook "+v.Name)
		usage = strings.TrimPrefix(usage, "usage: ")
		var calls []string
		for line := range strings.Lines(usage) {
			calls = append(calls, strings.TrimSpace(line))
		}
		p.Verbatim(calls)
		p.Macro("PP")
		p.Text(about)
		p.Flags(v.Flags())
	}
	if set, err := recipeset.New(c.Recipes...); err == nil {
		p.Macro("SH", "RECIPES")
		p.Text("The files that each recipe cooks by default; cook help RECIPE prints its options.\n")
		for _, name := range set.Names() {
			p.Macro("TP")
			fmt.Fprintf(w, "\\fB%s\\fR\n%s\n", manpage.Roff(name), manpage.Roff(extensionsText(set, name)))
		}
	}
	p.Macro("SH", "EXIT STATUS")
	p.Text(strings.TrimPrefix(strings.TrimSpace(cmdline.ExitText), "Exit status: "))
	p.Macro("SH", "SEE ALSO")
	p.Text("https://" + module)
}
