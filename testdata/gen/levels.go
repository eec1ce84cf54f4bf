package main

import "encoding/json"

// circuit is a race track: a circle with bumps.
type circuit struct {
	file, title string
	laps        int
	gravity     string // metres per second squared
	sky, ground string
	radius      int // centimetres
	bumps       []undulation
	pickups     int
	props       int
	seed        uint32
}

// undulation adds a sine with the given number of waves round the track to the radius.
type undulation struct {
	waves, height int // height in centimetres
	phase         turn
}

// loopExtent bounds a track: it lies within this many centimetres of the middle.
const loopExtent = 10000

var levels = []circuit{
	{file: "gravel_garden", title: "level.gravel_garden", laps: 3, gravity: "9.81",
		sky: "textures/sky/day.jpg", ground: "textures/terrain/pebbles.png",
		radius: 6200, bumps: []undulation{{2, 1100, 0}, {3, 900, 9000}, {5, 380, 30000}}, pickups: 18, props: 40, seed: 131},
	{file: "crater_loop", title: "level.crater_loop", laps: 4, gravity: "3.7",
		sky: "textures/sky/nebula.tiff", ground: "textures/terrain/sand.bmp",
		radius: 6600, bumps: []undulation{{2, 900, 21000}, {4, 1000, 4000}, {7, 260, 0}}, pickups: 24, props: 26, seed: 132},
	{file: "ring_road", title: "level.ring_road", laps: 5, gravity: "0.27",
		sky: "textures/sky/planet.png", ground: "textures/terrain/asphalt.tga",
		radius: 8200, bumps: []undulation{{3, 600, 50000}, {9, 180, 12000}}, pickups: 30, props: 12, seed: 133},
}

// loopPoint returns the place of step i of steps round the track, in
// centimetres from the middle.
func loopPoint(c circuit, i, steps int) (x, y int) {
	a := turn(int64(i) * int64(fullTurn) / int64(steps))
	r := c.radius
	for _, b := range c.bumps {
		r += scale(b.height, sine(a*turn(b.waves)+b.phase))
	}
	return scale(r, cosine(a)), scale(r, sine(a))
}

// The JSON form of a level; lengths are in metres.
type (
	levelFile struct {
		Title     string         `json:"title"`
		Laps      int            `json:"laps"`
		Gravity   json.Number    `json:"gravity"`
		Sky       string         `json:"sky"`
		Ground    string         `json:"ground"`
		HeightMap string         `json:"heightMap"`
		Length    json.Number    `json:"length"`
		Waypoints []levelPoint   `json:"waypoints"`
		Pickups   []levelPickup  `json:"pickups"`
		Props     []levelProp    `json:"props"`
		Start     []levelStart   `json:"start"`
		Checks    map[string]int `json:"checkpoints"`
	}
	levelPoint struct {
		At    [3]json.Number `json:"at"`
		Width json.Number    `json:"width"`
		Bank  json.Number    `json:"bank"`
	}
	levelPickup struct {
		Item string         `json:"item"`
		At   [3]json.Number `json:"at"`
	}
	levelProp struct {
		Model string         `json:"model"`
		At    [3]json.Number `json:"at"`
		Yaw   int            `json:"yaw"`
	}
	levelStart struct {
		Slot int            `json:"slot"`
		At   [3]json.Number `json:"at"`
	}
)

// addLevels adds one JSON file per track.
func addLevels(t *tree) {
	for _, c := range levels {
		t.addJSON("data/levels/"+c.file+".json", c.build())
	}
}

// at is a place on the ground, in metres.
func (c circuit) at(x, y int) [3]json.Number {
	z := craterHeight((x+loopExtent)*256/(2*loopExtent), (y+loopExtent)*256/(2*loopExtent)) * 2000 / 65536
	return [3]json.Number{hundredths(x), hundredths(z), hundredths(y)}
}

// hundredths is v/100 as a JSON number.
func hundredths(v int) json.Number { return json.Number(thousandths(v * 10)) }

func (c circuit) build() levelFile {
	const steps = 96
	f := levelFile{Title: c.title, Laps: c.laps, Gravity: json.Number(c.gravity), Sky: c.sky, Ground: c.ground,
		HeightMap: "textures/terrain/height.png",
		Checks:    map[string]int{"start": 0, "first": steps / 4, "half": steps / 2, "last": steps * 3 / 4}}
	length := 0
	for i := range steps {
		x, y := loopPoint(c, i, steps)
		nx, ny := loopPoint(c, i+1, steps)
		length += root(int64(nx-x)*int64(nx-x) + int64(ny-y)*int64(ny-y))
		f.Waypoints = append(f.Waypoints, levelPoint{
			At:    c.at(x, y),
			Width: hundredths(900 + pick(i/8, 0, c.seed, 400)),
			Bank:  hundredths(pick(i/4, 1, c.seed, 1600) - 800),
		})
	}
	f.Length = hundredths(length)
	items := [...]string{"coin", "coin", "coin", "turbo_moss", "gravel_spray", "magnet"}
	for i := range c.pickups {
		x, y := loopPoint(c, i, c.pickups)
		f.Pickups = append(f.Pickups, levelPickup{items[pick(i, 2, c.seed, len(items))], c.at(x+pick(i, 3, c.seed, 500)-250, y)})
	}
	models := [...]string{"models/cone.gltf", "models/crate.gltf", "models/barrier.obj", "models/pebble.glb"}
	for i := range c.props {
		x, y := loopPoint(c, i, c.props)
		out := 65536 + 7000 - pick(i, 4, c.seed, 2)*14000 // beside the road, inside or outside
		f.Props = append(f.Props, levelProp{models[pick(i, 5, c.seed, len(models))], c.at(scale(x, out), scale(y, out)), pick(i, 6, c.seed, 360)})
	}
	for slot := range 8 {
		x, y := loopPoint(c, -1-slot, 400)
		f.Start = append(f.Start, levelStart{slot + 1, c.at(x+(slot%2*2-1)*200, y)})
	}
	return f
}
