package mesh

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing/fstest"
)

// A sheet is a glTF document that a test builds.
type sheet struct {
	data             []byte
	views, accessors []string
}

func (s *sheet) add(component int, kind string, count int, data []byte) int {
	for len(s.data)%4 != 0 {
		s.data = append(s.data, 0)
	}
	stride := ""
	if size := len(data) / count; size%4 != 0 && kind != "SCALAR" {
		// Vertices must begin at multiples of four.
		padded := make([]byte, 0, count*(size+3))
		for i := range count {
			padded = append(append(padded, data[i*size:][:size]...), make([]byte, -size&3)...)
		}
		data, stride = padded, fmt.Sprintf(`,"byteStride":%d`, (size+3)&^3)
	}
	s.views = append(s.views, fmt.Sprintf(`{"buffer":0,"byteOffset":%d,"byteLength":%d%s}`, len(s.data), len(data), stride))
	s.data = append(s.data, data...)
	s.accessors = append(s.accessors, fmt.Sprintf(`{"bufferView":%d,"componentType":%d,"count":%d,"type":"%s"}`,
		len(s.views)-1, component, count, kind))
	return len(s.accessors) - 1
}

func (s *sheet) floats(kind string, width int, values ...float32) int {
	var data []byte
	for _, x := range values {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
	}
	return s.add(5126, kind, len(values)/width, data)
}

// positions is like floats, and adds the bounds that positions need.
func (s *sheet) positions(values ...float32) int {
	low, high := slices.Clone(values[:3]), slices.Clone(values[:3])
	for i, x := range values {
		low[i%3], high[i%3] = min(low[i%3], x), max(high[i%3], x)
	}
	i := s.floats("VEC3", 3, values...)
	bounds := fmt.Sprintf(`,"min":[%v,%v,%v],"max":[%v,%v,%v]}`, low[0], low[1], low[2], high[0], high[1], high[2])
	s.accessors[i] = strings.TrimSuffix(s.accessors[i], "}") + bounds
	return i
}

func (s *sheet) shorts(kind string, width int, values ...uint16) int {
	var data []byte
	for _, x := range values {
		data = binary.LittleEndian.AppendUint16(data, x)
	}
	return s.add(5123, kind, len(values)/width, data)
}

// tree returns the document as a file, with its buffer beside it. rest holds the members that do
// not describe buffers.
func (s *sheet) tree(rest string) fstest.MapFS {
	text := fmt.Sprintf(`{"asset":{"version":"2.0"},%s,"accessors":[%s],"bufferViews":[%s],"buffers":[{"uri":"a%%20b.bin","byteLength":%d}]}`,
		rest, strings.Join(s.accessors, ","), strings.Join(s.views, ","), len(s.data))
	return fstest.MapFS{"m/a.gltf": {Data: []byte(text)}, "m/a b.bin": {Data: s.data}}
}

// grid returns the positions, normals and texture coordinates of a bent sheet of n times n quads.
// It also returns the indices of its triangles.
func (s *sheet) grid(n int, bend float64) (position, normal, uv, index int) {
	var p, no, tex []float32
	var in []uint16
	for i := range n + 1 {
		for j := range n + 1 {
			x, y := float64(i)/float64(n), float64(j)/float64(n)
			p = append(p, float32(10*x-3), float32(bend*math.Sin(7*x)*math.Cos(5*y)), float32(10*y+5))
			l := math.Sqrt(x*x + 1 + y*y)
			no = append(no, float32(x/l), float32(1/l), float32(y/l))
			tex = append(tex, float32(x), float32(y))
			if i < n && j < n {
				a := uint16(i*(n+1) + j)
				b := a + uint16(n) + 1
				in = append(in, a, a+1, b, b, a+1, b+1)
			}
		}
	}
	return s.floats("VEC3", 3, p...), s.floats("VEC3", 3, no...), s.floats("VEC2", 2, tex...), s.shorts("SCALAR", 1, in...)
}

// figure returns a model with skinned and morphing meshes. Several nodes show them, and one node
// shows its mesh twice by an extension.
func figure() fstest.MapFS {
	s := new(sheet)
	p1, n1, t1, i1 := s.grid(6, 1)
	p2, n2, _, i2 := s.grid(4, 2)
	p3, n3, _, i3 := s.grid(3, 1)
	count := 49
	joints := make([]uint16, 4*count)
	weights := make([]float32, 4*count)
	for i := range count {
		joints[4*i], joints[4*i+1], joints[4*i+2] = uint16(i%3), uint16((i+1)%3), 2
		weights[4*i], weights[4*i+1] = float32(i)/float32(count), 1-float32(i)/float32(count)
	}
	j := s.shorts("VEC4", 4, joints...)
	w := s.floats("VEC4", 4, weights...)
	var bind []float32
	for i := range 3 {
		bind = append(bind, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, float32(-i), 0.5, 0, 1)
	}
	ibm := s.floats("MAT4", 16, bind...)
	deltas := make([]float32, 75)
	for i := range deltas {
		deltas[i] = float32(i%7) - 3
	}
	d := s.floats("VEC3", 3, deltas...)
	for i := range deltas {
		deltas[i] /= 4
	}
	turned := s.floats("VEC3", 3, deltas...)
	in := s.floats("SCALAR", 1, 0, 1)
	out := s.floats("SCALAR", 1, 0, 1)
	turn := s.floats("VEC4", 4, 0, 0, 0, 1, 0, 1, 0, 0)
	where := s.floats("VEC3", 3, 0, 1, 0, 5, 1, 0)
	hat := s.floats("VEC3", 3, 0, 30, 0, 2, 30, 0, 0, 33, 4)
	hatJoints := s.shorts("VEC4", 4, 1, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0)
	hatWeights := s.floats("VEC4", 4, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0)
	hatNormals := s.floats("VEC3", 3, 0, 1, 0, 0, 1, 0, 0, 1, 0)
	times := make([]float32, 16)
	for i := range times {
		times[i] = float32(i)
	}
	many := s.floats("SCALAR", 1, times...)
	s.accessors = append(s.accessors, s.accessors[p3])
	way := len(s.accessors) - 1
	return s.tree(fill(`
		"scene":0,"scenes":[{"nodes":[0,5,6,9]}],"extras":{"exactly":12345678901234567890.1250},
		"extensionsUsed":["EXT_mesh_gpu_instancing"],
		"nodes":[
			{"name":"root","children":[1,4,7],"rotation":[0,0.6,0,0.8],"translation":[1,2,3]},
			{"name":"hip","children":[2],"translation":[0,1,0]},
			{"name":"knee","children":[3],"rotation":[0.28,0,0,0.96],"scale":[1,1.5,1]},
			{"name":"foot","translation":[0,0,2]},
			{"name":"body","mesh":0,"skin":0,"translation":[100,100,100]},
			{"name":"face","mesh":1,"weights":[0.5],"scale":[2,2,2],"children":[8]},
			{"name":"again","mesh":1,"translation":[0,-20,0],"weights":[-0.25]},
			{"name":"clothes","mesh":2,"skin":1},
			{"name":"copies","mesh":3,"extensions":{"EXT_mesh_gpu_instancing":{"attributes":{"TRANSLATION":$where}}}},
			{"name":"hat","mesh":4,"skin":0}],
		"skins":[{"joints":[1,2,3],"inverseBindMatrices":$ibm,"name":"bones"},{"joints":[1,2,3]}],
		"meshes":[
			{"name":"body","primitives":[{"attributes":{"POSITION":$p1,"NORMAL":$n1,"TEXCOORD_0":$t1,"JOINTS_0":$j,"WEIGHTS_0":$w},"indices":$i1}]},
			{"name":"face","weights":[0],"primitives":[{"attributes":{"POSITION":$p2,"NORMAL":$n2},"indices":$i2,"targets":[{"POSITION":$d,"NORMAL":$turned}]}]},
			{"name":"clothes","primitives":[{"attributes":{"POSITION":$p1,"NORMAL":$n1,"JOINTS_0":$j,"WEIGHTS_0":$w},"indices":$i1}]},
			{"name":"copy","primitives":[{"attributes":{"POSITION":$p3,"NORMAL":$n3},"indices":$i3,"mode":4}]},
			{"name":"hat","primitives":[{"attributes":{"POSITION":$hat,"NORMAL":$hatNormals,"JOINTS_0":$hatJoints,"WEIGHTS_0":$hatWeights}}]}],
		"animations":[{"name":"move",
			"channels":[{"sampler":0,"target":{"node":5,"path":"weights"}},{"sampler":1,"target":{"node":5,"path":"rotation"}},{"sampler":1,"target":{"node":1,"path":"rotation"}},{"sampler":2,"target":{"node":3,"path":"translation"}}],
			"samplers":[{"input":$in,"output":$out},{"input":$in,"output":$turn,"interpolation":"STEP"},{"input":$many,"output":$way}]}]`,
		map[string]int{"where": where, "ibm": ibm, "p1": p1, "n1": n1, "t1": t1, "j": j, "w": w, "i1": i1,
			"p2": p2, "n2": n2, "i2": i2, "p3": p3, "n3": n3, "i3": i3, "d": d, "turned": turned, "in": in, "out": out, "turn": turn,
			"hat": hat, "hatJoints": hatJoints, "hatWeights": hatWeights, "hatNormals": hatNormals, "many": many, "way": way}))
}

// fill replaces each $name by its number.
func fill(text string, numbers map[string]int) string {
	return os.Expand(text, func(name string) string { return strconv.Itoa(numbers[name]) })
}

// forms returns a model with primitives of several modes and with several kinds of attributes.
func forms() fstest.MapFS {
	s := new(sheet)
	p, n, uv, list := s.grid(5, 1)
	count := 36
	var strip []uint16
	for i := range 5 {
		if i > 0 {
			strip = append(strip, strip[len(strip)-1], uint16(6*i)) // degenerate triangles join the rows of the strip
		}
		for j := range 6 {
			strip = append(strip, uint16(6*i+j), uint16(6*i+j+6))
		}
	}
	strips := s.shorts("SCALAR", 1, strip...)
	fan := s.add(5121, "SCALAR", 7, []byte{14, 15, 9, 8, 7, 13, 19})
	colors := make([]float32, 4*count)
	wide := make([]float32, 2*count)
	for i := range colors {
		colors[i] = float32(i%11) / 10
	}
	for i := range wide {
		wide[i] = float32(i)/9 - 2
	}
	c, far := s.floats("VEC4", 4, colors...), s.floats("VEC2", 2, wide...)
	whole := make([]uint16, 3*count)
	for i := range whole {
		whole[i] = uint16(i * i % 3001)
	}
	ints := s.shorts("VEC3", 3, whole...)
	own := s.add(5121, "VEC3", count, bytes.Repeat([]byte{1, 2, 3}, count))
	// Two sparse accessors. One is the grid with three changed vertices. The other has zeros except
	// for three vertices.
	at := s.shorts("SCALAR", 1, 0, 1, 7)
	there := s.floats("VEC3", 3, 20, 1, 5, 20, 2, 5, 19, 1, 7)
	sparse := func(view string) int {
		s.accessors = append(s.accessors, fmt.Sprintf(`{%s"componentType":5126,"count":%d,"type":"VEC3","sparse":{"count":3,`+
			`"indices":{"bufferView":%d,"componentType":5123},"values":{"bufferView":%d}}}`, view, count, at, there))
		return len(s.accessors) - 1
	}
	moved, bump := sparse(fmt.Sprintf(`"bufferView":%d,`, p)), sparse("")
	// Copies of the grid's accessors, for meshes that stay unchanged as a whole or in part.
	s.accessors = append(s.accessors, s.accessors[p], s.accessors[p])
	same, again := len(s.accessors)-2, len(s.accessors)-1
	return s.tree(fill(`
		"scene":0,"scenes":[{"nodes":[0,1,2,3]}],
		"extensionsUsed":["KHR_mesh_quantization","EXT_who_knows","EXT_other"],"extensionsRequired":["KHR_mesh_quantization"],
		"nodes":[{"mesh":0},{"mesh":1,"translation":[0,0,1]},{"mesh":2},{"mesh":3,"weights":[0.5]}],
		"materials":[{"name":"bumpy","normalTexture":{"index":0,"texCoord":0}},{"alphaMode":"BLEND"}],
		"textures":[{"source":0},{"source":1},{"source":0,"extensions":{"EXT_other":{"source":2}}}],
		"images":[{"uri":"a%20n.png","mimeType":"image/png"},{"uri":"data:image/png;base64,iVBORw0KGgo="},{"uri":"kept.webp"}],
		"meshes":[
			{"primitives":[
				{"attributes":{"POSITION":$p,"NORMAL":$n,"TEXCOORD_0":$uv},"indices":$strips,"mode":5},
				{"attributes":{"POSITION":$p,"NORMAL":$n,"COLOR_0":$c},"indices":$fan,"mode":6},
				{"attributes":{"POSITION":$p,"NORMAL":$n},"mode":4},
				{"attributes":{"POSITION":$p,"NORMAL":$n,"TEXCOORD_0":$far,"_OWN":$own},"indices":$list,"material":1},
				{"attributes":{"POSITION":$moved,"NORMAL":$n,"TEXCOORD_0":$uv},"indices":$list,"material":0},
				{"attributes":{"POSITION":$p,"COLOR_0":$c},"mode":0},
				{"attributes":{"POSITION":$p},"indices":$list,"mode":1}]},
			{"primitives":[{"attributes":{"POSITION":$ints,"NORMAL":$n},"indices":$list},{"attributes":{"POSITION":$again,"NORMAL":$n},"indices":$list}]},
			{"primitives":[{"attributes":{"POSITION":$same,"NORMAL":$n},"indices":$list,"extensions":{"EXT_who_knows":{}}}]},
			{"primitives":[{"attributes":{"POSITION":$p,"NORMAL":$n},"indices":$list,"targets":[{"POSITION":$bump}]}]}]`,
		map[string]int{"p": p, "same": same, "again": again, "n": n, "uv": uv, "list": list, "strips": strips, "fan": fan, "c": c, "far": far,
			"ints": ints, "own": own, "moved": moved, "bump": bump}))
}
