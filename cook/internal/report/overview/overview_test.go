package overview

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"html"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/assetcook/assetcook/cook/internal/execute"
	"github.com/assetcook/assetcook/cook/internal/likeness"
	"github.com/assetcook/assetcook/cook/internal/survey"
	"github.com/assetcook/assetcook/internal/image/cooked"
)

// badFormat matches what package fmt writes for an argument of the wrong type.
var badFormat = regexp.MustCompile(`%!.?\(([a-z]\S*=|nil|EXTRA|NOVERB|BAD).{0,20}`)

func render(t *testing.T, r *Report) string {
	t.Helper()
	var b bytes.Buffer
	if err := r.WriteHTML(&b); err != nil {
		t.Fatal(err)
	}
	if bad := badFormat.FindString(b.String()); bad != "" {
		t.Errorf("the page has %q", bad)
	}
	return b.String()
}

// TestTexturesShowTheirLoss checks that tiles and the summary show the PSNR of textures.
func TestTexturesShowTheirLoss(t *testing.T) {
	in := large(4, 2)
	for i, db := range []float64{math.Inf(1), 41.25, 29.5, math.NaN()} {
		in.Textures = append(in.Textures, Texture{Path: in.Assets[i].Path, Encoding: Encoding{Format: "bc7"}, In: 10494, Likeness: finding(db, "color"), Note: "not compared", Thumb: []byte("jpeg")})
	}
	page := render(t, New(in))
	for _, want := range []string{"<span>29.5 dB</span>", "<span>41.2 dB</span>", "Of 2 textures compared: " + in.Assets[2].Path + " (bc7, 29.5 dB), " + in.Assets[1].Path + " (bc7, 41.2 dB)."} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not have %q", want)
		}
	}
	if n := strings.Count(page, "<span>not compared</span>"); n != 2 {
		t.Errorf("%d tiles say that a texture was not compared, want 2", n)
	}
}

// hostile are names with special meaning in HTML, CSV, formats or terminals.
var hostile = []string{
	"<script>alert(1)</script>.png", `"onload="alert(1)`, "' onerror='x", "</title></style></svg></table><img src=x>.png", "a\nb.png", "broken\xff\xfe\x80.png",
	"\u202egnp.exe", "&lt;b&gt;.png", "=cmd|' /C calc'!A0.csv", "%s%d%!x.png", "deep/<b>/\"x\"/y.png", strings.Repeat("<&\"'", 1000) + ".png", "-->.png", "]]>.png",
}

// attacked returns the data for a report that contains only hostile names and texts.
func attacked() Input {
	in := large(40, 5)
	d := in.Runs[4].Detail
	for i := range in.Assets {
		name := hostile[i%len(hostile)]
		a := &in.Assets[i]
		a.Path = fmt.Sprint(name, i)
		a.Target = name
		a.Method = &survey.Method{Recipe: name}
		a.Last.Reasons = []string{name, "error: " + name}
		a.Outputs[0].Path = name
		a.Dependencies = append(hostile, fmt.Sprint(hostile[0], 0))
		a.Failed = i%7 == 0
		d.Spans[i].Path = execute.Path(a.Path)
		d.Spans[i].Assets = 1
		d.Sizes = append(d.Sizes, execute.Size{Path: execute.Path(a.Path), Target: name, Before: -1, After: int64(i)})
		d.Warnings = append(d.Warnings, execute.Warning{Path: execute.Path(a.Path), Text: name})
		in.Runs[4].Stages[0].Name = name
		in.Textures = append(in.Textures, Texture{Path: name, Target: name, Output: name, Encoding: Encoding{Format: name}, Likeness: finding(float64(i), name), Note: name, Thumb: []byte("no jpeg")})
	}
	in.Out = hostile[0]
	return in
}

// finding returns the comparison of a texture with a given PSNR.
func finding(psnr float64, role string) likeness.Finding {
	f := likeness.Finding{Role: role, Why: role, Measure: cooked.Unmeasured()}
	f.PSNR = psnr
	return f
}

// TestHostileNames checks that names with arbitrary bytes are shown as text, and that the page is
// UTF-8.
func TestHostileNames(t *testing.T) {
	page := render(t, New(attacked()))
	if !utf8.ValidString(page) {
		t.Error("not UTF-8")
	}
	for _, c := range page {
		if c < ' ' && c != '\n' && c != '\t' || c == '\u202e' {
			t.Errorf("character %U", c)
		}
	}
	if n := strings.Count(page, "<script"); n != 1 {
		t.Errorf("%d scripts", n)
	}
	body := strings.Replace(strings.Replace(page, fileScript(), "", 1), writtenStyle(), "", 1)
	tags := regexp.MustCompile(`<(/?)([a-zA-Z0-9]*)([^>]*)>`).FindAllStringSubmatch(body, -1)
	if len(tags) < 1000 || strings.Count(body, "<") != len(tags) {
		t.Errorf("%d tags, %d times <", len(tags), strings.Count(body, "<"))
	}
	known := strings.Fields("doctype html head meta title style body header h1 p nav a main section h2 h3 dl dt dd details summary table thead tbody tfoot tr th td div figure figcaption svg g rect text path circle defs pattern ul li img b span code footer script")
	attribute := regexp.MustCompile(`^(\s+[a-zA-Z-]+(=("[^"<>]*"|[^\s"'<>=]+))?)*\s*/?$`)
	handler := regexp.MustCompile(`\son[a-z]+=`)
	for _, tag := range tags {
		if tag[0] == "<!doctype html>" {
			continue
		}
		found := false
		for _, k := range known {
			found = found || k == tag[2]
		}
		if !found || !attribute.MatchString(tag[3]) || handler.MatchString(regexp.MustCompile(`"[^"]*"`).ReplaceAllString(tag[3], "")) {
			t.Fatalf("tag %.300q", tag[0])
		}
	}
	if !strings.Contains(page, html.EscapeString("<script>alert(1)</script>.png0")) {
		t.Error("a name is missing")
	}
}

// TestSelfContained checks that the page makes no requests. Only its own style and script may run.
func TestSelfContained(t *testing.T) {
	page := render(t, New(large(100, 10)))
	for _, outside := range []string{"http:", "https:", "//cdn", "@import", "url(h", "<link", "<iframe", "style=\"", "onclick=", "javascript:"} {
		if strings.Contains(page, outside) {
			t.Errorf("the page has %s", outside)
		}
	}
	policy := regexp.MustCompile(`content="(default-src 'none'; [^"]*)"`).FindStringSubmatch(page)
	if policy == nil {
		t.Fatal("no policy")
	}
	for element, name := range map[string]string{"style": "style-src", "script": "script-src"} {
		text := regexp.MustCompile(`(?s)<` + element + `>(.*?)</` + element + `>`).FindStringSubmatch(page)
		if text == nil || !strings.Contains(policy[1], name+" "+policyHash(text[1])) {
			t.Errorf("%s is not what %s allows", element, policy[1])
		}
	}
}

func TestLatePartsFitTheRestOfThePage(t *testing.T) {
	for left, want := range map[int]int{60_000: 60_000, -5: 0} {
		p := &writer{report: New(large(2000, 600)), later: MaxBytes - reserve - left}
		if got := p.room(runBudget); got != want {
			t.Errorf("with %d bytes left, a part gets %d", left, got)
		}
		p.writeTableByKey("runs", runBudget)
		rows := strings.Count(p.buf.String(), "<tr>") - 1
		if n := p.buf.Len(); n > max(left, 2000) || (rows > 0) != (left > 0) {
			t.Errorf("with %d bytes left, the table has %d bytes and %d rows", left, n, rows)
		}
	}
}

// TestSize checks that the page is complete and within its limit for any amount of data.
func TestSize(t *testing.T) {
	if testing.Short() {
		t.Skip("takes long, and starts no goroutines")
	}
	many := large(100_000, 600)
	for range 400 {
		many.Textures = append(many.Textures, Texture{Path: "a/texture.png", Encoding: Encoding{Format: "bc7"}, Likeness: finding(40, "color"), Thumb: make([]byte, 8000)})
	}
	odd := attacked()
	for i := range 30_000 {
		a := odd.Assets[i%40]
		a.Path = fmt.Sprintf("%05d/%s", i, hostile[11])
		a.Method = &survey.Method{Recipe: fmt.Sprint(i, hostile[11])}
		odd.Assets = append(odd.Assets, a)
	}
	for i := range 600 {
		odd.Runs = append(odd.Runs, odd.Runs[i%5])
	}
	for name, in := range map[string]Input{"many": many, "hostile": odd} {
		page := render(t, New(in))
		t.Logf("%s: %d assets, %d bytes", name, len(in.Assets), len(page))
		if len(page) > MaxBytes || !strings.HasSuffix(page, "</body></html>\n") {
			t.Errorf("%s: %d bytes", name, len(page))
		}
		if name != "many" {
			continue
		}
		if runs, _ := htmlTable(t, page, "runs"); len(runs) != 600 {
			t.Errorf("%d runs can be compared", len(runs))
		}
		if assets, _ := htmlTable(t, page, "assets"); len(assets) < 500 {
			t.Errorf("only %d assets are listed", len(assets))
		}
	}
}

var (
	htmlRow  = regexp.MustCompile(`<tr[^>]*>([^\n]*)`)
	htmlCell = regexp.MustCompile(`<t([dh])([^>]*)>([^<]*)`)
	htmlRaw  = regexp.MustCompile(`data-v=(-?\d+)`)
)

// htmlTable reads the rows and sums of a table in the page.
func htmlTable(t *testing.T, page, key string) (rows, sums [][][]string) {
	t.Helper()
	part := regexp.MustCompile(`(?s)<section class=table id=` + key + `>.*?</section>`).FindString(page)
	_, part, ok := strings.Cut(part, "<tbody>")
	if !ok {
		return nil, nil
	}
	body, foot, _ := strings.Cut(part, "<tfoot>")
	parse := func(text string) (rows [][][]string) {
		for _, m := range htmlRow.FindAllStringSubmatch(text, -1) {
			rows = append(rows, htmlCell.FindAllStringSubmatch(m[1], -1))
		}
		return rows
	}
	return parse(body), parse(foot)
}

// TestTablesAgree checks that JSON, CSV and HTML have the same rows, and that the sums in HTML
// include all rows.
func TestTablesAgree(t *testing.T) {
	in := large(3000, 30)
	for i := range 50 {
		in.Runs[29].Detail.Sizes = append(in.Runs[29].Detail.Sizes, execute.Size{Path: execute.Path(in.Assets[i].Path), Before: int64(i) - 1, After: int64(i * i)})
		in.Runs[29].Detail.Warnings = append(in.Runs[29].Detail.Warnings, execute.Warning{Path: execute.Path(in.Assets[i].Path), Text: "careful"})
		in.Assets[i].Failed = true
		in.Textures = append(in.Textures, Texture{Path: in.Assets[i].Path, Encoding: Encoding{Format: "bc7", W: i}, Likeness: finding(math.Mod(float64(i), 7), "normal")})
	}
	r := New(in)
	page := render(t, r)
	var js bytes.Buffer
	if err := r.WriteJSON(&js); err != nil {
		t.Fatal(err)
	}
	var decoded map[string]json.RawMessage
	if err := json.Unmarshal(js.Bytes(), &decoded); err != nil {
		t.Fatal(err)
	}
	for _, table := range r.Tables {
		var objects []map[string]any
		d := json.NewDecoder(bytes.NewReader(decoded[table.Key]))
		d.UseNumber()
		if err := d.Decode(&objects); err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		if err := table.WriteCSV(&text); err != nil {
			t.Fatal(err)
		}
		records, err := csv.NewReader(&text).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		rows, sums := htmlTable(t, page, table.Key)
		if len(table.Rows) != len(objects) || len(table.Rows) != len(records)-1 || len(rows) > len(table.Rows) || len(table.Rows) > 0 && len(rows) == 0 {
			t.Fatalf("%s: %d rows, %d in JSON, %d in CSV, %d in HTML", table.Key, len(table.Rows), len(objects), len(records)-1, len(rows))
		}
		for i, object := range objects {
			for k, c := range table.Columns {
				want := ""
				if v, ok := object[c.Key]; ok {
					want = fmt.Sprint(v)
				}
				if records[i+1][k] != want {
					t.Fatalf("%s: row %d, %s: %q in JSON, %q in CSV", table.Key, i, c.Key, want, records[i+1][k])
				}
			}
		}
		used := table.usedColumns()
		for i, row := range rows {
			at := 0
			for k, c := range table.Columns {
				if !used[k] {
					continue
				}
				raw := records[i+1][k]
				if got, want := html.UnescapeString(row[at][3]), cutText(c.Kind.showCell(table.Rows[i][k]), longestCell); got != want {
					t.Fatalf("%s: row %d, %s: %q in HTML, want %q", table.Key, i, c.Key, got, want)
				}
				if m := htmlRaw.FindStringSubmatch(row[at][2]); m != nil && m[1] != raw {
					t.Fatalf("%s: row %d, %s: %s in HTML, %s in CSV", table.Key, i, c.Key, m[1], raw)
				}
				at++
			}
		}
		checkSums(t, table, records, rows, sums, used)
	}
}

// checkSums checks the sums of the hidden rows, and of all rows.
func checkSums(t *testing.T, table *Table, records [][]string, rows, sums [][][]string, used []bool) {
	t.Helper()
	hidden := len(table.Rows) - len(rows)
	if hidden > 0 && (len(sums) == 0 || sums[0][0][3] != fmt.Sprintf("%d other rows", hidden) && hidden > 1) {
		t.Errorf("%s: %d rows are not shown: %v", table.Key, hidden, sums)
	}
	for _, sum := range sums {
		first := 1
		if sum[0][3] != "all "+strconv.Itoa(len(table.Rows)) {
			first = 1 + len(rows)
		}
		at := 0
		for k, c := range table.Columns {
			if !used[k] {
				continue
			}
			if c.Sum && at > 0 {
				want := int64(0)
				for _, record := range records[first:] {
					n, _ := strconv.ParseInt(record[k], 10, 64)
					want += n
				}
				got := sum[at][3]
				if m := htmlRaw.FindStringSubmatch(sum[at][2]); m != nil {
					got = m[1]
				}
				if got != strconv.FormatInt(want, 10) {
					t.Errorf("%s: %s adds up to %d, HTML says %s", table.Key, c.Key, want, got)
				}
			}
			at++
		}
	}
}

// TestEmpty writes a page without assets, runs or details.
func TestEmpty(t *testing.T) {
	for _, in := range []Input{{}, large(0, 3), large(3, 0), {Runs: large(1, 2).Runs[:1]}} {
		in.Now = time.Unix(0, 0)
		page := strings.Replace(render(t, New(in)), fileScript(), "", 1)
		if !strings.Contains(page, "At a glance") || strings.Contains(page, "NaN") || strings.Contains(page, "%!") || strings.Contains(page, "Inf") {
			t.Errorf("%d assets, %d runs: %d bytes", len(in.Assets), len(in.Runs), len(page))
		}
	}
}
