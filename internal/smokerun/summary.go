package smokerun

import (
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/assetcook/assetcook/internal/human"
)

// lineLimit is the maximum number of changes that a summary prints for each step and class.
const lineLimit = 10

// WriteMarkdown writes a summary of a record and its changes as Markdown. If changes is nil, the
// summary says that there was no comparison.
func WriteMarkdown(w io.Writer, r *Record, changes []Change) error {
	out := &strings.Builder{}
	worse := 0
	for i := range changes {
		if changes[i].Worse() {
			worse++
		}
	}
	switch {
	case changes == nil:
		fmt.Fprintf(out, "## %s: measured\n\n", escapeMarkdown(r.Suite))
	case len(changes) == 0:
		fmt.Fprintf(out, "## %s: no change\n\n", escapeMarkdown(r.Suite))
	case worse == 0:
		fmt.Fprintf(out, "## %s: %s better\n\n", escapeMarkdown(r.Suite), human.Count(len(changes), "figure"))
	default:
		fmt.Fprintf(out, "## %s: %s worse than allowed\n\n", escapeMarkdown(r.Suite), human.Count(worse, "figure"))
	}
	writeChanges(out, changes)
	fmt.Fprintln(out, "| step | processor time | instructions | allocated | objects | items |\n|---|---:|---:|---:|---:|---:|")
	for i := range r.Steps {
		s := &r.Steps[i]
		fmt.Fprintf(out, "| %s", escapeMarkdown(s.Name))
		for _, name := range []string{CPUTime, instructionCount, AllocatedBytes, AllocatedObjects} {
			if f, ok := s.Figure(name); ok {
				fmt.Fprintf(out, " | %s", format(name, f.Value))
			} else {
				fmt.Fprint(out, " | ")
			}
		}
		fmt.Fprintf(out, " | %d |\n", len(s.Items))
	}
	fmt.Fprintf(out, "\n%s, %s, %s/%s, %d cores of %s\n", r.Build.String(), r.Build.Go, r.Build.OS, r.Build.Arch, r.Machine.Cores, escapeMarkdown(r.Machine.Name))
	_, err := io.WriteString(w, out.String())
	return err
}

// writeChanges writes a table with a few changes per step and class. It prints only the number of
// the remaining changes.
func writeChanges(out *strings.Builder, changes []Change) {
	if len(changes) == 0 {
		return
	}
	type group struct{ step, class string }
	printed, left := map[group]int{}, map[group]int{}
	var order []group
	fmt.Fprintln(out, "| step | figure | before | after | change | cause |\n|---|---|---:|---:|---:|---|")
	for i := range changes {
		c := &changes[i]
		g := group{c.Step, string(c.Class)}
		if printed[g]++; printed[g] > lineLimit {
			if left[g]++; left[g] == 1 {
				order = append(order, g)
			}
			continue
		}
		fmt.Fprintf(out, "| %s | %s | %s | %s | %s | %s |\n", escapeMarkdown(c.Step), escapeMarkdown(c.Figure),
			format(c.Figure, c.Before), format(c.Figure, c.After), c.growth(), escapeMarkdown(c.because()))
	}
	for _, g := range order {
		fmt.Fprintf(out, "| %s | %d more %s figures | | | | |\n", escapeMarkdown(g.step), left[g], g.class)
	}
	fmt.Fprintln(out)
}

// String formats the change as one line.
func (c *Change) String() string {
	text := fmt.Sprintf("%s: %s: %s -> %s", c.Step, c.Figure, format(c.Figure, c.Before), format(c.Figure, c.After))
	if c.Class == budgetClass {
		text = fmt.Sprintf("%s: %s: %s exceeds the budget of %s", c.Step, c.Figure, format(c.Figure, c.After), format(c.Figure, c.Before))
	}
	if g := c.growth(); g != "" {
		text += " (" + g + ")"
	}
	if b := c.because(); b != "" {
		text += ": " + b
	}
	return text
}

func (c *Change) growth() string {
	g := c.relativeGrowth()
	if c.Figure == Items || math.IsNaN(g) || math.IsInf(g, 0) || g == 0 {
		return ""
	}
	text := fmt.Sprintf("%+.1f %%", 100*g)
	if math.Abs(g) < 0.001 {
		text = fmt.Sprintf("%+.2g %%", 100*g)
	}
	if c.Class == CPUClass {
		text += fmt.Sprintf(", p %.1g", c.P)
	}
	return text
}

// because describes the items that differ, or the causes of a change.
func (c *Change) because() string {
	var parts []string
	for i, item := range c.Items {
		if i == lineLimit {
			parts = append(parts, fmt.Sprintf("and %d more", len(c.Items)-i))
			break
		}
		switch {
		case item.Before == "":
			parts = append(parts, fmt.Sprintf("%s is new: %s", item.Name, item.After))
		case item.After == "":
			parts = append(parts, fmt.Sprintf("%s is missing (was %s)", item.Name, item.Before))
		default:
			parts = append(parts, fmt.Sprintf("%s: %s -> %s", item.Name, item.Before, item.After))
		}
	}
	for _, cause := range c.Causes {
		figure := c.Figure
		if c.Class == AllocationsClass {
			figure = AllocatedBytes // The value of an allocating function is a number of bytes.
		}
		parts = append(parts, fmt.Sprintf("%s %s", cause.Name, signed(figure, cause.After-cause.Before)))
	}
	return strings.Join(parts, "; ")
}

func signed(figure string, v float64) string {
	if v < 0 {
		return "-" + format(figure, -v)
	}
	return "+" + format(figure, v)
}

// format formats a value of the named figure as a time, a number of bytes, or a plain number.
func format(figure string, v float64) string {
	if strings.HasSuffix(figure, spikesSuffix) {
		return strconv.FormatInt(int64(v), 10)
	}
	figure = strings.TrimSuffix(figure, peakSuffix)
	switch {
	case math.IsNaN(v):
		return "none"
	case figure == "ns" || strings.HasSuffix(figure, "/ns"):
		return human.Duration(time.Duration(v))
	case figure == AllocatedBytes || figure == PeakRSS:
		return human.Bytes(int64(v))
	case v == math.Trunc(v) && math.Abs(v) < 1e15:
		return strconv.FormatInt(int64(v), 10)
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}

var markdown = strings.NewReplacer("|", "\\|", "\n", " ", "\r", " ", "<", "&lt;", "`", "'")

// escapeMarkdown escapes text for a table cell.
func escapeMarkdown(text string) string { return markdown.Replace(text) }
