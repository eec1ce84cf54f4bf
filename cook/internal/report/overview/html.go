package overview

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"html"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/assetcook/assetcook/cook/internal/survey"
	"github.com/assetcook/assetcook/internal/chart"
	"github.com/assetcook/assetcook/internal/human"
	"github.com/assetcook/assetcook/internal/pathname"
)

// MaxBytes limits the size of a page, however many assets there are.
const MaxBytes = 2_000_000

// Size budgets for parts of the page, in bytes. Later parts may get less; see writer.room.
const (
	assetBudget   = 520_000
	againBudget   = 120_000
	runBudget     = 400_000
	listBudget    = 50_000 // budget of each table without a budget above
	thumbBudget   = 240_000
	drawingBudget = 70_000 // budget of each of 5 drawings

	reserve = 100_000 // bytes of the script, headings and sums, which have no budgets
)

// These parts of the style and the script are also used by [Style] and [Script].
var (
	//go:embed page/colors.css
	colorStyle string
	//go:embed page/tables.css
	tableStyle string
	//go:embed page/file.css
	fileStyle string
	//go:embed page/report.js
	module string
)

// Style returns the CSS for sections that a page shows in elements of class report.
func Style() string { return colorStyle + ".report {" + chart.Style + tableStyle + "}\n" }

// Script returns a JavaScript module. Its function liven adds controls to sections.
func Script() string { return module }

// fileScript returns the script of a page in a file. The page works without the script.
func fileScript() string { return strings.Replace(module, "export ", "", 1) + "liven(document);\n" }

// writtenStyle returns the CSS of a page in a file.
func writtenStyle() string { return chart.Style + colorStyle + tableStyle + fileStyle }

// Links has functions that return link targets in the page around the sections.
type Links struct {
	Asset func(path, target string) string // link to an asset
	Run   func(began time.Time) string     // link to the assets of a run
	Table func(key string) string          // link to a table or a section
}

// tableLink returns the link target of a table or a section. For a page in a file, l is nil.
func (l *Links) tableLink(key string) string {
	if l != nil {
		return l.Table(key)
	}
	return "#" + key
}

// A section is a part of the page.
type section struct {
	id, title string
	write     func()
}

func (p *writer) sections() []section {
	return []section{
		{"glance", "At a glance", p.writeAnswers}, {"last", "Last cook", p.writeLastCook}, {"where", "Where bytes and time go", p.writeTreemaps}, {"looks", "Textures", p.writeTextures},
		{"growth", "Growth", func() { p.writeTableByKey("growth_run", listBudget); p.writeTableByKey("growth_day", listBudget) }},
		{"problems", "Warnings and failures", func() { p.writeTableByKey("warnings", listBudget); p.writeTableByKey("failures", listBudget) }},
		{"history", "Runs", p.writeRuns},
	}
}

// Sections returns sections for another page. Names in them become links.
func (r *Report) Sections(links *Links, ids ...string) string {
	p := &writer{report: r, links: links}
	for _, s := range p.sections() {
		if slices.Contains(ids, s.id) {
			p.writeSection(s)
		}
	}
	return p.buf.String()
}

// WriteHTML writes the page.
func (r *Report) WriteHTML(to io.Writer) error {
	p := &writer{report: r, rows: map[*survey.Asset]string{}}
	p.writeAssets() // rendered first, because tiles link to its rows
	assets := p.buf.String()
	p.buf.Reset()
	p.later = len(assets)
	p.writeHead()
	for _, s := range p.sections() {
		p.writeSection(s)
	}
	p.writeSection(section{"all", "Assets", func() { p.buf.WriteString(assets) }})
	p.f("</main><footer><p>Made by <code>cook report</code>. Names lead to the row of an asset; <code>cook why PATH</code> says more of one. <code>cook report</code> writes all rows of all tables as JSON and as CSV, too.</p></footer>\n")
	fmt.Fprintf(&p.buf, "<script>%s</script>\n</body></html>\n", fileScript())
	if p.buf.Len() > MaxBytes {
		return errors.New("the page is too large")
	}
	_, err := to.Write(p.buf.Bytes())
	return err
}

// A writer renders the page of a report.
type writer struct {
	report *Report
	links  *Links // nil for a page in a file
	buf    bytes.Buffer
	later  int                      // size of the content that follows buf on the page
	rows   map[*survey.Asset]string // HTML IDs of the rows, by asset
}

// room returns the part of a budget that still fits in the page.
func (p *writer) room(budget int) int {
	if p.links != nil {
		return budget
	}
	return max(0, min(budget, MaxBytes-reserve-p.later-p.buf.Len()))
}

// f writes formatted text. It escapes string arguments, and unprintable characters.
func (p *writer) f(format string, args ...any) {
	for i, a := range args {
		if s, ok := a.(string); ok {
			args[i] = html.EscapeString(pathname.Escape(s))
		}
	}
	fmt.Fprintf(&p.buf, format, args...)
}

func (p *writer) writeSection(s section) {
	p.f("<section id=%s><h2>%s</h2>\n", s.id, s.title)
	s.write()
	p.f("</section>\n")
}

// policyHash returns the hash of a style or script for the content security policy.
func policyHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

func (p *writer) writeHead() {
	r := p.report
	p.f("<!doctype html>\n<html lang=en>\n<head><meta charset=utf-8>\n")
	fmt.Fprintf(&p.buf, "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; img-src data:; style-src %s; script-src %s; base-uri 'none'; form-action 'none'\">\n", policyHash(writtenStyle()), policyHash(fileScript()))
	p.f("<meta name=viewport content=\"width=device-width\"><meta name=color-scheme content=\"light dark\">\n<title>Cook report: %s</title>\n", pathname.Show(r.Out))
	fmt.Fprintf(&p.buf, "<style>%s</style></head>\n<body class=report>\n", writtenStyle())
	p.f("<header><h1>Cook report</h1><p>%s, %s UTC. %s, %s cooked from %s.</p>\n", pathname.Show(r.Out), Moment.showCell(r.Made),
		human.Count(len(r.in.Assets), "asset"), r.keyFigure("bytes of cooked files"), r.keyFigure("bytes of sources"))
	p.f("<nav><a href=#last>Last cook</a> <a href=#where>Bytes and time</a> <a href=#textures>Textures</a> <a href=#growth>Growth</a> <a href=#problems>Warnings</a> <a href=#history>Runs</a> <a href=#all>Assets</a></nav></header>\n<main>\n")
}

// keyFigure formats a key figure for people.
func (r *Report) keyFigure(figure string) string {
	t := r.Table("key")
	for _, row := range t.Rows {
		if cellAs[string](t, row, "figure") == figure {
			return cellAs[string](t, row, "value")
		}
	}
	return ""
}

func (p *writer) writeAnswers() {
	p.f("<dl>\n")
	for _, s := range p.report.Glance {
		p.f("<dt>%s</dt><dd>%s <a href=\"%s\">Details</a></dd>\n", s.Question, s.Answer, p.links.tableLink(s.See))
	}
	p.f("</dl>\n")
	p.f("<details><summary>Key figures</summary>\n")
	p.writeTableByKey("key", listBudget)
	p.f("</details>\n")
}

func (p *writer) writeLastCook() {
	p.timeline()
	p.f("<div class=two>\n")
	p.writeTableByKey("reasons", listBudget)
	p.writeTableByKey("stages", listBudget)
	p.f("</div>\n")
	p.writeTableByKey("again", againBudget)
}

func (p *writer) writeTreemaps() {
	bytes := func(a *survey.Asset) float64 { return float64(a.Out()) }
	took := func(a *survey.Asset) float64 { return float64(a.CookTime) }
	showTime := func(v float64) string { return human.Duration(time.Duration(v)) }
	showBytes := func(v float64) string { return human.Bytes(int64(v)) }
	p.legend()
	p.treemap("Cooked bytes by directory", false, bytes, showBytes)
	p.treemap("Cook time by directory", false, took, showTime)
	p.writeTableByKey("folders", 2*listBudget)
	p.treemap("Cooked bytes by recipe", true, bytes, showBytes)
	p.treemap("Cook time by recipe", true, took, showTime)
	p.writeTableByKey("recipes", listBudget)
	p.f("<div class=two>\n")
	p.writeTableByKey("slowest", listBudget)
	p.writeTableByKey("largest", listBudget)
	p.f("</div>\n")
}

func (p *writer) writeTextures() {
	p.writeThumbs()
	p.writeTableByKey("textures", 2*listBudget)
}

// writeThumbs writes the thumbnails that fit.
func (p *writer) writeThumbs() {
	drawn := slices.DeleteFunc(slices.Clone(p.report.in.Textures), func(t Texture) bool { return len(t.Thumb) == 0 })
	if len(drawn) == 0 {
		return
	}
	room := p.room(thumbBudget)
	p.f("<ul class=thumbs>\n")
	for i := range drawn {
		t := &drawn[i]
		if room -= base64.StdEncoding.EncodedLen(len(t.Thumb)) + 3*len(t.Path) + 400; room < 0 {
			break
		}
		loss := t.noteText()
		if db, ok := finiteCell(t.Likeness.PSNR).(float64); ok {
			loss = fmt.Sprintf("%.1f dB", db)
		}
		p.f("<li><img alt=\"\" src=\"data:image/jpeg;base64,%s\"><b>%s</b><span>%s, %d × %d</span><span>%s</span></li>\n",
			base64.StdEncoding.EncodeToString(t.Thumb), pathname.Show(t.Path), t.Encoding.formatName(), t.Encoding.W, t.Encoding.H, loss)
	}
	p.f("</ul>\n")
}

func (p *writer) writeRuns() {
	p.f("<p>The last %s that did something. Dots are spikes: more than twice the median. Dashed lines are steps: from there on the figure is permanently different.</p>\n<div class=charts>\n", human.Count(len(p.report.in.Runs), "run"))
	for i := range p.report.series {
		p.chart(&p.report.series[i])
	}
	p.f("</div>\n")
	p.writeTableByKey("steps", listBudget)
	p.f("<h3 id=compare>Two runs compared</h3>\n<p class=note id=choose>The latest two. With scripts any two can be chosen here; <code>cook history</code> compares them without.</p>\n")
	p.writeComparedRuns()
	p.writeTableByKey("runs", runBudget)
}
