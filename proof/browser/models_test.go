package browser

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// With gpu = "web" as the only option for images, three.js loads the textures of all models in the
// sample project. Without the option, it cannot load any texture that is in a separate file.
func TestThreeLoadsTexturesCookedForWeb(t *testing.T) {
	if !installed() {
		t.Skip("no Chromium: proof/browser/run.sh installs it")
	}
	dir := t.TempDir()
	linkPackages(t, dir)
	rules := map[string]string{
		"web":     "[[rule]]\nmatch = \"*.{png,jpg,tga}\"\ngpu = \"web\"\nquality = \"fast\"\n",
		"desktop": "[[rule]]\nmatch = \"*.{png,jpg,tga}\"\nquality = \"fast\"\n",
	}
	var models []string
	for name, text := range rules {
		assets := filepath.Join(dir, name)
		for _, folder := range []string{"models", "textures"} {
			if err := os.CopyFS(filepath.Join(assets, folder), os.DirFS("../../testdata/assets/"+folder)); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(filepath.Join(assets, "cook.toml"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		cook := exec.Command(filepath.Join(binaries(t), "cook"), "-dir", name, "-engine", "own", "-out", "cooked/"+name, "-j", "1")
		cook.Dir = dir
		if out, err := cook.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	err := fs.WalkDir(os.DirFS(filepath.Join(dir, "cooked/web")), ".", func(path string, _ fs.DirEntry, err error) error {
		if filepath.Ext(path) == ".glb" {
			models = append(models, path)
		}
		return err
	})
	if err != nil || len(models) < 5 {
		t.Fatal(models, err)
	}
	files := http.FileServer(http.Dir(dir))
	p := browse(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			fmt.Fprint(w, modelsPage)
		case "/favicon.ico":
			w.WriteHeader(http.StatusNoContent)
		default:
			files.ServeHTTP(w, r)
		}
	}), "")
	list, err := json.Marshal(models)
	if err != nil {
		t.Fatal(err)
	}
	count := func(tree string) (have struct{ Textures, Compressed, Failed int }) {
		if err := json.Unmarshal([]byte(eval[string](p, fmt.Sprintf(`load(%q, %s)`, "/cooked/"+tree+"/", list))), &have); err != nil {
			t.Fatal(err)
		}
		return have
	}
	web := count("web")
	if web.Textures < 5 || web.Compressed < 5 || web.Failed > 0 {
		t.Errorf("web: %+v", web)
	}
	if desktop := count("desktop"); desktop.Compressed > 0 || desktop.Failed == 0 {
		t.Errorf("desktop: %+v, want only failures", desktop)
	}
	for _, known := range []string{"GPU stall", "Couldn't load texture", "404", "Failed to load"} {
		p.forgive(known) // these faults are expected for the desktop models
	}
}

const modelsPage = `<!doctype html><meta charset="utf-8"><body>
<script type="importmap">{"imports":{"three":"/npm/node_modules/three/build/three.module.js"}}</script>
<script type="module">
import * as THREE from "three";
import { GLTFLoader } from "/npm/node_modules/three/examples/jsm/loaders/GLTFLoader.js";
import { KTX2Loader } from "/npm/node_modules/three/examples/jsm/loaders/KTX2Loader.js";
const ktx2 = new KTX2Loader().setTranscoderPath("/npm/node_modules/three/examples/jsm/libs/basis/")
	.detectSupport(new THREE.WebGLRenderer());

// load loads the models of a tree. It counts the textures that three.js created, how many of them
// are compressed, and the textures that failed to load.
window.load = async (tree, models) => {
	const counts = { Textures: 0, Compressed: 0, Failed: 0 };
	for (const name of models) {
		const gltf = await new GLTFLoader().setKTX2Loader(ktx2).loadAsync(tree + name);
		const named = (gltf.parser.json.textures ?? []).map((_, i) => gltf.parser.getDependency("texture", i).catch(() => null));
		for (const texture of await Promise.all(named)) {
			if (!texture) {
				counts.Failed++;
				continue;
			}
			counts.Textures++;
			if (texture.isCompressedTexture && texture.mipmaps.length > 0) counts.Compressed++;
		}
	}
	return JSON.stringify(counts);
};
document.body.dataset.ready = true;
</script>`
