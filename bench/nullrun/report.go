package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

// A Report is the output of the command. It contains no paths or host names.
type Report struct {
	Command  string // as typed in a shell
	Date     string
	Machine  []Fact
	Sections []Section
}

// A Fact is a line about the machine.
type Fact struct{ Name, Value string }

// A Section is a table with notes below it.
type Section struct {
	Title string
	Files int // size of the tree, 0 without one
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

// cpu returns "" for contestants that are not a process.
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

// cell escapes text for a table cell: one line, without bars.
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

// digits formats a number with three significant digits, or more for its integer part.
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
