package main

import (
	"strings"

	"github.com/assetcook/assetcook/internal/manpage"
	"github.com/assetcook/assetcook/internal/version"
)

// aboutText returns the answer to -version, or to -man: a manual page made from the help.
func aboutText(o options) string {
	build := version.Read()
	if o.version {
		return build.Line("hashsum")
	}
	var w strings.Builder
	p := manpage.Page{W: &w}
	p.Macro("TH", "HASHSUM", "1", build.Date, "assetcook "+build.Version, "User Commands")
	p.Macro("SH", "NAME")
	w.WriteString("hashsum \\- print and check sums of files\n")
	calls, about, _ := strings.Cut(strings.TrimPrefix(usage(), "usage: "), "\n\n")
	p.Macro("SH", "SYNOPSIS")
	var lines []string
	for line := range strings.Lines(calls) {
		lines = append(lines, strings.TrimSpace(line))
	}
	p.Verbatim(lines)
	about, _, _ = strings.Cut(about, "\n  -0\t")
	p.Macro("SH", "DESCRIPTION")
	p.Text(strings.ReplaceAll(about, "\n  hashsum", "\n\thashsum"))
	_, lists, _ := strings.Cut(usage(), "\nLists: ")
	lists, status, _ := strings.Cut(lists, "\n\nExit status: ")
	p.Macro("SH", "FLAGS")
	var fn string
	var tag, json bool
	p.Flags(flags(&o, &fn, &tag, &json))
	p.Macro("SH", "LISTS")
	p.Text(lists)
	p.Macro("SH", "EXIT STATUS")
	p.Text(status)
	return w.String()
}
