package query

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/assetcook/assetcook/cook/cli/internal/cmdline"
	"github.com/assetcook/assetcook/cook/internal/report"
	"github.com/assetcook/assetcook/cook/internal/survey"
)

const graphText = `usage: cook graph -dir assets [flags] [pattern ...]

Prints sources, the files that they read and their outputs as a graph in DOT format, or
its edges as JSON.

Example:
	cook graph -dir assets models | dot -Tsvg > models.svg
`

// Graph is the verb "cook graph".
var Graph = cmdline.Verb{
	Name: "graph", Synopsis: "graph -dir assets [flags] [pattern ...]", Summary: "print sources, dependencies and outputs as a graph", Text: graphText,
	Takes: cmdline.Argument{Files: true},
	New:   queryHandler("graph", "print each edge, and each asset without edges, as one line of JSON", false, (*lastRun).writeGraph),
}

// writeGraph prints the graph in DOT. A node "s:PATH" is a source, and a node "o:PATH" is an
// output.
func (r *lastRun) writeGraph(patterns []string, w io.Writer) error {
	if r.json {
		return r.graphJSON(patterns, w)
	}
	dot := bufio.NewWriter(w)
	fmt.Fprint(dot, "digraph assets {\n\trankdir=LR\n\tnode [shape=box]\n")
	edge := func(from, to, style string) { fmt.Fprintf(dot, "\t%s -> %s%s\n", dotID(from), dotID(to), style) }
	err := r.eachAsset(survey.Each, patterns, func(a *survey.Asset) bool {
		fmt.Fprintf(dot, "\t%s [label=%s]\n", dotID("s:"+a.Path), dotID(a.Path))
		for _, d := range a.Dependencies {
			style := ""
			if slices.Contains(a.Missing, d) {
				style = " [style=dashed]"
			}
			edge("s:"+d, "s:"+a.Path, style)
		}
		for _, o := range a.Takes {
			edge("o:"+o, "s:"+a.Path, "")
		}
		for _, o := range a.Outputs {
			fmt.Fprintf(dot, "\t%s [label=%s shape=ellipse]\n", dotID("o:"+o.Path), dotID(o.Path))
			edge("s:"+a.Path, "o:"+o.Path, "")
		}
		return true
	})
	if err != nil {
		return err
	}
	fmt.Fprint(dot, "}\n")
	return dot.Flush()
}

// An edgeJSON is an edge of the graph in JSON. An asset without any edges has one edge without a
// file.
type edgeJSON struct {
	Asset   string `json:"asset"`
	Target  string `json:"target,omitempty"`
	Reads   string `json:"reads,omitempty"`
	Missing string `json:"missing,omitempty"`
	Takes   string `json:"takes,omitempty"`
	Makes   string `json:"makes,omitempty"`
}

func (r *lastRun) graphJSON(patterns []string, w io.Writer) (err error) {
	lines := report.NewJSON(w)
	defer lines.Flush()
	edge := func(e edgeJSON) { err = cmp.Or(err, lines.Line(e)) }
	read := r.eachAsset(survey.Each, patterns, func(a *survey.Asset) bool {
		for _, d := range a.Dependencies {
			if slices.Contains(a.Missing, d) {
				edge(edgeJSON{Asset: a.Path, Target: a.Target, Missing: d})
			} else {
				edge(edgeJSON{Asset: a.Path, Target: a.Target, Reads: d})
			}
		}
		for _, o := range a.Takes {
			edge(edgeJSON{Asset: a.Path, Target: a.Target, Takes: o})
		}
		for _, o := range a.Outputs {
			edge(edgeJSON{Asset: a.Path, Target: a.Target, Makes: o.Path})
		}
		if len(a.Dependencies)+len(a.Takes)+len(a.Outputs) == 0 {
			edge(edgeJSON{Asset: a.Path, Target: a.Target})
		}
		return err == nil
	})
	return cmp.Or(read, err)
}

// dotID quotes a name for DOT as Go does, and doubles backslashes because DOT labels have their own
// escapes. Different names have different IDs.
func dotID(name string) string {
	text := strconv.Quote(name)
	return `"` + strings.ReplaceAll(strings.ReplaceAll(text[1:len(text)-1], `\`, `\\`), `\\"`, `\"`) + `"`
}
