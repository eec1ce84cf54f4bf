package overview

import (
	"fmt"
	"math"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/assetcook/assetcook/cook/internal/survey"
	"github.com/assetcook/assetcook/internal/chart"
	"github.com/assetcook/assetcook/internal/human"
	"github.com/assetcook/assetcook/internal/pathname"
)

const colors = 10

// colorClass returns the CSS class of a recipe's tiles.
func colorClass(recipe int) string {
	if recipe < 0 {
		return "cx"
	}
	return fmt.Sprintf("c%d", recipe%colors)
}

// legend writes which color each recipe has.
func (p *writer) legend() {
	p.f("<p class=note>The color of a tile is its recipe; a directory has the color of the recipe that takes most of it. Each tile leads to its asset or directory.</p>\n<ul class=legend>")
	recipes := p.report.Table("recipes")
	for i, row := range recipes.Rows {
		if i == 30 {
			break
		}
		p.f("<li><svg viewBox=\"0 0 10 10\" width=12 height=12 aria-hidden=true><rect class=%s width=10 height=10 /></svg> %s", colorClass(i), pathname.Show(cellAs[string](recipes, row, "recipe")))
	}
	p.f("</ul>\n")
}

// writeLabel writes a text into an area of a drawing if enough of the text fits.
func (p *writer) writeLabel(text string, x, y, room float64, class string) {
	const letter = 6.3 // average width of a character at 11 px
	fits := int(room / letter)
	if fits < 3 {
		return
	}
	if letters := []rune(text); len(letters) > fits {
		text = string(letters[:fits-1]) + "…"
	}
	p.f("<text x=%.0f y=%.0f", x, y)
	p.buf.WriteString(class)
	p.f(">%s</text>", text)
}

// treemap draws a treemap of the values of assets, grouped by directory or by recipe.
func (p *writer) treemap(title string, byRecipe bool, value func(*survey.Asset) float64, show func(float64) string) {
	const width, height = 1200.0, 440.0
	root := p.report.assetTree(byRecipe, value)
	if root.value <= 0 {
		return
	}
	root.openUp(220)
	begin, budget := p.buf.Len(), p.room(drawingBudget)
	p.f("<figure><figcaption>%s: %s</figcaption>\n<svg viewBox=\"0 0 %.0f %.0f\" class=map role=group aria-label=\"%s\">\n", title, show(root.value), width, height, title)
	for _, t := range root.layOutTiles(rect{0, 0, width, height}, 0) {
		if p.buf.Len()-begin > budget-3000 {
			break // inner tiles come last, and are omitted without leaving a gap
		}
		if t.place.w < 1.5 || t.place.h < 1.5 {
			continue
		}
		p.tile(&t, show, root.value)
	}
	p.f("</svg></figure>\n")
}

// tile draws a tile that links to its row.
func (p *writer) tile(t *tile, show func(float64) string, whole float64) {
	class, link := colorClass(t.node.recipe), p.links.tableLink("folders")
	switch a := t.node.asset; {
	case a != nil && p.links != nil:
		link = p.links.Asset(a.Path, a.Target)
	case a != nil && p.rows[a] != "":
		link = "#" + p.rows[a]
	case a != nil:
		link = "#assets"
	}
	if t.node.open {
		class = "open"
	}
	where := t.node.path
	if where == "" {
		where = "the top directory"
	}
	lines := []string{pathname.Show(where) + ": " + show(t.node.value) + ", " + percent(t.node.value/whole)}
	if a := t.node.asset; a != nil {
		lines = append(lines, "recipe "+a.Method.Recipe, "why: "+cutText(joinLines(a.Last.Reasons), 120))
		if users := p.report.usedBy(a.Path); users != "" {
			lines = append(lines, "used by: "+cutText(users, 120))
		}
	} else {
		lines[0] = pathname.Show(where) + ", " + human.Count(t.node.assets, "asset") + ": " + show(t.node.value) + ", " + percent(t.node.value/whole)
	}
	p.f("<a href=\"%s\"><rect class=%s x=%.1f y=%.1f width=%.1f height=%.1f /><title>%s</title>", link, class, t.place.x, t.place.y, t.place.w, t.place.h, strings.Join(lines, "\n"))
	name := t.node.name
	if t.node.asset != nil && t.node.name == "" {
		name = path.Base(t.node.path)
	}
	if name = pathname.Show(name); t.place.h > 13 {
		p.writeLabel(name, t.place.x+3, t.place.y+11, t.place.w-6, "")
		if !t.node.open && t.place.h > 28 {
			p.writeLabel(show(t.node.value), t.place.x+3, t.place.y+24, t.place.w-6, " class=v")
		}
	}
	p.f("</a>\n")
}

// timeline draws the work of each worker in the latest run, and the stages.
func (p *writer) timeline() {
	r := p.report
	if r.last == nil || r.last.Detail == nil {
		p.writeTableByKey("workers", listBudget)
		return
	}
	const width, left, high = 1200.0, 70.0, 24.0
	d := r.last.Detail
	rows := 0
	for _, s := range d.Spans {
		rows = max(rows, s.Worker+1)
	}
	recipes := map[string]int{}
	for i := range r.in.Assets {
		recipes[r.in.Assets[i].Path] = r.recipe[r.in.Assets[i].Method.Recipe]
	}
	p.f("<p><b>What bounded it:</b> %s</p>\n", Bound(r.last))
	p.f("<figure><figcaption>Assets by worker, %s; striped: waiting for memory</figcaption>\n<svg viewBox=\"0 0 %.0f %.0f\" class=line role=group aria-label=\"time line of the last cook\">\n",
		human.Duration(d.Took), width, high*float64(rows)+22)
	p.f("<defs><pattern id=wait width=6 height=6 patternUnits=userSpaceOnUse><path class=stripe d=\"M0 6L6 0\"/></pattern></defs>\n")
	x := func(t time.Duration) float64 {
		return left + (width-left-4)*float64(t)/float64(max(1, d.Took))
	}
	for row := range rows {
		p.f("<text x=0 y=%.0f>worker %d</text>", high*float64(row)+15, row)
	}
	begin, budget := p.buf.Len(), p.room(drawingBudget)
	for _, s := range d.Spans {
		if p.buf.Len()-begin > budget-3000 {
			break
		}
		name, class := pathname.Show(string(s.Path)), "cx"
		if c, known := recipes[string(s.Path)]; known {
			class = colorClass(c)
		}
		text := fmt.Sprintf("%s: %s, from %s to %s", name, human.Duration(s.Busy), human.Duration(s.Begin), human.Duration(s.End))
		if s.Assets > 1 {
			text = fmt.Sprintf("%s, the longest %s: %s, from %s to %s", human.Count(s.Assets, "asset"), name, human.Duration(s.Busy), human.Duration(s.Begin), human.Duration(s.End))
		}
		y, wide := high*float64(s.Worker)+1, max(0.8, x(s.End)-x(s.Begin))
		p.f("<g><rect class=%s x=%.1f y=%.1f width=%.1f height=%.1f /><title>%s</title>", class, x(s.Begin), y, wide, high-3, text)
		if s.Waited > 0 {
			p.f("<rect fill=\"url(#wait)\" x=%.1f y=%.1f width=%.1f height=%.1f />", x(s.Begin), y, min(wide, x(s.Waited)-left), high-3)
		}
		if s.Assets > 1 {
			name = human.Count(s.Assets, "asset")
		} else {
			name = path.Base(name)
		}
		p.writeLabel(name, x(s.Begin)+3, y+14, wide-6, "")
		p.f("</g>\n")
	}
	for i := range 5 {
		at := d.Took * time.Duration(i) / 4
		anchor := [5]string{"start", "middle", "middle", "middle", "end"}[i]
		p.f("<text class=v x=%.0f y=%.0f text-anchor=%s>%s</text>", x(at), high*float64(rows)+16, anchor, human.Duration(at))
	}
	p.f("</svg></figure>\n<details><summary>As a table</summary>\n")
	p.writeTableByKey("workers", listBudget)
	p.f("</details>\n")
}

// chart draws the values of a series in all runs.
func (p *writer) chart(s *Series) {
	if len(s.Values) == 0 {
		return
	}
	line := chart.Trend{
		Title: s.Title, Note: fmt.Sprintf("now %s, median %s, highest %s", s.showFigure(s.Summary.Last), s.showFigure(s.Summary.P50), s.showFigure(s.Summary.High.Value)),
		Label: s.Title + " of the last runs", Values: s.Values, High: max(s.Summary.High.Value, s.Summary.P50*1.2),
		First: "run 1", Last: fmt.Sprintf("run %d", len(s.Values)),
	}
	if s.Kind == Percent {
		line.High = 1
	}
	if s.Log {
		// The axis begins at the least value, because no value is near zero.
		scale := func(v float64) float64 { return math.Log10(1 + v) }
		line.Note += " (logarithmic)"
		line.Low, line.High = scale(slices.Min(s.Values))*0.98, scale(line.High)
		line.Values = make([]float64, len(s.Values))
		for i, v := range s.Values {
			line.Values[i] = scale(v)
		}
	}
	for _, step := range s.Steps {
		line.Marks = append(line.Marks, chart.Mark{At: step.At, Kind: chart.Step, Title: fmt.Sprintf("since run %d: %s, before: %s", step.At+1, s.showFigure(step.After), s.showFigure(step.Before))})
	}
	for i, v := range s.Values {
		if s.spike(i) {
			line.Marks = append(line.Marks, chart.Mark{At: i, Kind: chart.Spike, Title: fmt.Sprintf("run %d: %s", i+1, s.showFigure(v))})
		}
	}
	line.Write(&p.buf)
}
