package main

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/assetcook/assetcook/internal/chart"
)

// A Report is the output of this command. It contains no paths or host names.
type Report struct {
	Command  string // command line as typed in a shell
	Date     string
	Machine  []Fact
	Sections []Section
}

// A Fact is a labeled line about the machine.
type Fact struct{ Name, Value string }

// A Section is a table with notes.
type Section struct {
	Title string
	Files int // number of files in the tree; 0 without a tree
	Rows  []Outcome
	Notes []string
}

const explanation = `A run is a whole process; in each round all contestants of a row run once, in turn. Wall and CPU time (user and system) and peak memory are medians. *Ratio* is the wall time divided by that of the row's reference in the same round: the median, and in brackets the quartiles. Times drift with the machine, ratios less. The page cache is warm.`

// WriteTo writes the report as Markdown.
func (r *Report) WriteTo(w io.Writer) (int64, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "# Nothing to do, beside its limits and peers\n\n```\n%s\n```\n\n", r.Command)
	fmt.Fprint(&b, "| machine | |\n|---|---|\n")
	for _, f := range append([]Fact{{"date", r.Date}}, r.Machine...) {
		fmt.Fprintf(&b, "| %s | %s |\n", cell(f.Name), cell(f.Value))
	}
	fmt.Fprintf(&b, "\n%s\n", explanation)
	for i := range r.Sections {
		if s := &r.Sections[i]; len(s.Rows)+len(s.Notes) > 0 {
			s.write(&b)
		}
	}
	r.writeGrowth(&b)
	n, err := io.WriteString(w, b.String())
	return int64(n), err
}

func (s *Section) write(b *strings.Builder) {
	fmt.Fprintf(b, "\n## %s\n", s.Title)
	if len(s.Rows) > 0 {
		fmt.Fprint(b, "\n| row | contestant | wall | CPU | peak memory | ratio |\n|---|---|---:|---:|---:|---:|\n")
	}
	for i := range s.Rows {
		s.Rows[i].write(b)
	}
	for _, note := range s.Notes {
		fmt.Fprintf(b, "\n%s\n", note)
	}
}

func (s *Outcome) write(b *strings.Builder) {
	if s.Err != nil {
		fmt.Fprintf(b, "| %s | **error** %s | | | | |\n", cell(s.Row), cell(s.Err.Error()))
		return
	}
	name := s.Row
	for _, e := range s.Entries {
		if e.Missing != "" {
			fmt.Fprintf(b, "| %s | %s | %s | | | |\n", cell(name), cell(e.Name), cell(e.Missing))
		} else {
			fmt.Fprintf(b, "| %s | %s | %s | %s | %s | %s |\n", cell(name), cell(e.Name),
				duration(e.Wall), e.cpu(), e.memory(), e.ratio())
		}
		name = ""
	}
}

// cpu formats a CPU time. It returns "" for contestants that are not processes.
func (e *Entry) cpu() string {
	if e.CPU == 0 {
		return ""
	}
	return duration(e.CPU)
}

func (e *Entry) memory() string {
	if e.AtMost {
		return "under " + mebibytes(e.MaxRSS)
	}
	return mebibytes(e.MaxRSS)
}

func (e *Entry) ratio() string {
	switch {
	case e.Reference:
		return "reference"
	case e.Ratio == nil:
		return ""
	}
	return fmt.Sprintf("**%sx** (%s-%s)", digits(e.Ratio.Median), digits(e.Ratio.Low), digits(e.Ratio.High))
}

// cell escapes text for a table cell. It removes line breaks and escapes vertical bars.
func cell(text string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "|", `\|`)
}

func duration(d time.Duration) string {
	if d < time.Second {
		return digits(float64(d)/1e6) + " ms"
	}
	return digits(d.Seconds()) + " s"
}

func mebibytes(n int64) string { return digits(float64(n)/(1<<20)) + " MiB" }

// digits formats a number with three significant digits. It keeps all digits of the integer part.
func digits(x float64) string {
	decimals := 2
	for limit := 10.0; decimals > 0 && x >= limit-0.5/pow10(decimals); limit *= 10 {
		decimals--
	}
	return strconv.FormatFloat(x, 'f', decimals, 64)
}

func pow10(n int) float64 {
	p := 1.0
	for range n {
		p *= 10
	}
	return p
}

// thousands prints an integer with commas.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// A curve holds the medians of a contestant by number of files.
type curve struct {
	row, name string
	at        map[int]*Entry
}

// curves returns the sorted sizes of the trees, and a curve for each contestant. Contestants
// without results are omitted. The curves are grouped by row.
func (r *Report) curves() (sizes []int, curves []*curve) {
	for i := range r.Sections {
		section := &r.Sections[i]
		for k := range section.Rows {
			row := &section.Rows[k]
			for j := range row.Entries {
				e := row.Entry(row.Entries[j].Name)
				if section.Files == 0 || e == nil {
					continue
				}
				sizes = append(sizes, section.Files)
				at := slices.IndexFunc(curves, func(c *curve) bool { return c.row == row.Row && c.name == e.Name })
				if at < 0 {
					at = len(curves)
					curves = append(curves, &curve{row.Row, e.Name, map[int]*Entry{}})
				}
				curves[at].at[section.Files] = e
			}
		}
	}
	var rows []string
	for _, c := range curves {
		if !slices.Contains(rows, c.row) {
			rows = append(rows, c.row)
		}
	}
	slices.SortStableFunc(curves, func(a, b *curve) int {
		return cmp.Compare(slices.Index(rows, a.row), slices.Index(rows, b.row))
	})
	slices.Sort(sizes)
	return slices.Compact(sizes), curves
}

// writeGrowth writes the growth factors of the medians from one tree size to the next. It writes
// nothing if there is only one size.
func (r *Report) writeGrowth(b *strings.Builder) {
	sizes, curves := r.curves()
	if len(sizes) < 2 {
		return
	}
	fmt.Fprint(b, "\n## Growth\n\nBy what factors wall time and peak memory, as medians, grow from one size to the next. Memory that is no more than that of the process that started the contestant has none.\n\n| row | contestant |")
	for i, size := range sizes[1:] {
		fmt.Fprintf(b, " %s to %s: wall | memory |", thousands(sizes[i]), thousands(size))
	}
	fmt.Fprintf(b, "\n|---|---|%s\n", strings.Repeat("---:|---:|", len(sizes)-1))
	last := ""
	for _, c := range curves {
		name := c.row
		if name == last {
			name = ""
		}
		last = c.row
		fmt.Fprintf(b, "| %s | %s |", cell(name), cell(c.name))
		for i, size := range sizes[1:] {
			from, to := c.at[sizes[i]], c.at[size]
			wall, memory := "", ""
			if from != nil && to != nil {
				wall = factor(float64(from.Wall), float64(to.Wall))
				if !from.AtMost && !to.AtMost {
					memory = factor(float64(from.MaxRSS), float64(to.MaxRSS))
				}
			}
			fmt.Fprintf(b, " %s | %s |", wall, memory)
		}
		fmt.Fprintln(b)
	}
}

func factor(from, to float64) string {
	if from <= 0 {
		return ""
	}
	return digits(to/from) + "x"
}

// These are positions in the chart, in SVG units. Each row has two plots, with the names of the
// contestants to their right.
const (
	pictureWidth          = 940
	timeLeft, timeRight   = 72, 312
	spaceLeft, spaceRight = 404, 644
	headHeight            = 64  // space above the first row
	plotHeight            = 140 // minimum height of a row
	lineHeight            = 24  // height of a contestant's name
	aboveRow, belowRow    = 34, 38
)

// picture draws charts of wall time and peak memory by number of files. All axes are logarithmic.
func (r *Report) picture() ([]byte, error) {
	sizes, curves := r.curves()
	var rows [][]*curve
	for _, c := range curves {
		if n := len(rows); n == 0 || rows[n-1][0].row != c.row {
			rows = append(rows, nil)
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], c)
	}
	height := func(row []*curve) int { return max(plotHeight, len(row)*lineHeight) }
	total, lines := headHeight, 0
	for _, row := range rows {
		total += aboveRow + height(row) + belowRow
		lines = max(lines, len(row))
	}
	title := "Time and memory over the number of files"
	page := chart.New(title, pictureWidth, total, lines)
	page.Text(timeLeft, 26, chart.Title, title)
	page.Text(timeLeft, 46, chart.Soft, "medians; all axes are logarithmic")
	x := chart.Axis{Log: true, Label: func(files float64) string { return thousands(int(files)) }}
	for _, files := range sizes {
		x.Marks = append(x.Marks, float64(files))
	}
	top := headHeight
	for _, row := range rows {
		top += aboveRow
		page.Text(timeLeft, float64(top-12), "", row[0].row+": wall time")
		page.Text(spaceLeft, float64(top-12), "", "peak memory")
		bottom := top + height(row)
		seconds := chart.Plot{Left: timeLeft, Right: timeRight, Top: top, Bottom: bottom, X: x}
		seconds.Y.Label = func(s float64) string { return decade(s, []string{"ns", "µs", "ms", "s"}, 1e-9) }
		bytes := chart.Plot{Left: spaceLeft, Right: spaceRight, Top: top, Bottom: bottom, X: x, Legend: true}
		bytes.Y.Label = func(n float64) string { return decade(n, []string{"MiB"}, 1) }
		for _, c := range row {
			seconds.Lines = append(seconds.Lines, c.curveLine(sizes, func(e *Entry) (float64, string) { return e.Wall.Seconds(), duration(e.Wall) }))
			bytes.Lines = append(bytes.Lines, c.curveLine(sizes, func(e *Entry) (float64, string) {
				if e.AtMost {
					return 0, ""
				}
				return float64(e.MaxRSS) / (1 << 20), e.memory()
			}))
		}
		for _, plot := range []*chart.Plot{&seconds, &bytes} {
			plot.Y.Log, plot.Y.Marks = true, marks(plot.Lines)
			if err := page.Draw(plot); err != nil {
				return nil, fmt.Errorf("%s: %w", row[0].row, err)
			}
		}
		top = bottom + belowRow
	}
	return page.Bytes(), nil
}

// curveLine returns the contestant's line. It omits points that are not positive, because the axis
// is logarithmic.
func (c *curve) curveLine(sizes []int, value func(e *Entry) (v float64, text string)) chart.Line {
	line := chart.Line{Name: c.name}
	for _, files := range sizes {
		e := c.at[files]
		if e == nil {
			continue
		}
		if v, text := value(e); v > 0 {
			line.Points = append(line.Points, chart.Point{X: float64(files), Y: v, Label: fmt.Sprintf("%s, %s files: %s", c.name, thousands(files), text)})
		}
	}
	return line
}

// marks returns the range of powers of ten that contains all points.
func marks(lines []chart.Line) []float64 {
	low, high := math.Inf(1), 0.0
	for _, line := range lines {
		for _, p := range line.Points {
			low, high = min(low, p.Y), max(high, p.Y)
		}
	}
	if high == 0 {
		low, high = 1, 1
	}
	return chart.Decades(low, high)
}

// decade formats a power of ten as a whole number of the largest possible unit. Each unit is a
// thousand times the previous one.
func decade(v float64, units []string, small float64) string {
	v /= small
	for len(units) > 1 && v >= 999.5 {
		v, units = v/1000, units[1:]
	}
	return fmt.Sprintf("%.0f %s", v, units[0])
}
