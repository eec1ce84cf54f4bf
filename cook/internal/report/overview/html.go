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
	"github.com/assetcook/assetcook/internal/chart"
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
	listBudget    = 50_000 // for each other table
	thumbBudget   = 240_000
	drawingBudget = 70_000 // for each of 5 drawings
)

// WriteHTML writes the page.
func (r *Report) WriteHTML(to io.Writer) error {
	p := &writer{report: r, rows: map[*survey.Asset]string{}}
	assets := p.capturePart(func() { p.writeAssets() }) // first, because tiles link to its rows
	p.writeHead()
	p.writeAnswers()
	p.writeLastCook()
	p.writeTreemaps()
	p.writeTextures()
	p.writeSection("Growth", "growth", func() { p.writeTableByKey("growth_run", listBudget); p.writeTableByKey("growth_day", listBudget) })
	p.writeSection("Warnings and failures", "problems", func() { p.writeTableByKey("warnings", listBudget); p.writeTableByKey("failures", listBudget) })
	p.writeRuns()
	p.writeSection("Assets", "all", func() { p.buf.Write(assets) })
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

// capturePart returns the text of do instead of writing it.
func (p *writer) capturePart(do func()) []byte {
	whole := p.buf
	p.buf = bytes.Buffer{}
	do()
	made := p.buf.Bytes()
	p.buf = whole
	return made
}

func (p *writer) writeSection(title, id string, body func()) {
	p.f("<section id=%s><h2>%s</h2>\n", id, title)
	body()
	p.f("</section>\n")
}

// policyHash returns the name of an allowed style or script in a policy.
func policyHash(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

func (p *writer) writeHead() {
	r := p.report
	p.f("<!doctype html>\n<html lang=en>\n<head><meta charset=utf-8>\n")
	fmt.Fprintf(&p.buf, "<meta http-equiv=Content-Security-Policy content=\"default-src 'none'; img-src data:; style-src %s; script-src %s; base-uri 'none'; form-action 'none'\">\n", policyHash(style), policyHash(script))
	p.f("<meta name=viewport content=\"width=device-width\"><meta name=color-scheme content=\"light dark\">\n<title>Cook report: %s</title>\n", pathname.Show(r.Out))
	fmt.Fprintf(&p.buf, "<style>%s</style></head>\n<body>\n", style)
	p.f("<header><h1>Cook report</h1><p>%s, %s UTC. %s, %s cooked from %s.</p>\n", pathname.Show(r.Out), Moment.showCell(r.Made),
		human.Count(len(r.in.Assets), "asset"), r.keyFigure("bytes of cooked files"), r.keyFigure("bytes of sources"))
	p.f("<nav><a href=#last>Last cook</a> <a href=#where>Bytes and time</a> <a href=#textures>Textures</a> <a href=#growth>Growth</a> <a href=#problems>Warnings</a> <a href=#history>Runs</a> <a href=#all>Assets</a></nav></header>\n<main>\n")
}

// keyFigure returns a key figure for people.
func (r *Report) keyFigure(figure string) string {
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

func (p *writer) writeAnswers() {
	p.writeSection("At a glance", "glance", func() {
		p.f("<dl>\n")
		for _, s := range p.report.Glance {
			p.f("<dt>%s</dt><dd>%s <a href=\"#%s\">Details</a></dd>\n", s.Question, s.Answer, s.See)
		}
		p.f("</dl>\n")
		p.f("<details><summary>Key figures</summary>\n")
		p.writeTableByKey("key", listBudget)
		p.f("</details>\n")
	})
}

func (p *writer) writeLastCook() {
	p.writeSection("Last cook", "last", func() {
		p.timeline()
		p.f("<div class=two>\n")
		p.writeTableByKey("reasons", listBudget)
		p.writeTableByKey("stages", listBudget)
		p.f("</div>\n")
		p.writeTableByKey("again", againBudget)
	})
}

func (p *writer) writeTreemaps() {
	bytes := func(a *survey.Asset) float64 { return float64(a.Out()) }
	took := func(a *survey.Asset) float64 { return float64(a.CookTime) }
	showTime := func(v float64) string { return human.Duration(time.Duration(v)) }
	showBytes := func(v float64) string { return human.Bytes(int64(v)) }
	p.writeSection("Where bytes and time go", "where", func() {
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
	})
}

func (p *writer) writeTextures() {
	list := p.report.in.Textures
	p.writeSection("Textures", "looks", func() {
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
			if db, ok := finiteCell(t.Likeness.PSNR).(float64); ok {
				loss = fmt.Sprintf("%.1f dB", db)
			}
			name := pathname.Show(t.Path)
			p.f("<li><img alt=\"\" src=\"data:image/jpeg;base64,%s\"><b>%s</b><span>%s, %d × %d</span><span>%s</span></li>\n",
				base64.StdEncoding.EncodeToString(t.Thumb), name, t.Encoding.formatName(), t.Encoding.W, t.Encoding.H, loss)
		}
		p.f("</ul>\n")
		p.writeTableByKey("textures", 2*listBudget)
	})
}

func (p *writer) writeRuns() {
	p.writeSection("Runs", "history", func() {
		p.f("<p>The last %s that did something. Dots are spikes: more than twice the median. Dashed lines are steps: from there on the figure was different for good.</p>\n<div class=charts>\n", human.Count(len(p.report.in.Runs), "run"))
		for i := range p.report.series {
			p.chart(&p.report.series[i])
		}
		p.f("</div>\n")
		p.writeTableByKey("steps", listBudget)
		p.f("<h3 id=compare>Two runs compared</h3>\n<p class=note id=choose>The latest two. With scripts any two can be chosen here; <code>cook history</code> compares them without.</p>\n")
		p.writeComparedRuns()
		p.writeTableByKey("runs", runBudget)
	})
}

// style is the style of the page: light or dark like the reader's system.
const style = chart.Style + `
:root { color-scheme: light dark; --bg: #fff; --fg: #16181d; --dim: #565d6b; --grid: #d5d9e0; --link: #0b57d0; --box: #f5f6f8; --bad: #b3261e; --curve: #1d4ed8; --step: #a16207;
--c0: #a9cdec; --c1: #f9c08f; --c2: #a8dba4; --c3: #d6bfe6; --c4: #f5dd85; --c5: #f8b8c0; --c6: #aadada; --c7: #cbd0d8; --c8: #d9c2a8; --c9: #b9c3f0; --open: #eceff3 }
@media (prefers-color-scheme: dark) { :root { --bg: #14161a; --fg: #e8eaee; --dim: #a5acba; --grid: #3a3f4a; --link: #8ab4f8; --box: #1d2026; --bad: #f2b8b5; --curve: #7aa7ff; --step: #facc15;
--c0: #1f4e79; --c1: #7c4112; --c2: #22602f; --c3: #5b3a78; --c4: #665608; --c5: #7a2e3e; --c6: #1f5b5b; --c7: #4b5563; --c8: #5a4630; --c9: #3a4590; --open: #262a32 } }
* { box-sizing: border-box }
body { margin: 0; background: var(--bg); color: var(--fg); font: 15px/1.5 system-ui, sans-serif }
header, main, footer { max-width: 78rem; margin: 0 auto; padding: 0 1rem }
header { padding-top: 1.2rem } h1 { font-size: 1.6rem; margin: 0 } header p { margin: .2rem 0 .6rem; color: var(--dim); overflow-wrap: anywhere }
nav { display: flex; flex-wrap: wrap; gap: .3rem 1rem } a { color: var(--link) }
h2 { font-size: 1.3rem; margin: 2.2rem 0 .6rem; border-bottom: 1px solid var(--grid) } h3 { font-size: 1.05rem; margin: 1.2rem 0 .2rem }
dl { display: grid; grid-template-columns: minmax(11rem, 1fr) 4fr; gap: .5rem 1.2rem; margin: 0 } dt { font-weight: 600 } dd { margin: 0; overflow-wrap: anywhere }
.note, figcaption span, footer { color: var(--dim) } .note { margin: .1rem 0 .4rem; font-size: .92em }
figure { margin: .8rem 0 } figcaption { font-weight: 600; margin-bottom: .2rem }
.two { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(32rem, 100%), 1fr)); gap: 0 1.5rem } .two > * { min-width: 0 }
.map, .line { width: 100%; height: auto; display: block } .map text, .line text { font: 11px system-ui, sans-serif; fill: var(--fg) } .map .v, .line .v { fill: var(--fg); opacity: .8 }
.map rect, .line rect { stroke: var(--bg); stroke-width: 1 } .map a:focus rect, .map a:hover rect { stroke: var(--fg); stroke-width: 2 } .map a { text-decoration: none }
.c0 { fill: var(--c0) } .c1 { fill: var(--c1) } .c2 { fill: var(--c2) } .c3 { fill: var(--c3) } .c4 { fill: var(--c4) } .c5 { fill: var(--c5) } .c6 { fill: var(--c6) } .c7 { fill: var(--c7) } .c8 { fill: var(--c8) } .c9 { fill: var(--c9) } .cx { fill: var(--grid) } .open { fill: var(--open) }
.stripe { stroke: var(--fg) }
.legend { list-style: none; display: flex; flex-wrap: wrap; gap: .2rem 1rem; padding: 0; margin: .4rem 0 } .legend svg { display: inline; width: 12px }
.scroll { overflow: auto; max-height: 26rem; border: 1px solid var(--grid); border-radius: 4px }
table { border-collapse: collapse; width: 100%; font-size: .9em } td, th { text-align: left; padding: .15rem .6rem; vertical-align: top }
thead th { position: sticky; top: 0; background: var(--box); white-space: nowrap } tfoot th, tfoot td { background: var(--box); font-weight: 600; white-space: nowrap }
tbody tr + tr td { border-top: 1px solid var(--grid) } .n { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums } .d { white-space: nowrap } .p { overflow-wrap: anywhere; min-width: 16rem }
tr:target td { background: var(--c4) } th button { all: unset; cursor: pointer } th button:focus-visible { outline: 2px solid var(--link) } th[aria-sort] button::after { content: " ▾" } th[aria-sort=ascending] button::after { content: " ▴" }
input, select { font: inherit; color: inherit; background: var(--box); border: 1px solid var(--grid); border-radius: 4px; padding: .1rem .4rem; max-width: 100% }
.thumbs { list-style: none; padding: 0; display: grid; grid-template-columns: repeat(auto-fill, minmax(9rem, 1fr)); gap: .8rem } .thumbs li { font-size: .82em; line-height: 1.3; overflow-wrap: anywhere }
.thumbs img { display: block; max-width: 96px; height: 96px; object-fit: contain; object-position: left bottom } .thumbs b, .thumbs span { display: block } .thumbs b { font-weight: 600 } .thumbs span { color: var(--dim) }
footer { margin-top: 3rem; padding-bottom: 2rem } code { font-family: ui-monospace, monospace; font-size: .95em }
`

// script sorts and filters tables and compares runs. The page is complete without it.
const script = `
'use strict';
const value = c => { const t = c.dataset.v ?? c.textContent; const n = parseFloat(t); return c.classList.contains('n') ? (isNaN(n) ? -Infinity : n) : t };
for (const table of document.querySelectorAll('.table table')) {
	const body = table.tBodies[0], heads = [...table.tHead.rows[0].cells];
	heads.forEach((th, k) => {
		const b = document.createElement('button'); b.type = 'button'; b.textContent = th.textContent; th.replaceChildren(b);
		b.onclick = () => {
			const up = th.getAttribute('aria-sort') === 'descending';
			heads.forEach(h => h.removeAttribute('aria-sort')); th.setAttribute('aria-sort', up ? 'ascending' : 'descending');
			const rows = [...body.rows].map(r => [value(r.cells[k]), r]);
			rows.sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0) * (up ? 1 : -1));
			body.append(...rows.map(r => r[1]));
		};
	});
	if (body.rows.length < 12) continue;
	const find = document.createElement('input'); find.type = 'search'; find.placeholder = 'Filter rows'; find.setAttribute('aria-label', 'Filter rows');
	find.oninput = () => { const t = find.value.toLowerCase(); for (const r of body.rows) r.hidden = !r.textContent.toLowerCase().includes(t) };
	table.closest('.scroll').before(find);
}
const runs = document.querySelector('#runs table'), both = document.getElementById('comparison');
if (runs && both) {
	const rows = [...runs.tBodies[0].rows], heads = [...runs.tHead.rows[0].cells].map(c => c.textContent);
	const from = heads.findIndex(h => h.startsWith('on ')) + 1;
	const choose = [1, 0].map(chosen => {
		const s = document.createElement('select'); s.setAttribute('aria-label', 'Run to compare');
		rows.forEach((r, i) => { const o = document.createElement('option'); o.textContent = 'run ' + r.cells[0].textContent + ', ' + r.cells[from - 1].textContent; o.selected = i === chosen; s.append(o) });
		return s;
	});
	const show = () => {
		const [a, b] = choose.map(s => rows[s.selectedIndex]);
		both.tHead.rows[0].cells[1].textContent = 'run ' + a.cells[0].textContent; both.tHead.rows[0].cells[2].textContent = 'run ' + b.cells[0].textContent;
		both.tBodies[0].replaceChildren(...heads.slice(from).map((h, k) => {
			const r = document.createElement('tr'), x = a.cells[k + from], y = b.cells[k + from], c = document.createElement('td'), n = document.createElement('td');
			n.textContent = h; c.className = 'n';
			const v = value(x), w = value(y);
			c.textContent = v === w ? '' : v === 0 ? 'new' : (w >= v ? '+' : '') + (100 * (w - v) / v).toFixed(1) + ' %';
			r.append(n, x.cloneNode(true), y.cloneNode(true), c);
			return r;
		}));
	};
	choose.forEach(s => s.onchange = show);
	document.getElementById('choose').replaceChildren(choose[0], ' and ', choose[1]);
}
`
