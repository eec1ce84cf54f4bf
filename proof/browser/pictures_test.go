package browser

import (
	"bytes"
	"flag"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/assetcook/assetcook/cook"
	"github.com/assetcook/assetcook/recipes"
)

var writePictures = flag.Bool("pictures", false, "write the screenshots for docs")

// TestPictures opens each page that has a screenshot in docs, and checks that the page is drawn.
// With -pictures, it writes the screenshots.
func TestPictures(t *testing.T) {
	if !installed() {
		t.Skip("no Chromium, so no screenshots are taken")
	}
	bin := binaries(t)
	dir, server, fragment := cookHTTP(t)
	work(t, dir)
	t.Run("report", func(t *testing.T) { pictureReport(t, bin, dir) })
	t.Run("assets", func(t *testing.T) {
		p := open(t, server, fragment+"&tab=assets&a.run=last&a.sort=cook_ns&a.down=1&a.asset="+url.QueryEscape("textures/props/crate.png"))
		p.until(`document.querySelector(".inspect.texture")?.dataset.psnr > 30`)
		p.picture("view-assets.png", 1500, 657, nil)
	})
	t.Run("kinds", func(t *testing.T) { pictureKinds(t, server, fragment) })
	t.Run("timeline", func(t *testing.T) {
		command(t, dir, filepath.Join(bin, "cook"), "-dir", "assets", "-a", "-q", "-trace", "cook.events")
		view := exec.Command(filepath.Join(bin, "cook"), "view", "-http", "127.0.0.1:0", "cook.events")
		view.Dir = dir
		server, fragment := served(t, view)
		p := open(t, server, fragment+"&tab=timeline")
		p.until(`document.querySelector(".tl-main")?.width > 0`)
		p.do(chromedp.Evaluate[chromedp.Void](`[...document.querySelectorAll(".tl button")].find(b => b.textContent === "Sums").click()`))
		p.until(`document.body.innerText.includes("spans by duration")`)
		p.picture("view-timeline.png", 1200, 577, nil)
	})
	t.Run("game", func(t *testing.T) {
		build := exec.Command("go", "build", "-o", bin, "./examples/view")
		build.Dir = "../.."
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		server, fragment := served(t, exec.Command(filepath.Join(bin, "view"), "-listen", "127.0.0.1:0", "-counters", "200"))
		p := open(t, server, fragment+"&tab=counters&c.show="+url.QueryEscape("ema sma spikes high"))
		p.until(`Number(/frame (\d+)/.exec(document.querySelector(".where").textContent)?.[1]) > 800`)
		p.picture("view-counters.png", 1200, 917, nil)
		p.do(chromedp.KeyEvent("3"))
		p.until(`document.querySelectorAll(".memory .tree .row").length > 5 && document.querySelectorAll(".memory .panel .row").length > 3`)
		if *writePictures {
			eval[bool](p, `new Promise(done => setTimeout(() => done(true), 15_000))`) // the graph gets one sample per second
		}
		p.picture("view-memory.png", 1200, 617, nil)
	})
}

// work makes changes for the second cook: better quality for some images, an edited script, and a
// mistake.
func work(t *testing.T, dir string) {
	t.Helper()
	for name, text := range map[string]string{
		"cook.toml":        "[project]\nengine = \"own\"\n[[rule]]\nmatch = [\"textures/terrain/\", \"textures/props/\"]\nquality = \"best\"\n[[rule]]\nmatch = \"*.ttf\"\nrecipe = \"font\"\nmissing = \"skip\"\ncontainer = \"png\"\n",
		"data/game.json":   "{\"laps\": }\n",
		"scripts/race.lua": "-- faster\n",
		"audio/theme.ogg":  "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12345\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, "assets", name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	p, _, err := cook.FindProject(filepath.Join(dir, "assets"))
	if err != nil {
		t.Fatal(err)
	}
	p.Dir, p.Out, p.Cache, p.Recipes = filepath.Join(dir, "assets"), filepath.Join(dir, "cooked"), filepath.Join(dir, "store"), recipes.All()
	cook.Cook(t.Context(), p, cook.CookOptions{}) // the run fails because of the mistake
}

// command runs a program. It accepts exit status 1, which means that an asset failed.
func command(t *testing.T, dir, program string, args ...string) {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil && cmd.ProcessState.ExitCode() != 1 {
		t.Fatalf("%v: %s", err, out)
	}
}

// served starts a program that prints the URL of its page, and returns the URL without its
// fragment, and the fragment.
func served(t *testing.T, cmd *exec.Cmd) (server, fragment string) {
	t.Helper()
	_, stdout := start(t, cmd)
	t.Cleanup(func() {
		cmd.Process.Signal(os.Interrupt)
		cmd.Wait()
	})
	line, err := stdout.ReadString('\n')
	server, fragment, found := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "view: "), "/#")
	if !found {
		t.Fatalf("the program printed %q: %v", line, err)
	}
	go io.Copy(io.Discard, stdout)
	return server, "#" + fragment
}

// badFormat matches the text that package fmt prints for an argument of the wrong type.
var badFormat = regexp.MustCompile(`%!.?\(([a-z]\S*=|nil|EXTRA|NOVERB|BAD)`)

func pictureReport(t *testing.T, bin, dir string) {
	command(t, dir, filepath.Join(bin, "cook"), "report", "-dir", "assets", "-out", "cooked", "-o", "r.html")
	text, err := os.ReadFile(filepath.Join(dir, "r.html"))
	if err != nil {
		t.Fatal(err)
	}
	if bad := badFormat.Find(text); bad != nil {
		t.Errorf("the report contains %q", bad)
	}
	text = bytes.ReplaceAll(text, []byte(dir), []byte("/game"))
	text = bytes.Replace(text, []byte("<body "), []byte("<body data-ready=true "), 1)
	p := browse(t, http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.URL.Path != "/" {
			w.WriteHeader(http.StatusNoContent)
			return
		}
		w.Write(text)
	}), "")
	if tiles := eval[int](p, `[...document.querySelectorAll(".thumbs li")].filter(e => / dB$/.test(e.textContent)).length`); tiles < 10 {
		t.Errorf("%d texture tiles show a loss, want at least 10", tiles)
	}
	p.picture("report.png", 900, 930, nil)
	p.do(chromedp.Evaluate[chromedp.Void](`document.getElementById("where").scrollIntoView()`))
	p.picture("report-maps.png", 900, 1050, nil)
}

// pictureKinds combines the inspectors of three kinds of assets in one screenshot, side by side.
func pictureKinds(t *testing.T, server, fragment string) {
	const width, height = 600, 480
	all := image.NewRGBA(image.Rect(0, 0, 3*width, height))
	for i, asset := range []struct{ kind, path string }{{"mesh", "models/kart.gltf"}, {"sound", "audio/finish_fanfare.wav"}, {"font", "fonts/pebble.ttf"}} {
		p := open(t, server, fragment+"&tab=assets&a.asset="+url.QueryEscape(asset.path))
		p.until(`document.querySelector(".inspect.` + asset.kind + `")?.dataset.ready === "true"`)
		p.picture("", 2*width, height+80, func(m image.Image) {
			draw.Draw(all, image.Rect(i*width, 0, (i+1)*width, height), m, image.Pt(width, 35), draw.Src)
		})
	}
	writePicture(t, "view-kinds.png", all)
}

// picture takes a screenshot of the page in a window of the given size. It passes the screenshot to
// the function use. If use is nil, it writes the screenshot to a file.
func (p *page) picture(name string, width, height int64, use func(image.Image)) {
	p.t.Helper()
	p.do(chromedp.EmulateViewport(width, height))
	wait := 0
	if *writePictures {
		wait = 1500 // time until the charts are complete
	}
	eval[bool](p, fmt.Sprintf(`new Promise(done => setTimeout(() => requestAnimationFrame(() => done(true)), %d))`, wait))
	if text := eval[string](p, `document.body.innerText`); badFormat.MatchString(text) {
		p.t.Errorf("the page of %s contains %q", name, badFormat.FindString(text))
	}
	data, err := chromedp.Run(p.ctx, chromedp.CaptureScreenshot())
	if err != nil {
		p.t.Fatal(err)
	}
	m, err := png.Decode(bytes.NewReader(data))
	if err != nil || m.Bounds().Dx() != int(width) {
		p.t.Fatalf("a screenshot of %v: %v", m.Bounds(), err)
	}
	if use != nil {
		use(m)
	} else {
		writePicture(p.t, name, m)
	}
}

func writePicture(t *testing.T, name string, m image.Image) {
	t.Helper()
	if !*writePictures {
		return
	}
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, m); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join("../../docs", name), b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}
