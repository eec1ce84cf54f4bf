package overview

import (
	"bytes"
	"fmt"
	"html"
	"slices"
	"strconv"
	"time"

	"github.com/assetcook/assetcook/cook/internal/survey"
	"github.com/assetcook/assetcook/internal/human"
	"github.com/assetcook/assetcook/internal/pathname"
)

// writeTableByKey writes a table. Its size is limited by budget, in bytes. If not all rows fit, the
// last row has the sums of the omitted rows.
func (p *writer) writeTableByKey(key string, budget int) {
	p.writeTable(p.report.Table(key), budget, func(int) string { return "" })
}

// writeAssets writes the table of all assets, whose rows have IDs.
func (p *writer) writeAssets() {
	type name struct{ path, target string }
	byName := map[name]*survey.Asset{}
	for i := range p.report.in.Assets {
		a := &p.report.in.Assets[i]
		byName[name{a.Path, a.Target}] = a
	}
	t := p.report.Table("assets")
	p.writeTable(t, assetBudget, func(i int) string {
		id := "a" + strconv.Itoa(i)
		p.rows[byName[name{cellAs[string](t, t.Rows[i], "path"), cellAs[string](t, t.Rows[i], "target")}]] = id
		return id
	})
}

// servedBudgets multiplies the table budgets of a served page.
const servedBudgets = 5

// writeTable writes a table. id returns the HTML ID of a row, or "" if the row needs no ID.
func (p *writer) writeTable(t *Table, budget int, id func(row int) string) {
	begin := p.buf.Len()
	if budget = p.room(budget); p.links != nil {
		budget *= servedBudgets
	}
	p.f("<section class=table id=%s><h3>%s</h3>\n", t.Key, t.Title)
	if t.Note != "" {
		p.f("<p class=note>%s</p>\n", t.Note)
	}
	defer p.f("</section>\n")
	if len(t.Rows) == 0 {
		p.f("<p class=note>None.</p>\n")
		return
	}
	used := t.usedColumns()
	p.f("<div class=scroll tabindex=0 role=region aria-label=\"%s\"><table><thead><tr>", t.Title)
	for k, c := range t.Columns {
		if used[k] {
			p.f("<th scope=col%s>%s", cellClass(c.Kind), c.Title)
		}
	}
	p.f("</thead><tbody>\n")
	written := 0
	for i, row := range t.Rows {
		if p.buf.Len()-begin > budget-8*longestCell*len(t.Columns) {
			break
		}
		p.writeRow(t, used, row, id(i))
		written++
	}
	p.f("</tbody><tfoot>\n")
	if rest := t.Rows[written:]; len(rest) > 0 {
		p.writeTotal(t, used, rest, human.Count(len(rest), "other row"))
	}
	if len(t.Rows) > 1 {
		p.writeTotal(t, used, t.Rows, "all "+strconv.Itoa(len(t.Rows)))
	}
	p.f("</tfoot></table></div>\n")
}

// usedColumns reports for each column whether it has values.
func (t *Table) usedColumns() []bool {
	used := make([]bool, len(t.Columns))
	for _, row := range t.Rows {
		for k, cell := range row {
			used[k] = used[k] || cell != nil && cell != ""
		}
	}
	return used
}

func cellClass(k Kind) string {
	switch {
	case k.isNumeric():
		return " class=n"
	case k == Name, k == Parts:
		return " class=p"
	case k == Moment:
		return " class=d"
	}
	return ""
}

func (p *writer) writeRow(t *Table, used []bool, row []any, id string) {
	p.buf.WriteString("<tr")
	if id != "" {
		p.buf.WriteString(" id=" + id)
	}
	p.buf.WriteByte('>')
	for k, c := range t.Columns {
		if used[k] {
			p.writeCell(c.Kind, row[k])
			if p.links != nil {
				p.linkCell(t, row, k)
			}
		}
	}
	p.buf.WriteByte('\n')
}

// linkCell turns the last written cell into a link if the cell names assets or a run.
func (p *writer) linkCell(t *Table, row []any, k int) {
	link := func(to, text string) { p.f("<a href=\"%s\">%s</a>", to, text) }
	asset := func(part Part) {
		link(p.links.Asset(part.Path, part.Target), pathname.Show(part.Path))
		p.f(" %s", part.Figure)
	}
	begin := bytes.LastIndexByte(p.buf.Bytes(), '>') + 1
	switch c := t.Columns[k]; v := row[k].(type) {
	case string:
		if c.Kind == Name && (c.Key == "path" || c.Key == "example") && p.report.paths[v] {
			target := ""
			if i := slices.IndexFunc(t.Columns, func(c Column) bool { return c.Key == "target" }); i >= 0 {
				target = row[i].(string)
			}
			p.buf.Truncate(begin)
			link(p.links.Asset(v, target), c.Kind.showCell(v))
		}
	case time.Time:
		if t.Key == "runs" {
			p.buf.Truncate(begin)
			link(p.links.Run(v), c.Kind.showCell(v))
		}
	case []Part:
		p.buf.Truncate(begin)
		if len(v) == 1 {
			asset(v[0])
			return
		}
		p.f("<details><summary>")
		asset(v[0])
		p.f("</summary>")
		for _, part := range v[1:] {
			p.f("<div>")
			asset(part)
			p.f("</div>")
		}
		p.f("</details>")
	}
}

// writeCell writes a cell. If it rounds the value, the exact value is an attribute, for scripts
// that sort and compare.
func (p *writer) writeCell(k Kind, cell any) {
	class := cellClass(k)
	switch v := cell.(type) {
	case float64:
		if k == Decibel && v < visibleLoss {
			class = " class=\"n low\""
		}
	}
	p.buf.WriteString("<td" + class)
	switch v := cell.(type) {
	case int64:
		if k == Bytes {
			fmt.Fprintf(&p.buf, " data-v=%d", v)
		}
	case time.Duration:
		fmt.Fprintf(&p.buf, " data-v=%d", int64(v))
	}
	p.buf.WriteByte('>')
	text := k.showCell(cell)
	if len(text) > longestCell+8 {
		text = cutText(text, longestCell)
	}
	p.buf.WriteString(html.EscapeString(text))
}

// writeTotal writes a row of sums, if the table has sums.
func (p *writer) writeTotal(t *Table, used []bool, rows [][]any, title string) {
	sums, any := t.columnSums(rows), false
	for k := range sums {
		any = any || sums[k] != nil && used[k]
	}
	if !any && len(rows) == len(t.Rows) {
		return
	}
	p.f("<tr>")
	for k, c := range t.Columns {
		switch {
		case !used[k]:
		case k == 0:
			p.f("<th scope=row>%s", title)
		default:
			p.writeCell(c.Kind, sums[k])
		}
	}
	p.f("\n")
}

// writeComparedRuns writes the latest two runs side by side. The script can replace them.
func (p *writer) writeComparedRuns() {
	t := p.report.Table("runs")
	if len(t.Rows) < 2 {
		p.f("<p class=note>There is only one run.</p>\n")
		return
	}
	before, after := t.Rows[1], t.Rows[0]
	p.f("<div class=scroll tabindex=0><table id=comparison><thead><tr><th scope=col>figure<th scope=col class=n>run %d<th scope=col class=n>run %d<th scope=col class=n>change</thead><tbody>\n", cellAs[int64](t, before, "run"), cellAs[int64](t, after, "run"))
	for k, c := range t.Columns {
		if !c.Kind.isNumeric() || c.Key == "run" {
			continue
		}
		p.f("<tr><td>%s", c.Title)
		p.writeCell(c.Kind, before[k])
		p.writeCell(c.Kind, after[k])
		p.f("<td class=n>%s\n", Change(before[k], after[k]))
	}
	p.f("</tbody></table></div>\n")
}

// Change formats the difference of two values.
func Change(before, after any) string {
	number := func(v any) float64 {
		switch v := v.(type) {
		case int64:
			return float64(v)
		case time.Duration:
			return float64(v)
		case float64:
			return v
		}
		return 0
	}
	x, y := number(before), number(after)
	switch {
	case x == y:
		return ""
	case x == 0:
		return "new"
	}
	return fmt.Sprintf("%+.1f %%", 100*(y-x)/x)
}
