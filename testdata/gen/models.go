package main

import (
	"fmt"
	"image"
	"image/color"
	"strings"
)

// addModels adds every form in which a model comes: glTF with its buffer in a
// file and in a data URI, GLB, and OBJ with MTL.
func addModels(t *tree) {
	const dir = "models/"
	kart().addLinked(t, dir, "kart")
	cone().addLinked(t, dir, "cone")
	crate().addLinked(t, dir, "crate")
	coin().addEmbedded(t, dir, "coin")
	pebble().addBinary(t, dir, "pebble")
	addBarrier(t, dir)
}

// uvOf is a region of a 128 pixel texture in 1024ths, half a pixel smaller on
// each side so that the neighbours do not bleed in.
func uvOf(r image.Rectangle) image.Rectangle {
	return image.Rect(r.Min.X*8+4, r.Min.Y*8+4, r.Max.X*8-4, r.Max.Y*8-4)
}

// kart is a chassis of painted and of bare parts on four wheels that share a
// mesh.
func kart() *model {
	m := newModel("kart")
	body := m.material(gltfMaterial{Name: "paint",
		PBR: gltfPBR{Base: m.linked("../textures/kart/body.png"), Metallic: 0.5, Roughness: 0.75},
	})
	wear := m.linked("../textures/kart/body_orm.png")
	m.doc.Materials[body].PBR.Both, m.doc.Materials[body].AO = wear, wear
	rubber := m.material(gltfMaterial{Name: "tyre",
		PBR: gltfPBR{Base: m.linked("../textures/kart/tyre.png"), Roughness: 0.875},
	})

	painted := &mesh{}
	paint, plate, metal := uvOf(liveryPaint), uvOf(liveryPlate), uvOf(liveryMetal)
	painted.wedge(point{-280, 150, 250}, point{280, 400, 1000}, point{110, 0, 90}, paint) // nose
	painted.wedge(point{-460, 150, -560}, point{-300, 440, 380}, point{40, 0, 120}, paint)
	painted.wedge(point{300, 150, -560}, point{460, 440, 380}, point{40, 0, 120}, paint)
	painted.wedge(point{-220, 160, -620}, point{220, 800, -440}, point{40, 0, 30}, plate) // seat back
	painted.wedge(point{-470, 700, -900}, point{470, 760, -680}, point{0, 0, 20}, paint)  // wing
	bare := &mesh{}
	bare.wedge(point{-400, 90, -800}, point{400, 150, 820}, point{}, metal)            // floor
	bare.wedge(point{-260, 150, -880}, point{260, 470, -640}, point{30, 0, 30}, metal) // motor
	bare.wedge(point{-330, 470, -820}, point{-290, 700, -760}, point{}, metal)         // wing stays
	bare.wedge(point{290, 470, -820}, point{330, 700, -760}, point{}, metal)           //
	bare.wedge(point{-560, 196, 560}, point{560, 236, 600}, point{}, metal)            // axles
	bare.wedge(point{-560, 196, -640}, point{560, 236, -600}, point{}, metal)          //
	bare.wedge(point{-150, 480, 170}, point{150, 520, 210}, point{0, 0, 10}, metal)    // steering wheel
	bare.wedge(point{-20, 300, 180}, point{20, 480, 260}, point{0, 0, 0}, metal)       //
	wheel := &mesh{}
	wheel.lathe([][2]int{{0, -100}, {150, -100}, {196, -84}, {216, -40}, {216, 40}, {196, 84}, {150, 100}, {0, 100}}, 20)
	wheel.along()

	chassis := m.mesh("chassis", m.primitive(painted, body), m.primitive(bare, body))
	round := m.mesh("wheel", m.primitive(wheel, rubber))
	m.root(m.node("kart", chassis, point{},
		m.node("wheel_front_left", round, point{-560, 216, 580}),
		m.node("wheel_front_right", round, point{560, 216, 580}),
		m.node("wheel_rear_left", round, point{-560, 216, -620}),
		m.node("wheel_rear_right", round, point{560, 216, -620})))
	return m
}

// cone is a traffic cone on a square foot.
func cone() *model {
	m := newModel("cone")
	stripes := m.material(gltfMaterial{Name: "stripes",
		PBR: gltfPBR{Base: m.linked("../textures/props/cone.png"), Roughness: 0.625},
	})
	side, foot := &mesh{}, &mesh{}
	side.lathe([][2]int{{190, 40}, {48, 680}, {36, 700}, {0, 704}}, 24)
	foot.wedge(point{-256, 0, -256}, point{256, 40, 256}, point{24, 0, 24}, image.Rect(0, 880, 1024, 1016))
	m.root(m.node("cone", m.mesh("cone", m.primitive(side, stripes), m.primitive(foot, stripes)), point{}))
	return m
}

// crate is a box on which bricks have left their mark: its second material
// borrows the wall's normal map, so that two models share a texture.
func crate() *model {
	m := newModel("crate")
	wood := m.material(gltfMaterial{Name: "planks",
		PBR: gltfPBR{Base: m.linked("../textures/props/crate.png"), Roughness: 0.875},
	})
	brick := m.material(gltfMaterial{Name: "load",
		PBR:    gltfPBR{Base: m.linked("../textures/terrain/brick.png"), Roughness: 1},
		Normal: m.linked("../textures/terrain/brick_n.png"),
	})
	banner := m.material(gltfMaterial{Name: "label",
		PBR: gltfPBR{Base: m.linked("../textures/ui/start%20banner.png"), Roughness: 0.75},
	})
	whole := image.Rect(0, 0, 1024, 1024)
	sides, load, label := &mesh{}, &mesh{}, &mesh{}
	sides.wedge(point{-512, 0, -512}, point{512, 1024, 512}, point{}, whole)
	load.wedge(point{-400, 1024, -300}, point{400, 1200, 300}, point{}, whole)
	label.quad(point{-360, 448, 516}, point{360, 448, 516}, point{360, 572, 516}, point{-360, 572, 516}, whole)
	m.root(m.node("crate", m.mesh("crate", m.primitive(sides, wood), m.primitive(load, brick), m.primitive(label, banner)), point{}))
	return m
}

// coin turns about its axis once in two seconds.
func coin() *model {
	m := newModel("coin")
	gold := m.material(gltfMaterial{Name: "gold",
		PBR: gltfPBR{BaseColour: &[4]float32{1, 0.75, 0.25, 1}, Metallic: 1, Roughness: 0.25},
	})
	disc := &mesh{}
	disc.lathe([][2]int{{0, -24}, {150, -24}, {160, -40}, {200, -40}, {210, 0}, {200, 40}, {160, 40}, {150, 24}, {0, 24}}, 16)
	disc.along()
	node := m.node("coin", m.mesh("coin", m.primitive(disc, gold)), point{0, 400, 0})
	m.root(node)

	var times, turns []float32
	for i := range 9 {
		half := turn(i) * fullTurn / 16 // a quaternion takes half the angle
		times = append(times, float32(i)/4)
		turns = append(turns, 0, float32(sine(half))/one, 0, float32(cosine(half))/one)
	}
	m.doc.Animations = []gltfAnimation{{
		Name:     "spin",
		Channels: []gltfChannel{{Target: gltfTarget{Node: node, Path: "rotation"}}},
		Samplers: []gltfAnimSampler{{Input: m.floats(times, 1, 0, true), Interpolation: "LINEAR", Output: m.floats(turns, 4, 0, false)}},
	}}
	return m
}

// pebble is a racer: a dented ball with vertex colours, its texture inside the
// file.
func pebble() *model {
	m := newModel("pebble")
	speckle := pngRGB(paint(64, 64, func(x, y int) color.NRGBA {
		return rgb{214, 210, 204}.plus(fractal(x, y, 16, 64, 4, 121)>>11 - 16 + pick(x, y, 122, 20)).opaque()
	}))
	view := m.view(speckle, 0)
	stone := m.material(gltfMaterial{Name: "stone",
		PBR: gltfPBR{Base: m.texture(gltfImage{MIME: "image/png", BufferView: &view}), Roughness: 0.875},
	})
	m.root(m.node("pebble", m.mesh("pebble", m.primitive(boulder(300, 4, 123), stone)), point{0, 190, 0}))
	return m
}

// addBarrier adds a concrete barrier as OBJ and MTL.
func addBarrier(t *tree, dir string) {
	m := &mesh{}
	whole := image.Rect(0, 0, 1024, 1024)
	m.wedge(point{-1024, 0, -300}, point{1024, 180, 300}, point{0, 0, 120}, whole)
	m.wedge(point{-1024, 180, -180}, point{1024, 820, 180}, point{0, 0, 80}, whole)

	var b strings.Builder
	fmt.Fprintf(&b, "# Pebble Grand Prix: track barrier, metres\nmtllib barrier.mtl\no barrier\n")
	for _, p := range m.positions {
		fmt.Fprintf(&b, "v %s %s %s\n", thousandths(p[0]*1000/metre), thousandths(p[1]*1000/metre), thousandths(p[2]*1000/metre))
	}
	for _, uv := range m.texels {
		fmt.Fprintf(&b, "vt %.0f %.0f\n", uv[0], 1-uv[1]) // OBJ counts from the foot
	}
	for _, n := range m.normals {
		fmt.Fprintf(&b, "vn %s %s %s\n", thousandths(int(n[0]*1000)), thousandths(int(n[1]*1000)), thousandths(int(n[2]*1000)))
	}
	b.WriteString("usemtl warning\n")
	for i := 0; i < len(m.indices); i += 6 {
		first := int(m.indices[i]) + 1
		b.WriteString("f")
		for k := first; k < first+4; k++ {
			fmt.Fprintf(&b, " %d/%d/%d", k, k, k)
		}
		b.WriteString("\n")
	}
	t.addText(dir+"barrier.obj", b.String())
	t.addText(dir+"barrier.mtl", `# Pebble Grand Prix: track barrier
newmtl warning
Ka 0.1 0.1 0.1
Kd 1.0 1.0 1.0
Ks 0.0 0.0 0.0
illum 1
map_Kd ../textures/props/barrier.tga
`)
}

// thousandths writes v/1000 as a decimal number.
func thousandths(v int) string {
	sign := ""
	if v < 0 {
		sign, v = "-", -v
	}
	return fmt.Sprintf("%s%d.%03d", sign, v/1000, v%1000)
}
