package browser

import (
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// howler.js uses the JSON to find each sound in a joined file, and the decoded samples there equal
// the source. With a three-channel font, PixiJS draws text as the browser does.
func TestSoundsAndFontsMatchSourcesInEngines(t *testing.T) {
	if !installed() {
		t.Skip("no Chromium: proof/browser/run.sh installs it")
	}
	dir := t.TempDir()
	linkPackages(t, dir)
	for _, folder := range []string{"audio", "fonts"} {
		if err := os.CopyFS(filepath.Join(dir, "assets", folder), os.DirFS("../../testdata/assets/"+folder)); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{
		"small.sounds": "audio/\n", "exact.sounds": "audio/\n",
		"cook.toml": `
[[rule]]
match = "*.sounds"
loop = ["engine_*"]
[[rule]]
match = "exact.sounds"
format = "pcm"
[[rule]]
match = "fonts/*.ttf"
recipe = "font"
field = "msdf"
data = "bmfont"
container = "png"
missing = "skip"
`} {
		if err := os.WriteFile(filepath.Join(dir, "assets", name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cook := exec.Command(filepath.Join(binaries(t), "cook"), "-dir", "assets", "-strict")
	cook.Dir = dir
	if out, err := cook.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	files := http.FileServer(http.Dir(dir))
	p := browse(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			fmt.Fprint(w, playersPage)
		case "/favicon.ico":
			w.WriteHeader(http.StatusNoContent)
		default:
			files.ServeHTTP(w, r)
		}
	}), "")
	for what, call := range map[string]string{
		"Opus": `sounds("small.json", .7)`, "WAV": `sounds("exact.json", .99)`, "a font": `font("fonts/pebble.ttf.fnt")`,
	} {
		if wrong := eval[string](p, call); wrong != "" {
			t.Errorf("%s: %s", what, wrong)
		}
	}
	p.forgive("GPU stall")                    // reading back pixels is slow
	p.forgive("AudioContext was not allowed") // there is no click that would allow audio
}

// playersPage is a page whose functions return a description of the faults they find.
const playersPage = `<!DOCTYPE html><body><script src="/npm/node_modules/howler/dist/howler.min.js"></script>
<script src="/npm/node_modules/pixi.js/dist/pixi.min.js"></script><script>
"use strict";
async function decoded(url) {
	const buffer = await (await fetch(url)).arrayBuffer();
	return new OfflineAudioContext(2, 48000, 48000).decodeAudioData(buffer);
}
// likeness returns the correlation of channel b, starting at an offset, with channel a.
function likeness(a, b, from) {
	let both = 0, ofA = 0, ofB = 0;
	for (let i = 0; i < b.length; i++) {
		const x = a[from + i] ?? 0;
		both += x * b[i], ofA += x * x, ofB += b[i] * b[i];
	}
	return both / Math.sqrt(ofA * ofB);
}
async function sounds(name, least) {
	const json = await (await fetch("/cooked/" + name)).json(), wrong = [];
	json.src = json.src.map(s => "/cooked/" + s);
	const howl = await new Promise((done, fail) => {
		const h = new Howl({ ...json, onload: () => done(h), onloaderror: (_, e) => fail(new Error(e)) });
	});
	const whole = (await decoded(json.src[0])).getChannelData(0);
	for (const [key, [start, length, loop]] of Object.entries(json.sprite)) {
		const id = howl.play(key);
		if (Math.abs(howl.duration(id) - length / 1000) > 1e-6) wrong.push(key + " lasts " + howl.duration(id));
		if (howl.loop(id) !== !!loop) wrong.push(key + " loops: " + howl.loop(id));
		howl.stop(id);
		const source = (await decoded("/assets/audio/" + key + ".wav")).getChannelData(0), at = Math.round(start * 48);
		const like = likeness(whole, source, at);
		if (like < least) wrong.push(key + " correlates with its source by only " + like);
		for (const off of [-480, 480]) if (likeness(whole, source, at + off) > like) wrong.push(key + " is elsewhere");
	}
	if (Object.keys(json.sprite).length < 5) wrong.push("fewer than 5 sounds");
	return wrong.join("; ");
}
async function font(file) {
	const text = "Pebble 42", size = 96, width = 800, height = 160;
	const ink = data => {
		let sum = 0;
		for (let i = 3; i < data.length; i += 4) sum += data[i];
		return sum / 255;
	};
	const face = new FontFace("source", "url(/assets/fonts/pebble.ttf)");
	document.fonts.add(await face.load());
	const c = new OffscreenCanvas(width, height).getContext("2d");
	c.font = size + "px source";
	c.fillText(text, 20, 120);
	const want = ink(c.getImageData(0, 0, width, height).data);
	const app = new PIXI.Application();
	await app.init({ width, height, backgroundAlpha: 0, preference: "webgl" });
	const loaded = await PIXI.Assets.load("/cooked/" + file);
	if (loaded.distanceField?.type !== "msdf" || loaded.distanceField.range !== 8) return "its distances are " + JSON.stringify(loaded.distanceField);
	app.stage.addChild(new PIXI.BitmapText({ text, x: 20, y: 20, style: { fontFamily: loaded.fontFamily, fontSize: size, fill: "#000" } }));
	app.render();
	const { pixels } = app.renderer.extract.pixels({ target: app.stage, frame: new PIXI.Rectangle(0, 0, width, height) });
	const got = ink(pixels), measured = app.stage.children[0].width / c.measureText(text).width;
	app.destroy(true);
	if (want < 1000 || Math.abs(got / want - 1) > .05) return got + " pixels of ink, " + want + " by the browser";
	return Math.abs(measured - 1) > .1 ? "it is " + measured + " times as wide" : "";
}
document.body.dataset.ready = "true";
</script>`
