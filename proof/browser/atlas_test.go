package browser

import (
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// Sprites that PixiJS and Phaser load from a cooked atlas look like their source images. The
// sprites are trimmed, on several pages or, for PixiJS, rotated.
func TestSpritesLookLikeSourcesInEngines(t *testing.T) {
	if !installed() {
		t.Skip("no Chromium: proof/browser/run.sh installs it")
	}
	dir := t.TempDir()
	linkPackages(t, dir)
	var names []string
	r := rand.New(rand.NewPCG(1, 2))
	for i := range 40 {
		name := fmt.Sprintf("s/%02d.png", i)
		names = append(names, name)
		sprite(t, filepath.Join(dir, "assets", name), r)
	}
	for name, text := range map[string]string{
		"one.sprites": "s/\n", "two.sprites": "s/\n", "plain.sprites": "s/\n", "many.sprites": "s/\n",
		"cook.toml": `
[[rule]]
match = ["one.sprites", "two.sprites"]
rotate = true
[[rule]]
match = ["two.sprites", "many.sprites"]
pages = 2
max_size = 128
[[rule]]
match = "many.sprites"
data = "multiatlas"
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
	list, err := json.Marshal(names)
	if err != nil {
		t.Fatal(err)
	}
	turned := 0
	for _, file := range []string{"one.json", "two.json", "two-1.json"} {
		turned += countTurned(t, filepath.Join(dir, "cooked", file))
	}
	if turned < 5 {
		t.Fatalf("%d sprites are rotated, want at least 5", turned)
	}

	files := http.FileServer(http.Dir(dir))
	p := browse(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			fmt.Fprintf(w, atlasPage, list)
		case "/favicon.ico":
			w.WriteHeader(http.StatusNoContent)
		default:
			files.ServeHTTP(w, r)
		}
	}), "")
	for engine, call := range map[string]string{
		"PixiJS":                   `pixi("/cooked/one.json")`,
		"PixiJS, two pages":        `pixi("/cooked/two.json")`,
		"Phaser":                   `phaser(s => s.load.atlas("ui", "/cooked/plain.png", "/cooked/plain.json"))`,
		"Phaser, two pages":        `phaser(s => s.load.multiatlas("ui", "/cooked/many.json", "/cooked/"))`,
		"the pictures, themselves": `picture()`,
	} {
		if wrong := eval[string](p, call+`.then(compare)`); wrong != "" {
			t.Errorf("%s: %s", engine, wrong)
		}
	}
	p.forgive("GPU stall") // reading back pixels is slow
}

// sprite writes an image of random opaque pixels within a transparent border.
func sprite(t *testing.T, file string, r *rand.Rand) {
	t.Helper()
	w, h := 8+r.IntN(32), 8+r.IntN(32)
	m := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := r.IntN(6); y < h-r.IntN(6); y++ {
		for x := r.IntN(6); x < w-r.IntN(3); x++ {
			m.SetNRGBA(x, y, color.NRGBA{uint8(r.IntN(256)), uint8(r.IntN(256)), uint8(r.IntN(256)), 255})
		}
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := png.Encode(f, m); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
}

func countTurned(t *testing.T, file string) (n int) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var d struct {
		Frames map[string]struct{ Rotated bool }
	}
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	for _, f := range d.Frames {
		if f.Rotated {
			n++
		}
	}
	return n
}

// atlasPage is a page that draws sprites in rows with each engine. Its function compare returns a
// description of the wrong pixels.
const atlasPage = `<!DOCTYPE html><body><script src="/npm/node_modules/pixi.js/dist/pixi.min.js"></script>
<script src="/npm/node_modules/phaser/dist/phaser.min.js"></script><script>
"use strict";
const names = %s, columns = 8, cell = 48, width = columns * cell, height = Math.ceil(names.length / columns) * cell;
const at = i => [i %% columns * cell, Math.floor(i / columns) * cell];
const canvas = () => {
	const c = document.createElement("canvas");
	[c.width, c.height] = [width, height];
	return c.getContext("2d", {willReadFrequently: true});
};
async function picture() {
	const c = canvas();
	for (const [i, name] of names.entries()) {
		const m = new Image();
		m.src = "/assets/" + name;
		await m.decode();
		c.drawImage(m, ...at(i));
	}
	return c.getImageData(0, 0, width, height).data;
}
async function pixi(url) {
	const app = new PIXI.Application();
	await app.init({width, height, backgroundAlpha: 0, preference: "webgl", antialias: false});
	PIXI.TextureSource.defaultOptions.scaleMode = "nearest";
	await PIXI.Assets.load(url);
	for (const [i, name] of names.entries()) {
		const s = new PIXI.Sprite(PIXI.Texture.from(name));
		s.position.set(...at(i));
		app.stage.addChild(s);
	}
	app.render();
	const {pixels} = app.renderer.extract.pixels({target: app.stage, frame: new PIXI.Rectangle(0, 0, width, height)});
	await PIXI.Assets.unload(url);
	app.destroy(true);
	return pixels;
}
const phaser = load => new Promise(done => new Phaser.Game({
	type: Phaser.WEBGL, width, height, transparent: true, pixelArt: true, banner: false, audio: {noAudio: true},
	scene: {
		preload() { load(this); },
		create() {
			for (const [i, name] of names.entries()) {
				this.add.image(...at(i), "ui", name).setOrigin(0);
			}
			this.game.events.once("postrender", () => {
				const c = canvas();
				c.drawImage(this.game.canvas, 0, 0);
				this.game.destroy(true);
				done(c.getImageData(0, 0, width, height).data);
			});
		},
	},
}));
async function compare(got) {
	const want = await picture(), wrong = new Set();
	let seen = 0;
	for (let i = 0; i < want.length; i++) {
		const p = i >> 2;
		seen += want[i] > 0;
		if (Math.abs(want[i] - got[i]) > 1) {
			wrong.add(names[Math.floor(p / width / cell) * columns + Math.floor(p %% width / cell)]);
		}
	}
	return seen == 0 ? "the pictures are empty" : [...wrong].join(" ");
}
document.body.dataset.ready = "true";
</script>`
