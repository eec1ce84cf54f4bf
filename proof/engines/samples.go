package main

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/gif"
	"image/png"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// writeSamples adds sources of more kinds to the sample project, in the directory kinds.
func writeSamples(assets string) error {
	files := map[string][]byte{
		"../menu.sprites": []byte("textures/ui/\n"), // the games on docs pages use these sprites
		"menu.sprites":    []byte("sprites/\n"),
		"turned.sprites":  []byte("sprites/\n!*.9.png\n"),
		"ui.sounds":       []byte("/audio/\n!/audio/*_loop*\n"),
		"warm.cube":       table(),
		"worm.gltf":       worm(),
		"spin.gif":        spin(),
	}
	for from, to := range map[string]string{"fonts/pebble.ttf": "pebble.ttf", "textures/sky/cross.png": "cross.png"} {
		data, err := fs.ReadFile(os.DirFS(assets), from)
		if err != nil {
			return err
		}
		files[to] = data
	}
	r := rand.New(rand.NewPCG(1, 2))
	images := map[string]image.Image{"warm_lut.png": strip(), "sprites/panel.9.png": panel()}
	for i := range 16 {
		images[fmt.Sprintf("sprites/%02d.png", i)] = sprite(r)
	}
	for name, m := range images {
		var b bytes.Buffer
		if err := png.Encode(&b, m); err != nil {
			return err
		}
		files[name] = b.Bytes()
	}
	for name, data := range files {
		file := filepath.Join(assets, "kinds", name)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(file, data, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// sprite returns an image of random opaque pixels within a transparent border.
func sprite(r *rand.Rand) image.Image {
	w, h := 8+r.IntN(32), 8+r.IntN(32)
	m := image.NewNRGBA(image.Rect(0, 0, w, h))
	for y := 1 + r.IntN(3); y < h-1-r.IntN(3); y++ {
		for x := 1 + r.IntN(3); x < w-1-r.IntN(3); x++ {
			m.SetNRGBA(x, y, color.NRGBA{uint8(r.IntN(256)), uint8(r.IntN(256)), uint8(r.IntN(256)), 255})
		}
	}
	return m
}

// spin returns an animated GIF. Its frames have offsets, transparent pixels, different durations and
// all kinds of disposal.
func spin() []byte {
	colors := color.Palette{color.NRGBA{}, color.NRGBA{220, 40, 30, 255}, color.NRGBA{30, 60, 210, 255}, color.NRGBA{240, 220, 60, 255}}
	m := &gif.GIF{Config: image.Config{ColorModel: colors, Width: 24, Height: 20}}
	for i, area := range []image.Rectangle{image.Rect(0, 0, 24, 20), image.Rect(3, 2, 15, 12), image.Rect(10, 8, 24, 20), image.Rect(0, 5, 9, 18), image.Rect(6, 6, 12, 12)} {
		frame := image.NewPaletted(area, colors)
		for y := area.Min.Y; y < area.Max.Y; y++ {
			for x := area.Min.X; x < area.Max.X; x++ {
				frame.SetColorIndex(x, y, uint8((x+2*y+3*i)/4%4))
			}
		}
		m.Image = append(m.Image, frame)
		m.Delay = append(m.Delay, 5+3*i)
		m.Disposal = append(m.Disposal, []byte{gif.DisposalNone, gif.DisposalPrevious, gif.DisposalBackground, gif.DisposalNone, gif.DisposalNone}[i])
	}
	var b bytes.Buffer
	if err := gif.EncodeAll(&b, m); err != nil {
		panic(err) // cannot fail: the frames are inside the image
	}
	return b.Bytes()
}

// panel returns a nine-patch of 12 x 12 pixels. Each slice has its own color. Black pixels in the
// border around the nine-patch mark the stretchable middle.
func panel() image.Image {
	m := image.NewNRGBA(image.Rect(0, 0, 14, 14))
	for y := range 12 {
		for x := range 12 {
			m.SetNRGBA(x+1, y+1, color.NRGBA{uint8(40 + 80*(x/4)), uint8(40 + 80*(y/4)), 90, 255})
		}
	}
	for i := 5; i < 9; i++ {
		m.SetNRGBA(i, 0, color.NRGBA{A: 255})
		m.SetNRGBA(0, i, color.NRGBA{A: 255})
	}
	return m
}

const tableSize = 8

// warm returns a graded color; channels are from 0 to 1.
func warm(r, g, b float64) (float64, float64, float64) { return 0.2 + 0.8*r, 0.9 * g, b * b }

// table returns a color table as a .cube file.
func table() []byte {
	var out bytes.Buffer
	fmt.Fprintf(&out, "LUT_3D_SIZE %d\n", tableSize)
	for i := range tableSize * tableSize * tableSize {
		at := func(n int) float64 { return float64(n%tableSize) / (tableSize - 1) }
		r, g, b := warm(at(i), at(i/tableSize), at(i/tableSize/tableSize))
		fmt.Fprintf(&out, "%.6f %.6f %.6f\n", r, g, b)
	}
	return out.Bytes()
}

// strip returns a color table as an image: the slices are side by side.
func strip() image.Image {
	m := image.NewNRGBA(image.Rect(0, 0, tableSize*tableSize, tableSize))
	for y := range tableSize {
		for x := range tableSize * tableSize {
			at := func(n int) float64 { return float64(n%tableSize) / (tableSize - 1) }
			r, g, b := warm(at(x), at(y), at(x/tableSize))
			m.SetNRGBA(x, y, color.NRGBA{uint8(255 * r), uint8(255 * g), uint8(255 * b), 255})
		}
	}
	return m
}

// worm returns a glTF model: a ribbon with a texture. An animation of one second bends it at its
// second joint, and makes it thinner with a morph target.
func worm() []byte {
	const rows = 9 // rows between y = 0 and y = 4
	var position, normal, thinner, uv, weights, bind []float32
	var joints []byte
	var indices []uint16
	for i := range rows {
		y := float32(i) / 2
		for _, x := range []float32{-0.5, 0.5} {
			position = append(position, x, y, 0)
			normal = append(normal, 0, 0, 1)
			thinner = append(thinner, -x*0.8, 0, 0)
			uv = append(uv, x+0.5, y/4)
			joints = append(joints, 0, 1, 0, 0)
			second := min(max((y-1.5)/1, 0), 1)
			weights = append(weights, 1-second, second, 0, 0)
		}
		if n := uint16(2 * i); i > 0 {
			indices = append(indices, n-2, n-1, n, n, n-1, n+1)
		}
	}
	for _, y := range []float32{0, -2} {
		bind = append(bind, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, y, 0, 1)
	}
	times := []float32{0, 1}
	bend := []float32{0, 0, 0, 1, 0, 0, 0.5, 0.8660254}
	morph := []float32{0, 1}

	var buffer bytes.Buffer
	var views, accessors []any
	type object = map[string]any
	add := func(component, count int, kind string, bounds object, data any) {
		at := buffer.Len()
		binary.Write(&buffer, binary.LittleEndian, data) // cannot fail, because the data has a fixed size
		views = append(views, object{"buffer": 0, "byteOffset": at, "byteLength": buffer.Len() - at})
		accessor := object{"bufferView": len(views) - 1, "componentType": component, "count": count, "type": kind}
		for k, v := range bounds {
			accessor[k] = v
		}
		accessors = append(accessors, accessor)
		buffer.Write(make([]byte, -buffer.Len()&3))
	}
	const float, short, octet = 5126, 5123, 5121
	add(float, 2*rows, "VEC3", object{"min": []float32{-0.5, 0, 0}, "max": []float32{0.5, 4, 0}}, position)
	add(float, 2*rows, "VEC3", nil, normal)
	add(float, 2*rows, "VEC2", nil, uv)
	add(octet, 2*rows, "VEC4", nil, joints)
	add(float, 2*rows, "VEC4", nil, weights)
	add(float, 2*rows, "VEC3", object{"min": []float32{-0.4, 0, 0}, "max": []float32{0.4, 0, 0}}, thinner)
	add(short, len(indices), "SCALAR", nil, indices)
	add(float, 2, "MAT4", nil, bind)
	add(float, 2, "SCALAR", object{"min": []float32{0}, "max": []float32{1}}, times)
	add(float, 2, "VEC4", nil, bend)
	add(float, 2, "SCALAR", nil, morph)
	text, err := json.Marshal(object{
		"asset":  object{"version": "2.0"},
		"scene":  0,
		"scenes": []any{object{"nodes": []int{0, 1}}},
		"nodes": []any{
			object{"mesh": 0, "skin": 0, "name": "worm"},
			object{"name": "root", "children": []int{2}},
			object{"name": "bend", "translation": []float32{0, 2, 0}},
		},
		"skins": []any{object{"joints": []int{1, 2}, "inverseBindMatrices": 7}},
		"meshes": []any{object{"weights": []float32{0}, "primitives": []any{object{
			"attributes": object{"POSITION": 0, "NORMAL": 1, "TEXCOORD_0": 2, "JOINTS_0": 3, "WEIGHTS_0": 4},
			"targets":    []any{object{"POSITION": 5}}, "indices": 6, "material": 0,
		}}}},
		"materials": []any{object{"doubleSided": true, "pbrMetallicRoughness": object{
			"baseColorTexture": object{"index": 0}, "metallicFactor": 0, "roughnessFactor": 1,
		}}},
		"textures": []any{object{"source": 0}},
		"images":   []any{object{"uri": "../textures/props/crate.png"}},
		"animations": []any{object{"name": "bow",
			"samplers": []any{object{"input": 8, "output": 9}, object{"input": 8, "output": 10}},
			"channels": []any{
				object{"sampler": 0, "target": object{"node": 2, "path": "rotation"}},
				object{"sampler": 1, "target": object{"node": 0, "path": "weights"}},
			},
		}},
		"accessors": accessors, "bufferViews": views,
		"buffers": []any{object{
			"byteLength": buffer.Len(),
			"uri":        "data:application/octet-stream;base64," + base64.StdEncoding.EncodeToString(buffer.Bytes()),
		}},
	})
	if err != nil {
		panic(err) // cannot fail: there are only numbers and strings
	}
	return text
}

// sampleRules are the rules for the samples, by engine. The rules of an engine name only kinds that
// the engine supports.
func sampleRules(engine string) string {
	const (
		font   = "[[rule]]\nmatch = \"kinds/*.ttf\"\nrecipe = \"font\"\nmissing = \"skip\"\n"
		cube   = "[[rule]]\nmatch = \"kinds/cross.png\"\ncube = \"cross\"\n"
		rotate = "[[rule]]\nmatch = \"kinds/turned.sprites\"\nrotate = true\n"
		sheet  = "[[rule]]\nmatch = \"kinds/spin.gif\"\nframes = \"sheet\"\n"
	)
	return map[string]string{"three": font + cube, "playcanvas": cube, "pixi": font + rotate + sheet, "phaser": sheet}[engine]
}

// pairKind returns the kind of comparison for the programs, or "" if the files are not compared.
func pairKind(source, output string) string {
	switch {
	case source == "kinds/menu.sprites" && strings.HasSuffix(output, ".json"):
		return "sprite"
	case source == "kinds/warm_lut.png":
		return "lut"
	case source == "fonts/pebble.fnt":
		return "font"
	case strings.HasSuffix(output, ".glb"):
		return "model"
	case strings.HasSuffix(output, ".hdr"):
		return "hdr"
	// Images of fonts, the atlas of the docs pages, and high-dynamic-range images, about which a run
	// warns, are not compared.
	case strings.HasPrefix(source, "kinds/"), strings.HasPrefix(source, "fonts/"), strings.HasSuffix(source, ".hdr"), source == "menu.sprites":
		return ""
	}
	return kinds[filepath.Ext(output)]
}
