package overview

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"html"
	"io"
	"time"

	"github.com/assetcook/assetcook/cook/internal/survey"
	"github.com/assetcook/assetcook/internal/human"
	"github.com/assetcook/assetcook/internal/pathname"
)

// MaxBytes bounds a page, whatever the number of assets. The budgets of its parts add up to less.
const MaxBytes = 2_000_000

// Budgets of parts of the page, in bytes.
const (
	assetBudget   = 520_000
	againBudget   = 120_000
	runBudget     = 330_000
	listBudget    = 50_000 // of each other table
	thumbBudget   = 240_000
	drawingBudget = 70_000 // of each of 5 drawings
)

// WriteHTML writes the page.
func (r *Report) WriteHTML(to io.Writer) error {
	p := &writer{report: r, rows: map[*survey.Asset]string{}}
	assets := p.part(func() { p.assets() }) // first, because tiles link to its rows
	p.head()
	p.glance()
	p.lastCook()
	p.where()
	p.textures()
	p.section("Growth", "growth", func() { p.table("growth_run", listBudget); p.table("growth_day", listBudget) })
	p.section("Warnings and failures", "problems", func() { p.table("warnings", listBudget); p.table("failures", listBudget) })
	p.runs()
	p.section("Assets", "all", func() { p.buf.Write(assets) })
	p.foot()
	if p.buf.Len() > MaxBytes {
		return errors.New("the page has become too large")
	}
	_, err := to.Write(p.buf.Bytes())
	return err
}

// A writer writes the page of a report.
type writer struct {
	report *Report
	buf    bytes.Buffer
	rows   map[*survey.Asset]string // row IDs of assets
}

// f writes text. It escapes arguments that are strings, and characters that do not print.
func (p *writer) f(format string, args ...any) {
	for i, a := range args {
		if s, ok := a.(string); ok {
			args[i] = html.EscapeString(pathname.Escape(s))
		}
	}
	fmt.Fprintf(&p.buf, format, args...)
}

// part returns the text of do instead of writing it.
func (p *writer) part(do func()) []byte {
	whole := p.buf
	p.buf = bytes.Buffer{}
	do()
	made := p.buf.Bytes()
	p.buf = whole
	return made
}

func (p *writer) section(title, id string, body func()) {
	p.f("<section id=%s><h2>%s</h2>\n", id, title)
	body()
	p.f("</section>\n")
}

// hash returns the name of an allowed style or script in a policy.
func hash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

func (p *writer) head() {
	r := p.report
	p.f("<!doctype html>\n<html lang=en>\n<head><meta charset=utf-8>\n")
	fmt.Fprintf(&p.buf, "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; img-src data:; style-src %s; script-src %s; base-uri 'none'; form-action 'none'\">\n", hash(style), hash(script))
	p.f("<meta name=viewport content=\"width=device-width\"><meta name=color-scheme content=\"light dark\">\n<title>Cook report: %s</title>\n", pathname.Show(r.Out))
	fmt.Fprintf(&p.buf, "<style>%s</style></head>\n<body>\n", style)
	p.f("<header><h1>Cook report</h1><p>%s, %s UTC. %s, %s cooked from %s.</p>\n", pathname.Show(r.Out), Moment.show(r.Made),
		human.Count(len(r.in.Assets), "asset"), r.value("bytes of cooked files"), r.value("bytes of sources"))
	p.f("<nav><a href=#last>Last cook</a> <a href=#where>Bytes and time</a> <a href=#textures>Textures</a> <a href=#growth>Growth</a> <a href=#problems>Warnings</a> <a href=#history>Runs</a> <a href=#all>Assets</a></nav></header>\n<main>\n")
}

// value returns a key figure for people.
func (r *Report) value(figure string) string {
	t := r.Table("key")
	for _, row := range t.Rows {
		if cellAs[string](t, row, "figure") == figure {
			return cellAs[string](t, row, "value")
		}
	}
	return ""
}

func (p *writer) foot() {
	p.f("</main><footer><p>Made by <code>cook report</code>. Names lead to the row of an asset; <code>cook why PATH</code> says more of one. <code>cook report</code> writes all rows of all tables as JSON and as CSV, too.</p></footer>\n")
	fmt.Fprintf(&p.buf, "<script>%s</script>\n</body></html>\n", script)
}

func (p *writer) glance() {
	p.section("At a glance", "glance", func() {
		p.f("<dl>\n")
		for _, s := range p.report.Glance {
			p.f("<dt>%s</dt><dd>%s <a href=\"#%s\">Details</a></dd>\n", s.Question, s.Answer, s.See)
		}
		p.f("</dl>\n")
		p.f("<details><summary>Key figures</summary>\n")
		p.table("key", listBudget)
		p.f("</details>\n")
	})
}

func (p *writer) lastCook() {
	p.section("Last cook", "last", func() {
		p.timeline()
		p.f("<div class=two>\n")
		p.table("reasons", listBudget)
		p.table("stages", listBudget)
		p.f("</div>\n")
		p.table("again", againBudget)
	})
}

func (p *writer) where() {
	bytes := func(a *survey.Asset) float64 { return float64(a.Out()) }
	took := func(a *survey.Asset) float64 { return float64(a.CookTime) }
	showTime := func(v float64) string { return human.Duration(time.Duration(v)) }
	showBytes := func(v float64) string { return human.Bytes(int64(v)) }
	p.section("Where bytes and time go", "where", func() {
		p.legend()
		p.treemap("Cooked bytes by directory", false, bytes, showBytes)
		p.treemap("Cook time by directory", false, took, showTime)
		p.table("folders", 2*listBudget)
		p.treemap("Cooked bytes by recipe", true, bytes, showBytes)
		p.treemap("Cook time by recipe", true, took, showTime)
		p.table("recipes", listBudget)
		p.f("<div class=two>\n")
		p.table("slowest", listBudget)
		p.table("largest", listBudget)
		p.f("</div>\n")
	})
}

func (p *writer) textures() {
	list := p.report.in.Textures
	p.section("Textures", "looks", func() {
		room := thumbBudget
		p.f("<ul class=thumbs>\n")
		for i := range list {
			t := &list[i]
			size := base64.StdEncoding.EncodedLen(len(t.Thumb)) + 3*len(t.Path) + 400
			if len(t.Thumb) == 0 {
				continue
			}
			if room -= size; room < 0 {
				break
			}
			loss := t.noteText()
			if db, ok := known(t.Likeness.PSNR).(float64); ok {
				loss = fmt.Sprintf("%.1f dB", db)
			}
			name := pathname.Show(t.Path)
			p.f("<li><img alt=\"\" src=\"data:image/jpeg;base64,%s\"><b>%s</b><span>%s, %d × %d</span><span>%s</span></li>\n",
				base64.StdEncoding.EncodeToString(t.Thumb), name, t.Encoding.formatName(), t.Encoding.W, t.Encoding.H, loss)
		}
		p.f("</ul>\n")
		p.table("textures", 2*listBudget)
	})
}

func (p *writer) runs() {
	p.section("Runs", "history", func() {
		p.f("<p>The last %s that did something. Dots are spikes: more than twice the median. Dashed lines are steps: from there on the figure was different for good.</p>\n<div class=charts>\n", human.Count(len(p.report.in.Runs), "run"))
		for i := range p.report.series {
			p.chart(&p.report.series[i])
		}
		p.f("</div>\n")
		p.table("steps", listBudget)
		p.f("<h3 id=compare>Two runs compared</h3>\n<p class=note id=choose>The latest two. With scripts any two can be chosen here; <code>cook history</code> compares them without.</p>\n")
		p.compared()
		p.table("runs", runBudget)
	})
}
