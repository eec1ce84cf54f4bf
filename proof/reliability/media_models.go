package main

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/internal/jobs"
	"github.com/assetcook/assetcook/internal/mesh/gltf"
	"github.com/assetcook/assetcook/recipes/mesh"
)

// madeModels returns glTF documents with every kind of object, as text and as GLB files. It also
// returns OBJ files. The recipe mesh detects text by its content, so text with the extension .model
// is cooked by mesh, and text with the extension .gltf is only checked.
func madeModels() []mediaFile {
	text, data := madeDocument()
	uri := base64.StdEncoding.EncodeToString(data)
	document := strings.Replace(text, `"buffers":[{`, `"buffers":[{"uri":"data:application/octet-stream;base64,`+uri+`",`, 1)
	var glb bytes.Buffer
	if err := gltf.WriteGLB(&glb, []byte(text), [][]byte{data}); err != nil {
		panic(fmt.Sprintf("media: %v", err)) // cannot fail, because the document is small
	}
	const shape = "mtllib gone.mtl\no a\nv 0 0 0\nv 1 0 0 0.5\nv 0 1 -1e-2\nv 1 1 0\nvt 0 0\nvt 1.5 0\nvt 0 1\nvn 0 0 1\nvn 0 0 2\n" +
		"usemtl x\nf 1/1/1 2/2/1 3/3/2\nf -1 -2 -3 -4\ng b\nl 1 2 3\np 1\nf 1//1 3//2 4//1\n"
	return []mediaFile{
		{name: "made gltf", ext: ".gltf", data: []byte(document)},
		{name: "made model", ext: ".model", data: []byte(document)},
		{name: "made glb", ext: ".glb", data: glb.Bytes()},
		{name: "made obj", ext: ".obj", data: []byte(shape)},
		{name: "made colored obj", ext: ".obj", data: []byte("v 0 0 0 1 0 0.5\nv 1 0 0 0 1 0 0.25\nv 0 1 0 \\\n0.5 0.5 0.5\nv 1 1 0\ns 1\n#MRGB ff00ff00ffff0000\nf 1 2 3\nf 4 3 2\n")},
	}
}

// opaquePNG is an image of one pixel with alpha 2 and gamma 1.
const opaquePNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAABGdBTUEAAYagMeiWXwAAAA1JREFUeJxjSJl2ggkABOkBxWBFJIQAAAAASUVORK5CYII="

// madeDocument returns a valid document and its buffer.
func madeDocument() (text string, data []byte) {
	var views, accessors []string
	add := func(component int, kind string, count int, bytes []byte, more string) int {
		n := len(views)
		views = append(views, fmt.Sprintf(`{"buffer":0,"byteOffset":%d,"byteLength":%d}`, len(data), len(bytes)))
		accessors = append(accessors, fmt.Sprintf(`{"bufferView":%d,"componentType":%d,"count":%d,"type":"%s"%s}`, n, component, count, kind, more))
		data = append(data, bytes...)
		data = append(data, make([]byte, -len(data)&3)...)
		return n
	}
	floats := func(kind string, count int, more string, values ...float32) int {
		var b []byte
		for _, x := range values {
			b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
		}
		return add(5126, kind, count, b, more)
	}
	position := floats("VEC3", 4, `,"min":[0,0,0],"max":[1,1,0]`, 0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0)
	normal := floats("VEC3", 4, "", 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0.6, 0.8)
	uv := floats("VEC2", 4, "", 0, 0, 1, 0, 0, 1, 1, 1)
	color := floats("VEC4", 4, "", 1, 0.5, 0, 1, 1, 0.5, 0, 1, 1, 0.5, 0, 1, 0, 0.25, 0, 1)
	joints := add(5121, "VEC4", 4, []byte{0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0}, "")
	weights := floats("VEC4", 4, "", 1, 0, 0, 0, 1, 0, 0, 0, 0.5, 0.5, 0, 0, 1, 0, 0, 0)
	corners := add(5123, "SCALAR", 6, []byte{0, 0, 1, 0, 2, 0, 2, 0, 1, 0, 3, 0}, "")
	bump := floats("VEC3", 4, `,"min":[0,0,0],"max":[0,0,1]`, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0)
	bind := floats("MAT4", 2, "", 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -1, 0, 1)
	times := floats("SCALAR", 2, `,"min":[0],"max":[1]`, 0, 1)
	turns := floats("VEC4", 2, "", 0, 0, 0, 1, 0, 0.6, 0, 0.8)
	shapes := floats("SCALAR", 2, "", 0, 1)
	at := add(5121, "SCALAR", 2, []byte{1, 3}, "")
	accessors = append(accessors, fmt.Sprintf(`{"bufferView":%d,"componentType":5126,"count":4,"type":"VEC3","min":[0,0,0],"max":[1,1,0],`+
		`"sparse":{"count":2,"indices":{"bufferView":%d,"componentType":5121},"values":{"bufferView":%d}}}`, position, at, position))
	sparse := len(accessors) - 1
	views = append(views, fmt.Sprintf(`{"buffer":0,"byteOffset":%d,"byteLength":8}`, len(data)))
	data = append(data, "\x89PNG\r\n\x1a\n"...)
	return fmt.Sprintf(`{"asset":{"version":"2.0","generator":"\u0061\n"},"scene":0,"scenes":[{"nodes":[0,3,5]}],
"nodes":[{"children":[1,2],"rotation":[0,0,0,1]},{"translation":[0,1,0]},{"mesh":0,"skin":0,"weights":[0.5]},
{"matrix":[1,0,0,0,0,2,0,0,0,0,1,0,3,0,0,1],"children":[4]},{"mesh":1,"camera":0,"extensions":{"KHR_lights_punctual":{"light":0}}},{"scale":[1,1,2],"mesh":1}],
"cameras":[{"type":"perspective","perspective":{"yfov":0.7,"znear":0.01,"zfar":10}}],
"skins":[{"joints":[0,1],"inverseBindMatrices":%d,"skeleton":0}],
"meshes":[{"weights":[0],"primitives":[{"attributes":{"POSITION":%d,"NORMAL":%d,"TEXCOORD_0":%d,"COLOR_0":%d,"JOINTS_0":%d,"WEIGHTS_0":%d},"indices":%d,"material":0,"targets":[{"POSITION":%d}]}]},
{"primitives":[{"attributes":{"POSITION":%d,"TEXCOORD_0":%d},"indices":%d,"material":0,"extensions":{"KHR_materials_variants":{"mappings":[{"material":1,"variants":[0]}]}}},{"attributes":{"POSITION":%d},"mode":5}]}],
"materials":[{"pbrMetallicRoughness":{"baseColorTexture":{"index":0},"metallicFactor":0.5},"normalTexture":{"index":1},"alphaMode":"BLEND"},
{"emissiveTexture":{"index":2},"extensions":{"KHR_materials_clearcoat":{"clearcoatFactor":1,"clearcoatNormalTexture":{"index":1}}}},
{"alphaMode":"OPAQUE","pbrMetallicRoughness":{"baseColorTexture":{"index":3}},"extensions":{"KHR_materials_specular":{"specularTexture":{"index":3},"specularColorTexture":{"index":3}},
"EXT_materials_bump":{"bumpTexture":{"index":2}},"X_y":{"zTexture":{"index":2}}}}],
"textures":[{"source":0,"sampler":0},{"source":1},{"source":0,"extensions":{"EXT_texture_webp":{"source":2}}},{"source":3}],
"images":[{"uri":"%%61.png"},{"bufferView":%d,"mimeType":"image/png"},{"uri":"b.webp"},{"uri":"data:image/png;base64,`+opaquePNG+`"}],"samplers":[{"magFilter":9729}],
"animations":[{"samplers":[{"input":%d,"output":%d},{"input":%d,"output":%d,"interpolation":"STEP"}],
"channels":[{"sampler":0,"target":{"node":1,"path":"rotation"}},{"sampler":1,"target":{"node":2,"path":"weights"}}]}],
"extensionsUsed":["KHR_lights_punctual","KHR_materials_variants","KHR_materials_clearcoat","KHR_materials_specular","EXT_materials_bump","X_y","EXT_texture_webp"],
"extensions":{"KHR_lights_punctual":{"lights":[{"type":"spot","spot":{"outerConeAngle":0.5}}]},"KHR_materials_variants":{"variants":[{"name":"x"}]}},
"accessors":[%s],"bufferViews":[%s],"buffers":[{"byteLength":%d}]}`,
		bind, position, normal, uv, color, joints, weights, corners, bump, position, uv, corners, sparse,
		len(views)-1, times, turns, times, shapes, strings.Join(accessors, ","), strings.Join(views, ","), len(data)), data
}

func isModel(ext string) bool {
	return slices.Contains([]string{".gltf", ".model", ".glb", ".obj"}, ext)
}

var (
	anyNumber = regexp.MustCompile(`-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?`)
	anyList   = regexp.MustCompile(`\[[^\][{}]*\]`)
	anyWord   = regexp.MustCompile(`"[A-Za-z_0-9/]+"`)
)

// damageModel changes a number, a list or a word of a document in such a way that the result can
// usually be decoded.
func (m *mutator) damageModel(ext string, data []byte) []byte {
	text, chunk := data, []byte(nil)
	if ext == ".glb" {
		var err error
		if text, chunk, _, err = gltf.SplitGLB(data); err != nil {
			return data
		}
	}
	from, by := anyNumber, pick(m.rand, []string{"0", "1", "2", "3", "7", "-1", "0.5", "2.0", "1e1", "5121", "5123", "5126", "4294967296", "1e999"})
	switch m.rand.IntN(6) {
	case 0:
		from, by = anyList, pick(m.rand, []string{"[]", "[0]", "[0,0]", "[2,0,0,1]", "{}", "null"})
	case 1:
		from, by = anyWord, pick(m.rand, []string{`"scale"`, `"VEC3"`, `"TEXCOORD_1"`, `"JOINTS_0"`, `"extensions"`, `"weights"`, `"CUBICSPLINE"`})
	}
	all := from.FindAllIndex(text, -1)
	if len(all) == 0 {
		return data
	}
	if ext == ".glb" && len(chunk) > 4 && m.rand.IntN(3) == 0 { // change a number in the buffer instead
		chunk = bytes.Clone(chunk)
		x := pick(m.rand, []float32{0, 1, -1, 2, 1e-3, 1e30, float32(math.NaN())})
		binary.LittleEndian.PutUint32(chunk[m.rand.IntN(len(chunk)/4)*4:], math.Float32bits(x))
	} else {
		at := all[m.rand.IntN(len(all))]
		text = slices.Concat(text[:at[0]], []byte(by), text[at[1]:])
	}
	if ext != ".glb" {
		return text
	}
	var b bytes.Buffer
	if gltf.WriteGLB(&b, text, [][]byte{append(chunk, make([]byte, -len(chunk)&3)...)}) != nil {
		return data
	}
	return b.Bytes()
}

// checkModel cooks a cooked model again. The model must be accepted without any repair. A missing
// image is allowed if the first cook has warned of it.
func checkModel(ctx context.Context, file string, warned []string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	r := mesh.Recipe()
	c := r.New()
	mustSetOption(c, "textures", "keep")
	again := file + ".again"
	defer os.Remove(again)
	job := jobs.New(r, jobs.Env{
		Path: "a.glb", Outputs: []string{again},
		Open:   func(string) (fs.File, error) { return os.Open(file) },
		Stat:   func(string) (fs.FileInfo, error) { return nil, fs.ErrNotExist },
		Create: func(int) (*os.File, error) { return os.Create(again) },
	}, int64(len(data)))
	if err := c.Cook(ctx, job); err != nil {
		return fmt.Errorf("the cooked model is rejected: %w", err)
	}
	images := func(line string) bool { return strings.Contains(line, "; the model names ") }
	left := jobs.Warnings(job)
	if slices.ContainsFunc(left, images) && !slices.ContainsFunc(warned, images) {
		return errors.New("images do not exist, but there was no warning")
	}
	if left = slices.DeleteFunc(left, images); len(left) > 0 {
		return fmt.Errorf("the cooked model needs repair: %s", left[0])
	}
	return nil
}
