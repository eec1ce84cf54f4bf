package browser

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// three.js and Babylon.js must show instances as they show the nodes that the instances replace.
func TestEnginesShowInstances(t *testing.T) {
	if !installed() {
		t.Skip("no Chromium: proof/browser/run.sh installs it")
	}
	dir := t.TempDir()
	linkPackages(t, dir)
	if err := os.CopyFS(filepath.Join(dir, "engines"), os.DirFS("engines")); err != nil {
		t.Fatal(err)
	}
	rule := "[[rule]]\nmatch = \"*.gltf\"\nprune = true\n"
	for name, text := range map[string]string{
		"nodes": rule, "instances": rule + "instances = 2\n", "packed": rule + "instances = 2\ncompression = \"meshopt\"\n",
	} {
		assets := filepath.Join(dir, name)
		if err := os.Mkdir(assets, 0o777); err != nil {
			t.Fatal(err)
		}
		for file, data := range map[string][]byte{"cook.toml": []byte(text), "field.gltf": field(300)} {
			if err := os.WriteFile(filepath.Join(assets, file), data, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		cook := exec.Command(filepath.Join(binaries(t), "cook"), "-dir", name, "-engine", "own", "-out", "cooked/"+name, "-j", "1")
		cook.Dir = dir
		if out, err := cook.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	files := http.FileServer(http.Dir(dir))
	for _, tc := range []struct {
		engine, page string
		models       []string
	}{
		{"three", threeInstances, []string{"instances", "packed"}},
		{"babylon", babylonInstances, []string{"instances"}}, // Babylon.js downloads the decoder for packed models
	} {
		t.Run(tc.engine, func(t *testing.T) {
			p := browse(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch r.URL.Path {
				case "/":
					fmt.Fprint(w, instancesPage+tc.page+instancesEnd)
				case "/favicon.ico":
					w.WriteHeader(http.StatusNoContent)
				default:
					files.ServeHTTP(w, r)
				}
			}), "")
			p.forgive("GPU stall")
			for _, name := range tc.models {
				var have struct{ Calls, Covered, Different float64 }
				text := eval[string](p, fmt.Sprintf(`compare("/cooked/nodes/field.glb", "/cooked/%s/field.glb")`, name))
				if err := json.Unmarshal([]byte(text), &have); err != nil {
					t.Fatal(err)
				}
				t.Logf("%s: %+v", name, have)
				if have.Calls != 1 || have.Covered < 0.1 || have.Different > 0.002 {
					t.Errorf("%s: %v draw calls, want 1; %v of the pixels are covered, %v differ", name, have.Calls, have.Covered, have.Different)
				}
			}
		})
	}
}

// field returns a model of cubes in a spiral. Each cube has a different turn and scale.
func field(cubes int) []byte {
	var data []byte
	for i := range 8 {
		for axis := range 3 {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32(i>>axis&1)))
		}
	}
	for _, corner := range []uint16{0, 2, 1, 1, 2, 3, 4, 5, 6, 5, 7, 6, 0, 1, 4, 1, 5, 4, 2, 6, 3, 3, 6, 7, 0, 4, 2, 2, 4, 6, 1, 3, 5, 3, 7, 5} {
		data = binary.LittleEndian.AppendUint16(data, corner)
	}
	nodes, roots := make([]string, cubes), make([]string, cubes)
	for i := range nodes {
		a := float64(i) / 3
		turn := a * 0.7
		nodes[i] = fmt.Sprintf(`{"mesh":0,"translation":[%f,%f,%f],"rotation":[0,%.9f,0,%.9f],"scale":[%f,%f,1]}`,
			math.Sqrt(a)*math.Cos(a), float64(i%7)/7, math.Sqrt(a)*math.Sin(a), math.Sin(turn), math.Cos(turn), 0.3+float64(i%5)/8, 0.3+float64(i%3)/4)
		roots[i] = fmt.Sprint(i)
	}
	return fmt.Appendf(nil, `{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[%s]}],"nodes":[%s],
		"meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1,"material":0}]}],"materials":[{"pbrMetallicRoughness":{"metallicFactor":0}}],
		"accessors":[{"bufferView":0,"componentType":5126,"count":8,"type":"VEC3","min":[0,0,0],"max":[1,1,1]},{"bufferView":1,"componentType":5123,"count":36,"type":"SCALAR"}],
		"bufferViews":[{"buffer":0,"byteLength":96},{"buffer":0,"byteOffset":96,"byteLength":72}],
		"buffers":[{"byteLength":168,"uri":"data:application/octet-stream;base64,%s"}]}`,
		strings.Join(roots, ","), strings.Join(nodes, ","), base64.StdEncoding.EncodeToString(data))
}

const instancesPage = `<!doctype html><meta charset="utf-8"><body>
<script type="importmap">{"imports":{"three":"/npm/node_modules/three/build/three.module.js","@babylonjs/core":"/engines/babylon-module.js"}}</script>
<script type="module">
const size = 512;
`

// In these pages, draw returns the pixels of a model and the number of draw calls.
const threeInstances = `
import * as THREE from "three";
import { GLTFLoader } from "/npm/node_modules/three/examples/jsm/loaders/GLTFLoader.js";
import { MeshoptDecoder } from "/npm/node_modules/three/examples/jsm/libs/meshopt_decoder.module.js";
const renderer = new THREE.WebGLRenderer({ antialias: false, alpha: true });
renderer.setSize(size, size, false);
const target = new THREE.WebGLRenderTarget(size, size);
const eye = new THREE.OrthographicCamera(-12, 12, 12, -12, 0.1, 100);
eye.position.set(20, 25, 30);
eye.lookAt(0, 0, 0);
const light = new THREE.DirectionalLight(0xffffff, 2);
light.position.set(1, 3, 2);
const draw = async url => {
	const scene = new THREE.Scene();
	scene.add(light, (await new GLTFLoader().setMeshoptDecoder(MeshoptDecoder).loadAsync(url)).scene);
	renderer.setRenderTarget(target);
	renderer.setClearAlpha(0);
	renderer.clear();
	renderer.render(scene, eye);
	const data = new Uint8Array(4 * size * size);
	renderer.readRenderTargetPixels(target, 0, 0, size, size, data);
	return { data, calls: renderer.info.render.calls };
};
`

const babylonInstances = `
import * as module from "@babylonjs/core";
const BABYLON = window.BABYLON;
const canvas = document.createElement("canvas");
canvas.width = canvas.height = size;
const engine = new BABYLON.Engine(canvas, false, { preserveDrawingBuffer: true });
const draw = async url => {
	const scene = new BABYLON.Scene(engine);
	scene.clearColor = new BABYLON.Color4(0, 0, 0, 0);
	const eye = new BABYLON.FreeCamera("eye", new BABYLON.Vector3(20, 25, 30), scene);
	eye.setTarget(BABYLON.Vector3.Zero());
	eye.mode = BABYLON.Camera.ORTHOGRAPHIC_CAMERA;
	[eye.orthoLeft, eye.orthoRight, eye.orthoBottom, eye.orthoTop] = [-12, 12, -12, 12];
	new BABYLON.DirectionalLight("light", new BABYLON.Vector3(-1, -3, -2), scene).intensity = 2;
	(await BABYLON.LoadAssetContainerAsync(url, scene)).addAllToScene();
	await scene.whenReadyAsync();
	const calls = new BABYLON.SceneInstrumentation(scene).drawCallsCounter;
	scene.render();
	const data = new Uint8Array((await engine.readPixels(0, 0, size, size)).buffer);
	const drawn = calls.current;
	scene.dispose();
	return { data, calls: drawn };
};
`

const instancesEnd = `
// compare counts the draw calls of the second model, and the shares of pixels that the first model
// covers and that differ.
window.compare = async (first, second) => {
	const want = await draw(first), have = await draw(second), a = want.data, b = have.data;
	let covered = 0, different = 0;
	for (let i = 0; i < a.length; i += 4) {
		if (a[i + 3] > 0) covered++;
		if ([0, 1, 2, 3].some(k => Math.abs(a[i + k] - b[i + k]) > 4)) different++;
	}
	return JSON.stringify({ Calls: have.calls, Covered: covered / size / size, Different: different / size / size });
};
document.body.dataset.ready = true;
</script>`
