package browser

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/internal/image/cooked"
	"github.com/assetcook/assetcook/recipes"
)

// cookHTTP runs "cook -http" on a copy of the sample assets. It returns the directory of the
// copy, the URL of the page and the URL's fragment, starting with "#".
func cookHTTP(t *testing.T, rules ...string) (dir, server, fragment string) {
	t.Helper()
	if !installed() {
		t.Skip("no Chromium, so the pages are not tested; proof/browser/run.sh installs it")
	}
	bin := binaries(t)
	dir = t.TempDir()
	if err := os.CopyFS(filepath.Join(dir, "assets"), os.DirFS("../../testdata/assets")); err != nil {
		t.Fatal(err)
	}
	if len(rules) > 0 {
		if err := os.WriteFile(filepath.Join(dir, "assets/cook.toml"), []byte(strings.Join(rules, "\n")), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command(filepath.Join(bin, "cook"), "-dir", "assets", "-engine", "own", "-cache", "store", "-http", "127.0.0.1:0")
	cmd.Dir = dir
	stderr, stdout := start(t, cmd)
	t.Cleanup(func() {
		cmd.Process.Signal(os.Interrupt)
		cmd.Wait()
	})
	server, fragment = serving(t, stderr)
	if summary := summaryOf(t, stdout); !strings.Contains(summary, "89 assets") {
		t.Fatalf("%q", summary)
	}
	go io.Copy(io.Discard, stdout)
	return dir, server, fragment
}

// summaryOf reads the output of cook up to and including the summary, and returns the summary.
func summaryOf(t *testing.T, stdout *bufio.Reader) string {
	t.Helper()
	for {
		line, err := stdout.ReadString('\n')
		if err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		if strings.HasPrefix(line, "cook: ") {
			return line
		}
	}
}

// start runs a command and returns its output streams.
func start(t *testing.T, cmd *exec.Cmd) (stderr, stdout *bufio.Reader) {
	t.Helper()
	errors, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	return bufio.NewReader(errors), bufio.NewReader(output)
}

// serving returns the URL of the page that cook prints, and the URL's fragment.
func serving(t *testing.T, stderr *bufio.Reader) (server, fragment string) {
	t.Helper()
	line, err := stderr.ReadString('\n')
	server, fragment, found := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "view: "), "/#")
	if !found {
		t.Fatalf("cook printed %q: %v", line, err)
	}
	go io.Copy(io.Discard, stderr)
	return server, "#" + fragment
}

// viewAssets opens the page of cook view for an asset directory.
func viewAssets(t *testing.T, assets string) *page {
	t.Helper()
	server, fragment := served(t, exec.Command(filepath.Join(binaries(t), "cook"), "view", "-dir", assets, "-http", "127.0.0.1:0"))
	return open(t, server, fragment+"&tab=assets")
}

const firstCell = `.assets .sizer .arow:not([hidden]) > span:first-child`

// Using only the keyboard, a user can search, open and inspect an asset, ask why it was cooked, and
// cook it again.
func TestAssetIsFoundInspectedAndRecookedByKeyboard(t *testing.T) {
	dir, server, fragment := cookHTTP(t)
	p := open(t, server, fragment+"&tab=assets")
	p.until(`document.querySelector(".assets .table").dataset.matched === "89"`)
	p.do(chromedp.Focus(chromedp.CSS(".assets input[type=search]")), chromedp.KeyEvent("crate png"))
	p.until(`document.querySelector(".assets .table").dataset.matched === "1"`)
	p.do(chromedp.KeyEvent("\r"), chromedp.KeyEvent("\r"))
	p.until(`document.querySelector(".inspect.texture")?.dataset.ready === "true"`)
	p.until(`location.hash.includes("a.asset=textures%2Fprops%2Fcrate.png")`)
	p.until(`document.querySelector(".inspect.texture").dataset.psnr > 40`)

	// All levels have the same pixels as our decoder's output.
	data, err := os.ReadFile(filepath.Join(dir, "cooked/textures/props/crate.png.ktx2"))
	if err != nil {
		t.Fatal(err)
	}
	made, err := cooked.Open(data, 1<<30)
	if err != nil {
		t.Fatal(err)
	}
	p.do(chromedp.Focus(chromedp.CSS(".texture .stage")), chromedp.KeyEvent("1"))
	for level := range made.Levels {
		want, err := cooked.Level(t.Context(), made, level, 0)
		if err != nil {
			t.Fatal(err)
		}
		p.until(fmt.Sprintf(`document.querySelector(".inspect.texture").dataset.level === "%d"`, level))
		got := eval[[]int](p, fmt.Sprintf(`(() => {
			const canvas = document.querySelector("figure[data-side=output] canvas"), at = canvas.dataset
			if (at.scale !== "1") return []
			return [...canvas.getContext("2d").getImageData(at.left, at.top, %d, %d).data]
		})()`, want.W, want.H))
		pixels := make([]byte, len(got))
		for i, v := range got {
			pixels[i] = byte(v)
		}
		if !bytes.Equal(pixels, want.Pix8) {
			t.Errorf("level %d differs from the decoder's pixels", level)
		}
		p.do(chromedp.KeyEvent("m"))
	}
	p.do(chromedp.Blur(chromedp.CSS(".texture .stage")))

	press := func(text string) {
		p.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`[...document.querySelectorAll(".assets .right button")].find(b => b.textContent === %q).click()`, text)))
	}
	press("Why")
	p.until(`document.querySelector(".why")?.textContent.includes("up to date")`)
	if why := eval[string](p, `document.querySelector(".why").innerText`); !strings.Contains(why, "models/crate.gltf") || !strings.Contains(why, "bc7") {
		t.Errorf("why: %s", why)
	}
	press("Cook again")
	p.until(`document.querySelector(".assets .said").textContent.includes("1 asset")`)
	p.until(`document.querySelector(".why")?.textContent.includes("because forced")`)
	p.do(chromedp.KeyEvent("r"))
	p.until(`document.querySelectorAll(".report.runs #runs tbody tr").length === 2`)
	p.do(chromedp.KeyEvent("\x1b"))
	p.until(`document.querySelector(".assets .right").hidden`)
}

// The list of textures shows roles and starts with the largest losses. It can be filtered by role,
// and sorted with the keyboard.
func TestTexturesAreListedByLoss(t *testing.T) {
	_, server, fragment := cookHTTP(t)
	p := open(t, server, fragment+"&tab=assets&a.list=losses")
	p.until(`document.querySelector(".losses").dataset.done === "true"`)
	cells := func(title string) string {
		return fmt.Sprintf(`((heads, rows) => rows.map(r => r.cells[heads.findIndex(h => h.textContent === %q)].textContent))(
			[...document.querySelectorAll(".losses thead th")], [...document.querySelectorAll(".losses tbody tr:not([hidden])")])`, title)
	}
	if !eval[bool](p, `(n => n.length > 5 && n.every((x, i) => !i || n[i - 1] <= x))(`+cells("PSNR in dB")+`.filter(x => x).map(Number))`) {
		t.Errorf("PSNRs do not rise: %v", eval[[]string](p, cells("PSNR in dB")))
	}
	p.do(chromedp.Evaluate[chromedp.Void](`(s => { s.value = "normal"; s.onchange(); })(document.querySelector(".losses select[title=role]"))`))
	p.until(`(r => r.length > 0 && r.every(x => x === "normal"))(` + cells("role") + `)`)
	if !eval[bool](p, cells("angle in °")+`.every(x => Number(x) > 0)`) {
		t.Errorf("normal maps without an angle: %v", eval[[]string](p, cells("angle in °")))
	}
	p.until(`location.hash.includes("a.textures.role=normal")`)
	p.do(chromedp.Evaluate[chromedp.Void](`(s => { s.value = ""; s.onchange(); })(document.querySelector(".losses select[title=role]"))`))
	p.do(chromedp.Focus(chromedp.CSS(".losses th:first-child button")), chromedp.KeyEvent("\r"))
	p.until(`document.querySelector(".losses th").ariaSort === "ascending"`)
	p.until(`(n => n.length > 5 && n.every((x, i) => !i || n[i - 1] <= x))(` + cells("texture") + `)`)
	p.do(chromedp.KeyEvent("\r"))
	p.until(`(n => n.length > 5 && n.every((x, i) => !i || n[i - 1] >= x))(` + cells("texture") + `)`)
}

func TestReportLeadsToAssets(t *testing.T) {
	_, server, fragment := cookHTTP(t)
	p := open(t, server, fragment+"&tab=assets&a.list=last")
	p.until(`document.querySelector(".report.last #again a") !== null`)
	p.do(chromedp.Click(chromedp.CSS(".report.last #again tbody a")))
	p.until(`document.querySelector(".inspect")?.dataset.asset === document.querySelector(".report.last #again tbody a").textContent`)
	p.do(chromedp.KeyEvent("r"))
	p.until(`document.querySelectorAll(".report.runs #runs tbody tr").length === 1`)
	p.do(chromedp.Evaluate[chromedp.Void](`document.querySelector(".report.runs #runs td.d a").click()`))
	p.until(`!document.querySelector(".assets .table").hidden && document.querySelector(".assets .table").dataset.matched === "89" && location.hash.includes("a.run=2")`)
}

// There is an inspector for every kind of asset, and none reports an error.
func TestEveryAssetKindHasInspector(t *testing.T) {
	_, server, fragment := cookHTTP(t)
	p := open(t, server, fragment+"&tab=assets")
	for _, asset := range []struct{ path, kind string }{
		{"textures/sky/clouds.jpg", "texture"}, {"data/levels/crater_loop.json", "text"}, {"audio/coin.wav", "sound"},
		{"models/kart.gltf", "mesh"}, {"models/barrier.obj", "mesh"}, {"models/pebble.glb", "mesh"}, {"fonts/pebble.fnt", "font"},
	} {
		p.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`location.hash = "#tab=assets&a.asset=" + encodeURIComponent(%q)`, asset.path)))
		p.until(fmt.Sprintf(`(d => d?.asset === %q && d.ready === "true")(document.querySelector(".inspect.%s")?.dataset)`, asset.path, asset.kind))
		if asset.kind == "mesh" && !eval[bool](p, `(d => d.sourceTriangles > 0 && d.outputTriangles > 0)(document.querySelector(".inspect.mesh").dataset)`) {
			t.Errorf("%s: the mesh is not drawn", asset.path)
		}
		if bad := eval[string](p, `[...document.querySelectorAll(".assets .right .bad")].map(e => e.textContent).join("; ")`); bad != "" {
			t.Errorf("%s: %s", asset.path, bad)
		}
	}
}

func TestFontIsDrawnTheSameInEveryLayout(t *testing.T) {
	shown := map[string]int{}
	for layout, field := range map[string]string{"assetcook": "sdf", "msdf-atlas-gen": "mtsdf", "bmfont": "msdf", "bmfont-json": "msdf"} {
		_, server, fragment := cookHTTP(t, "[[rule]]\nmatch = \"fonts/*.ttf\"\nrecipe = \"font\"\nmissing = \"skip\"\ncontainer = \"png\"",
			fmt.Sprintf("field = %q\ndata = %q\n", field, layout))
		p := open(t, server, fragment+"&tab=assets")
		p.do(chromedp.Evaluate[chromedp.Void](`location.hash = "#tab=assets&a.asset=" + encodeURIComponent("fonts/pebble.ttf")`))
		p.until(`document.querySelector(".inspect.font")?.dataset.ready === "true"`)
		if bad := eval[string](p, `[...document.querySelectorAll(".assets .right .bad")].map(e => e.textContent).join("; ")`); bad != "" {
			t.Errorf("%s: %s", layout, bad)
		}
		// This expression computes the amount of ink in the text that is drawn with the atlas.
		shown[layout] = eval[int](p, `(canvas => {
			const copy = new OffscreenCanvas(canvas.width, canvas.height).getContext("2d");
			copy.drawImage(canvas, 0, 0);
			const { data } = copy.getImageData(0, 0, canvas.width, canvas.height), ground = data[0];
			let ink = 0;
			for (let i = 0; i < data.length; i += 4) ink += Math.abs(data[i] - ground);
			return Math.round(ink / 255);
		})(document.querySelector(".inspect.font canvas.cooked"))`)
	}
	for layout, ink := range shown { // sdf rounds corners, and this font has many corners
		if want := shown["assetcook"]; want < 1000 || ink < want || 100*ink > 110*want || layout != "assetcook" && ink != shown["bmfont"] {
			t.Errorf("%s: %d pixels of ink, want about %d as in layout assetcook", layout, ink, want)
		}
	}
}

// A table of 100,000 assets shows the right rows at every scroll position, and keeps few of them in
// the document.
func TestLargeAssetTableScrolls(t *testing.T) {
	if testing.Short() {
		t.Skip("cooks 20,000 files")
	}
	if !installed() {
		t.Skip("no Chromium, so the pages are not tested; proof/browser/run.sh installs it")
	}
	const files = 20_000
	dir := t.TempDir()
	project := cook.Project{Dir: filepath.Join(dir, "assets"), Cache: filepath.Join(dir, "store"), Recipes: recipes.All(), Engine: "own"}
	for i := range files {
		name := filepath.Join(project.Dir, fmt.Sprintf("level%02d/file%05d.dat", i/1000, i))
		if i%1000 == 0 {
			if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(name, fmt.Appendf(nil, "%d", i), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := cook.Cook(context.Background(), project, cook.CookOptions{}); err != nil {
		t.Fatal(err)
	}
	p := viewAssets(t, project.Dir)
	p.until(fmt.Sprintf(`document.querySelector(".assets .table").dataset.matched === "%d"`, files))
	for _, i := range []int{0, 10_000, 19_950, 2_345, 17_777} {
		want := fmt.Sprintf("level%02d/file%05d.dat", i/1000, i)
		p.do(chromedp.Evaluate[chromedp.Void](fmt.Sprintf(`document.querySelector(".assets .rows").scrollTop = %d * 23`, i)))
		p.until(fmt.Sprintf(`[...document.querySelectorAll(%q)].some(e => e.textContent === %q)`, firstCell, want))
	}
	if rows := eval[int](p, `document.querySelectorAll(".assets .arow").length`); rows > 200 {
		t.Errorf("%d rows are in the document", rows)
	}
	p.do(chromedp.Focus(chromedp.CSS(".assets .rows")), chromedp.KeyEvent(kb.End))
	p.until(fmt.Sprintf(`[...document.querySelectorAll(%q)].some(e => e.textContent === "level19/file19999.dat")`, firstCell))
}

// TestLiveCost measures how much additional processor time a cook takes while a page follows it. It
// runs with LIVE_COOKS=10 LIVE_DIR=assets (bench/results/view.md).
func TestLiveCost(t *testing.T) {
	rounds, err := strconv.Atoi(os.Getenv("LIVE_COOKS"))
	if err != nil {
		t.Skip("LIVE_COOKS is not set")
	}
	bin, out := binaries(t), t.TempDir()
	run := func(page bool) time.Duration {
		args := []string{"-dir", os.Getenv("LIVE_DIR"), "-engine", "own", "-out", filepath.Join(out, "cooked"), "-cache", filepath.Join(out, "store"), "-a", "-k"}
		if page {
			args = append(args, "-http", "127.0.0.1:0")
		}
		cmd := exec.Command(filepath.Join(bin, "cook"), args...)
		stderr, stdout := start(t, cmd)
		if page {
			server, fragment := serving(t, stderr)
			t.Run("page", func(t *testing.T) {
				open(t, server, fragment+"&tab=timeline")
				summaryOf(t, stdout)
				cmd.Process.Signal(os.Interrupt)
			})
		} else {
			go io.Copy(io.Discard, stderr)
			io.Copy(io.Discard, stdout)
		}
		cmd.Wait()
		return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	run(false)
	var ratios []float64
	for range rounds {
		plain, live := run(false), run(true)
		ratios = append(ratios, live.Seconds()/plain.Seconds())
		t.Logf("plain %v, with a page %v", plain, live)
	}
	slices.Sort(ratios)
	t.Logf("processor time of a cook with a page, as a ratio: median %.4f, quartiles %.4f and %.4f", ratios[len(ratios)/2], ratios[len(ratios)/4], ratios[len(ratios)*3/4])
}

// The status line and the window title report failures on every tab. A click lists the failures.
func TestFailuresAreAnnounced(t *testing.T) {
	dir, server, fragment := cookHTTP(t)
	p := open(t, server, "#"+fragment)
	p.until(`document.querySelector(".assets .table")?.dataset.matched === "89"`)
	if title := eval[string](p, `document.title`); strings.Contains(title, "failed") {
		t.Errorf("title %q of a run without failures", title)
	}
	again := func(content string) {
		if err := os.WriteFile(filepath.Join(dir, "assets/data/game.json"), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
		project := cook.Project{Dir: filepath.Join(dir, "assets"), Out: filepath.Join(dir, "cooked"), Cache: filepath.Join(dir, "store"), Recipes: recipes.All(), Engine: "own"}
		cook.Cook(t.Context(), project, cook.CookOptions{}) // the failure is recorded in the index
	}
	p.do(chromedp.KeyEvent("2"))
	again(`{"laps": `)
	p.until(`document.title.includes("1 asset failed")`)
	p.until(`document.getElementById("status").textContent.includes("1 asset failed")`)
	p.do(chromedp.KeyEvent("1"), chromedp.Click(chromedp.CSS(".assets .failed")))
	p.until(`document.querySelector(".assets .table").dataset.matched === "1"`)
	again(`{"laps": 3}`)
	p.until(`!document.title.includes("failed") && document.querySelector(".assets .failed").hidden`)
}
