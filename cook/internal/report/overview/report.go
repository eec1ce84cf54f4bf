// Package overview reports on an output directory: its artifacts and their sizes, the last cook and
// its bottleneck, the quality loss of textures, growth, and changes between runs. A report is a
// list of tables, written as JSON, as CSV, or as an HTML page with charts: one file of at most
// [MaxBytes] that loads no other files and works without scripts.
//
//	r := overview.New(overview.Input{Out: out, Assets: assets, Runs: runs, Now: now})
//	err := r.WriteHTML(w)
//
// # How it works
//
// Package survey reads the index and the history, and [Measure] compares textures with their
// sources. New builds the tables from both. Sums are computed nowhere else, so all forms of a
// report agree. Each part of the page has a size budget in bytes; if not all rows of a table fit,
// the last row is the sum of the omitted rows.
//
// File names may contain any bytes: they are shown as in messages (package pathname), and escaped
// when they are written.
package overview

import (
	"bufio"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/assetcook/assetcook/cook/internal/stats"
	"github.com/assetcook/assetcook/cook/internal/survey"
	"github.com/assetcook/assetcook/internal/human"
	"github.com/assetcook/assetcook/internal/pathname"
)

// An Input is the data of a report.
type Input struct {
	Out      string
	Assets   []survey.Asset
	Runs     []stats.Past // sorted, the oldest first
	Textures []Texture    // textures that were compared with their sources
	Unlooked int          // number of textures that were not compared
	Now      time.Time
}

// A Report has all tables about an output directory.
type Report struct {
	Out    string
	Made   time.Time
	Glance []Sentence
	Tables []*Table

	in     *Input
	paths  map[string]bool
	users  map[string][]string // assets that use each file; see survey.Users
	recipe map[string]int      // index of each recipe's color
	last   *stats.Past         // the latest run; nil if the history is empty
	series []Series
}

// A Sentence answers a question.
type Sentence struct {
	Question, Answer string
	See              string // key of a table with details
}

// New computes the tables of a report.
func New(in Input) *Report {
	r := &Report{Out: in.Out, Made: in.Now, in: &in, users: survey.Users(in.Assets), recipe: map[string]int{}, paths: map[string]bool{}}
	for i := range in.Assets {
		r.paths[in.Assets[i].Path] = true
	}
	for i := range in.Textures {
		r.paths[in.Textures[i].Path] = true
	}
	if n := len(in.Runs); n > 0 {
		r.last = &in.Runs[n-1]
	}
	r.series = series(in.Runs)
	assets := assetsTable(r)
	recipes, folders := groupTables(r)
	r.Tables = []*Table{
		keyTable(r), reasonsTable(r), againTable(r), workersTable(r), stagesTable(r), recipes, folders, r.top("slowest", assets), r.top("largest", assets),
		texturesTable(r), growthSinceRun(r), growthSinceDay(r), warningsTable(r), failuresTable(r), stepsTable(r), runsTable(r), assets,
	}
	r.answerQuestions()
	return r
}

// ofLast reports whether the latest run worked on an asset.
func (r *Report) ofLast(a *survey.Asset) bool { return r.last != nil && a.Last.At.Equal(r.last.At) }

// Table returns the table with the given key, or nil if there is none.
func (r *Report) Table(key string) *Table {
	for _, t := range r.Tables {
		if t.Key == key {
			return t
		}
	}
	return nil
}

// Keys returns the keys of all tables.
func (r *Report) Keys() []string {
	keys := make([]string, len(r.Tables))
	for i, t := range r.Tables {
		keys[i] = t.Key
	}
	return keys
}

// WriteJSON writes an object with an array for each table. The array has an object for each row,
// whose fields are the columns. Empty tables are omitted.
func (r *Report) WriteJSON(to io.Writer) error {
	w := bufio.NewWriter(to)
	out, _ := json.Marshal(Name.rawCell(r.Out))
	made, _ := json.Marshal(Moment.rawCell(r.Made))
	fmt.Fprintf(w, "{\"out\":%s,\"made\":%s", out, made)
	for _, t := range r.Tables {
		fmt.Fprintf(w, ",\n%q:[", t.Key)
		for i, row := range t.Rows {
			if i > 0 {
				w.WriteByte(',')
			}
			w.WriteByte('\n')
			if err := t.writeRowJSON(w, row); err != nil {
				return err
			}
		}
		w.WriteByte(']')
	}
	w.WriteString("}\n")
	return w.Flush()
}

// writeRowJSON writes a row as an object whose fields are the columns. It omits empty cells.
func (t *Table) writeRowJSON(w *bufio.Writer, row []any) error {
	w.WriteByte('{')
	first := true
	for k, c := range t.Columns {
		v := c.Kind.rawCell(row[k])
		if v == nil || v == "" {
			continue
		}
		text, err := json.Marshal(v)
		if err != nil {
			return err
		}
		if !first {
			w.WriteByte(',')
		}
		first = false
		fmt.Fprintf(w, "%q:%s", c.Key, text)
	}
	return w.WriteByte('}')
}

// WriteCSV writes one table. The first line has the keys of its columns.
func (t *Table) WriteCSV(to io.Writer) error {
	w := csv.NewWriter(to)
	record := make([]string, len(t.Columns))
	for k, c := range t.Columns {
		record[k] = c.Key
	}
	w.Write(record)
	for _, row := range t.Rows {
		for k, c := range t.Columns {
			record[k] = ""
			switch v := c.Kind.rawCell(row[k]).(type) {
			case string:
				record[k] = v
			case int64:
				record[k] = strconv.FormatInt(v, 10)
			case float64:
				record[k] = strconv.FormatFloat(v, 'f', -1, 64)
			}
		}
		w.Write(record)
	}
	w.Flush()
	return w.Error()
}

// joinLines joins several lines into one.
func joinLines(lines []string) string { return strings.Join(lines, "; ") }

func countOf(n int, thing string) string {
	if thing == "more" || thing == "other" {
		return fmt.Sprintf("%d %s", n, thing)
	}
	return human.Count(n, thing)
}

// answerQuestions fills in Report.Glance.
func (r *Report) answerQuestions() {
	r.addAnswer("Which assets were cooked again, and why?", "again", r.againText())
	bound, longest := Bound(r.last), ""
	again := r.Table("again")
	for _, row := range again.Rows {
		if o := cellAs[string](again, row, "outcome"); o == "cooked" || o == "unchanged" {
			longest = fmt.Sprintf("In the last cook %s took longest (%s). ", pathname.Show(cellAs[string](again, row, "path")), human.Duration(cellAs[time.Duration](again, row, "cook_ns")))
			break
		}
	}
	if t := r.Table("slowest"); len(t.Rows) > 0 && r.last != nil && r.last.Counts["cook/cook/count"] < int64(len(r.in.Assets)) {
		bound += fmt.Sprintf(" Of all assets, %s takes longest (%s).", pathname.Show(cellAs[string](t, t.Rows[0], "path")), human.Duration(cellAs[time.Duration](t, t.Rows[0], "cook_ns")))
	}
	r.addAnswer("What took longest, and what limited the cook?", "last", longest+bound)
	r.addAnswer("Which textures lost most quality?", "textures", r.lossText())
	r.addAnswer("What grew since yesterday?", "growth_day", r.growthText())
	if t := r.Table("failures"); len(t.Rows) > 0 {
		r.addAnswer("What failed?", "failures", fmt.Sprintf("%s; the first is %s.", countOf(len(t.Rows), "asset"), pathname.Show(cellAs[string](t, t.Rows[0], "path"))))
	}
	if t := r.Table("warnings"); len(t.Rows) > 0 {
		r.addAnswer("What looks like a mistake?", "warnings", fmt.Sprintf("%s of %s, most often: %s.", countOf(int(cellAs[int64](t, t.columnSums(t.Rows), "warnings")), "warning"), countOf(len(t.Rows), "cause"), cutText(pathname.Escape(cellAs[string](t, t.Rows[0], "cause")), longestCell)))
	}
}

func (r *Report) addAnswer(question, see, answer string) {
	r.Glance = append(r.Glance, Sentence{question, answer, see})
}

func (r *Report) againText() string {
	if r.last == nil {
		return "Unknown, because the history is empty."
	}
	c := r.last.Counts
	var parts []string
	for _, o := range []struct{ name, counter string }{
		{"cooked", "cook/cook/count"}, {"restored from the store", "cook/restore/count"}, {"with unchanged outputs", "cook/unchanged/count"},
		{"failed", "cook/fail/count"}, {"outputs removed", "cook/remove/count"},
	} {
		if n := c[o.counter]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, o.name))
		}
	}
	text := fmt.Sprintf("The last cook (%s UTC, %s) had %s: %s.", Moment.showCell(r.last.At), human.Duration(r.last.Took), countOf(int(c["cook/found/count"]), "asset"), strings.Join(parts, ", "))
	var why []string
	reasons := r.Table("reasons")
	for i, row := range reasons.Rows {
		if i == 3 {
			why = append(why, "…")
			break
		}
		why = append(why, fmt.Sprintf("%s (%d)", cutText(pathname.Escape(cellAs[string](reasons, row, "why")), 80), cellAs[int64](reasons, row, "assets")))
	}
	if len(why) > 0 {
		text += " Because: " + strings.Join(why, ", ") + "."
	}
	return text
}

func (r *Report) lossText() string {
	var worst []string
	compared := 0
	t := r.Table("textures")
	for _, row := range t.Rows {
		db, ok := row[t.column("psnr")].(float64)
		if !ok {
			continue
		}
		if compared++; len(worst) < 3 {
			worst = append(worst, fmt.Sprintf("%s (%s, %.1f dB)", pathname.Show(cellAs[string](t, row, "path")), cellAs[string](t, row, "format"), db))
		}
	}
	switch {
	case len(r.in.Textures)+r.in.Unlooked == 0:
		return "There are no textures."
	case len(r.in.Textures) == 0:
		return "Not known: no texture was compared."
	case compared == 0:
		return "No texture is known to have lost quality."
	}
	return fmt.Sprintf("Of %s compared: %s.", countOf(compared, "texture"), strings.Join(worst, ", "))
}

func (r *Report) growthText() string {
	t := r.Table("growth_day")
	if len(t.Rows) == 0 {
		return "Nothing. " + t.Note
	}
	if len(r.in.Runs) == 1 {
		return "Unknown, because there has been only one cook, which made " + r.keyFigure("bytes of cooked files") + "."
	}
	var most []string
	for _, row := range t.Rows[:min(3, len(t.Rows))] {
		most = append(most, pathname.Show(cellAs[string](t, row, "path"))+" "+signedBytes(cellAs[int64](t, row, "growth")))
	}
	return fmt.Sprintf("%s in all: %s. %s", signedBytes(grown(t)), strings.Join(most, ", "), t.Note)
}
