package main

import (
	"encoding/json"
	"fmt"
	"strings"
)

// addData adds the tables and settings of the game; settings.go has those that are
// not JSON.
func addData(t *tree) {
	const dir = "data/"
	t.addText(dir+"game.json", gameJSON)
	t.addText(dir+"items.json", itemsJSON)
	t.addText(dir+"tuning/constants.json", constantsJSON)
	t.addText(dir+"tuning/physics/surfaces.json", surfacesJSON)
	t.addText(dir+"tuning/physics/empty.json", "{}\n")
	t.addText(dir+"tuning/weather.yaml", weatherYAML)
	t.addText(dir+"controls.jsonc", controlsJSONC)
	t.addText(dir+"season.toml", seasonTOML)
	t.addText(dir+"schemas/karts.json", kartsSchema)
	t.addText(dir+"karts.csv", kartsCSV)
	t.addText(dir+"lap_targets.csv", lapTargets())
	t.addText(dir+"particles.xml", particlesXML)
	t.addJSON(dir+"ghosts/crater_loop.json", ghostLap(levels[1]))
}

const gameJSON = `{
    "title":   "Pebble Grand Prix",
    "version": [ 0, 3, 0 ],
    "window":  { "width": 1280, "height": 720, "fullscreen": false, "vsync": true },
    "firstLevel": "data/levels/gravel_garden.json",
    "levels": [
        "data/levels/gravel_garden.json",
        "data/levels/crater_loop.json",
        "data/levels/ring_road.json"
    ],
    "fonts":   { "hud": "fonts/pebble.fnt" },
    "audio":   { "master": 0.8, "music": 0.5, "effects": 1.0 },
    "keys":    { "left": "A", "right": "D", "gas": "W", "brake": "S", "item": "Space", "pause": "\u001b" },
    "debug":   null
}
`

const itemsJSON = `[
    { "id": "coin",         "icon": "textures/ui/trophy.webp", "weight": 30, "effect": { "kind": "score", "amount": 1 } },
    { "id": "turbo_moss",   "icon": "textures/foliage/leaf.png", "weight": 12, "effect": { "kind": "speed", "factor": 1.35, "seconds": 2.5 } },
    { "id": "gravel_spray", "icon": "textures/terrain/pebbles.png", "weight": 10, "effect": { "kind": "slow", "factor": 0.6, "seconds": 1.75, "arc": 40 } },
    { "id": "magnet",       "icon": "textures/ui/radar.bmp", "weight": 6, "effect": { "kind": "pull", "radius": 12.0, "seconds": 4 } },
    { "id": "fern_shield",  "icon": "textures/foliage/fern.webp", "weight": 4, "effect": { "kind": "shield", "hits": 1 } }
]
`

// constantsJSON holds numbers that do not survive a float64 or an int64. A tool
// that rewrites JSON has to keep their digits.
const constantsJSON = `{
  "comment": "numbers here must keep every digit: the replay format hashes their text",
  "tickSeconds": 0.016666666666666666666666666666667,
  "epsilon": 0.1000000000000000055,
  "seed": 12345678901234567890,
  "worldSeed": 340282366920938463463374607431768211456,
  "unbounded": 1e400,
  "smallest": 5e-324,
  "vanishing": 2.5E-400,
  "minusZero": -0,
  "minusZeroPoint": -0.0,
  "trailing": 1.50,
  "integerAsFloat": 100.0,
  "exponent": 1E+2,
  "largestExact": 9007199254740993,
  "text": "slash \/ quote \" tab \t nul \u0000 clef \ud834\udd1e line\u2028end </script> & <b>"
}
`

const surfacesJSON = `{
  "surfaces": {
    "asphalt": { "grip": 1.0,  "drag": 0.02, "sound": "audio/engine_loop.wav", "mark": "textures/props/decal.tga" },
    "pebbles": { "grip": 0.72, "drag": 0.11, "sound": "audio/bump.wav",        "mark": null },
    "sand":    { "grip": 0.55, "drag": 0.24, "sound": "audio/skid.wav",        "mark": "textures/props/decal.tga" },
    "grass":   { "grip": 0.6,  "drag": 0.18, "sound": "audio/skid.wav",        "mark": null }
  },
  "default": "asphalt",
  "blend": [ [ 1, 0, 0, 0 ], [ 0, 1, 0, 0 ], [ 0, 0, 1, 0 ], [ 0, 0, 0, 1 ] ]
}
`

const kartsCSV = `id,name,model,texture,top_speed_kmh,acceleration,grip,notes
granite,Granite,models/kart.gltf,textures/kart/body.png,142,0.62,0.90,"heavy, steady"
basalt,Basalt,models/kart.gltf,textures/kart/body_blue.png,150,0.55,0.82,"fast on the straight,
slow out of corners"
pumice,Pumice,models/kart.gltf,textures/kart/body.png,128,0.91,0.74,"light; floats on ""Ring Road"""
quartz,Quartz,models/kart.gltf,textures/kart/body_blue.png,136,0.77,0.85,
`

const particlesXML = `<?xml version="1.0" encoding="UTF-8"?>
<!-- Pebble Grand Prix: what flies about -->
<particles>
  <emitter id="dust" max="200" rate="45.5">
    <texture src="textures/ui/shadow.png" blend="alpha"/>
    <life from="0.4" to="1.1"/>
    <size from="0.1" to="0.9"/>
    <colour><key at="0" rgba="c8b48cff"/><key at="1" rgba="c8b48c00"/></colour>
  </emitter>
  <emitter id="sparks" max="60" rate="0">
    <texture src="textures/ui/white.png" blend="add"/>
    <life from="0.2" to="0.5"/>
    <gravity y="-3.7"/>
  </emitter>
  <emitter id="leaves" max="24" rate="1.5">
    <texture src="textures/foliage/leaf.png" blend="cutout"/>
    <note><![CDATA[only where grip < 0.7 & wind > 2]]></note>
  </emitter>
</particles>
`

// lapTargets is a table of medal times with Windows line ends, as spreadsheets
// save it.
func lapTargets() string {
	var b strings.Builder
	b.WriteString("level,kart,gold,silver,bronze\r\n")
	for i, c := range levels {
		for k, id := range []string{"granite", "basalt", "pumice", "quartz"} {
			gold := 38000 + i*9500 + pick(i, k, 141, 4000)
			fmt.Fprintf(&b, "%s,%s,%s,%s,%s\r\n", c.file, id, thousandths(gold), thousandths(gold*108/100), thousandths(gold*125/100))
		}
	}
	return b.String()
}

// ghost is a recorded lap: a sample of the kart every tenth of a second.
type ghost struct {
	Level   string        `json:"level"`
	Kart    string        `json:"kart"`
	Time    json.Number   `json:"time"`
	Samples []ghostSample `json:"samples"`
}

type ghostSample struct {
	T     json.Number    `json:"t"`
	At    [3]json.Number `json:"at"`
	Speed json.Number    `json:"speed"`
	Drift bool           `json:"drift"`
}

func ghostLap(c circuit) ghost {
	const samples = 420
	g := ghost{Level: c.file, Kart: "quartz", Time: json.Number(thousandths(samples * 100))}
	for i := range samples {
		x, y := loopPoint(c, i, samples)
		nx, ny := loopPoint(c, i+1, samples)
		step := root(int64(nx-x)*int64(nx-x) + int64(ny-y)*int64(ny-y)) // centimetres in a tenth of a second
		g.Samples = append(g.Samples, ghostSample{json.Number(thousandths(i * 100)), c.at(x, y), hundredths(step * 10), step < 96})
	}
	return g
}
