package query

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/assetcook/assetcook/cook/cli/internal/cmdline"
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
	list, err := r.loadAssets(patterns)
	if err != nil {
		return err
	}
	if r.json {
		return graphJSON(list, w)
	}
	dot := bufio.NewWriter(w)
	w = dot
	fmt.Fprint(w, "digraph assets {\n\trankdir=LR\n\tnode [shape=box]\n")
	edge := func(from, to, style string) { fmt.Fprintf(w, "\t%s -> %s%s\n", dotID(from), dotID(to), style) }
	for i := range list {
		a := &list[i]
		fmt.Fprintf(w, "\t%s [label=%s]\n", dotID("s:"+a.Path), dotID(a.Path))
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
			fmt.Fprintf(w, "\t%s [label=%s shape=ellipse]\n", dotID("o:"+o.Path), dotID(o.Path))
			edge("s:"+a.Path, "o:"+o.Path, "")
		}
	}
	fmt.Fprint(w, "}\n")
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

func graphJSON(list []survey.Asset, w io.Writer) error {
	var edges []edgeJSON
	for i := range list {
		a := &list[i]
		for _, d := range a.Dependencies {
			if slices.Contains(a.Missing, d) {
				edges = append(edges, edgeJSON{Asset: a.Path, Target: a.Target, Missing: d})
			} else {
				edges = append(edges, edgeJSON{Asset: a.Path, Target: a.Target, Reads: d})
			}
		}
		for _, o := range a.Takes {
			edges = append(edges, edgeJSON{Asset: a.Path, Target: a.Target, Takes: o})
		}
		for _, o := range a.Outputs {
			edges = append(edges, edgeJSON{Asset: a.Path, Target: a.Target, Makes: o.Path})
		}
		if len(a.Dependencies)+len(a.Takes)+len(a.Outputs) == 0 {
			edges = append(edges, edgeJSON{Asset: a.Path, Target: a.Target})
		}
	}
	return eachJSON(w, edges, func(e *edgeJSON) any { return e })
}

// dotID quotes a name for DOT as Go does, and doubles backslashes because DOT labels have their own
// escapes. Different names have different IDs.
func dotID(name string) string {
	text := strconv.Quote(name)
	return `"` + strings.ReplaceAll(strings.ReplaceAll(text[1:len(text)-1], `\`, `\\`), `\\"`, `\"`) + `"`
}
