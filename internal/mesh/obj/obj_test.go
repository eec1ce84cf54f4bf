package obj

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io/fs"
	"math"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// files returns a function that reads MTL files from a map.
func files(m map[string]string) func(string) ([]byte, error) {
	return func(name string) ([]byte, error) {
		if text, ok := m[name]; ok {
			return []byte(text), nil
		}
		return nil, fmt.Errorf("open %s: %w", name, fs.ErrNotExist)
	}
}

func convert(t testing.TB, model string, libraries map[string]string) (*gltf, []byte) {
	t.Helper()
	text, data, _, err := Convert(t.Context(), []byte(model), files(libraries))
	if err != nil {
		t.Fatal(err)
	}
	d := new(gltf)
	if err := json.Unmarshal(text, d); err != nil {
		t.Fatal(err)
	}
	return d, data
}

func floats(d *gltf, data []byte, accessor int) []float32 {
	v := d.BufferViews[d.Accessors[accessor].BufferView]
	var list []float32
	for i := v.ByteOffset; i < v.ByteOffset+v.ByteLength; i += 4 {
		list = append(list, math.Float32frombits(binary.LittleEndian.Uint32(data[i:])))
	}
	return list
}

const square = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n"

// TestPolygons converts models with one polygon. The wanted text lists the corners of the
// triangles, as x and y.
func TestPolygons(t *testing.T) {
	for _, tc := range []struct{ name, model, want string }{
		{"triangle", square + "f 1 2 3", "00 10 11"},
		{"square", square + "f 1 2 3 4", "00 10 11, 00 11 01"},
		{"clockwise", square + "f 4 3 2 1", "01 11 10, 01 10 00"},
		{"from the end", square + "f -4 -3 -2", "00 10 11"},
		{"dart", "v 0 0 0\nv 4 1 0\nv 0 2 0\nv 1 1 0\nf 1 2 3 4", "01 10 00"},
		{"goes on", square + "f 1 2 \\\n 3", "00 10 11"},
		{"stands up", "v 0 0 0\nv 0 0 1\nv 0 1 1\nv 0 1 0\nf 1 2 3 4", "00 00 01, 00 01 01"},
	} {
		d, data := convert(t, tc.model, nil)
		p := floats(d, data, d.Meshes[0].Primitives[0].Attributes.Position)
		var text strings.Builder
		for i := 0; i < len(p); i += 3 {
			if i > 0 && i%9 == 0 {
				text.WriteString(",")
			}
			if i > 0 {
				text.WriteString(" ")
			}
			fmt.Fprintf(&text, "%g%g", p[i], p[i+1])
		}
		if tc.name == "dart" { // several triangulations are correct, so only the area is compared
			if len(p) != 18 || math.Abs(area(p)-3) > 1e-6 {
				t.Errorf("dart: %v of area %g, want 3", p, area(p))
			}
			continue
		}
		if text.String() != tc.want {
			t.Errorf("%s: %s, want %s", tc.name, text.String(), tc.want)
		}
	}
}

// area returns the total area of triangles in the plane of x and y. Clockwise triangles count as
// negative; there must be none.
func area(p []float32) float64 {
	sum := 0.
	for i := 0; i+8 < len(p); i += 9 {
		at := func(k int) float64 { return float64(p[i+k]) }
		a := ((at(3)-at(0))*(at(7)-at(1)) - (at(6)-at(0))*(at(4)-at(1))) / 2
		if a < -1e-9 {
			return math.NaN()
		}
		sum += a
	}
	return sum
}

// TestEarsCoverThePolygon triangulates polygons that wind once around a point, with corners at
// random distances. The triangles must cover the area exactly once, and none may be clockwise.
func TestEarsCoverThePolygon(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(3, 30).Draw(t, "corners")
		var v []float32
		var polygon []corner
		want := 0.
		for i := range n {
			r := rapid.Float64Range(0.2, 3).Draw(t, "radius")
			a := 2 * math.Pi * float64(i) / float64(n)
			v = append(v, float32(r*math.Cos(a)), float32(r*math.Sin(a)), 7)
			polygon = append(polygon, corner{int32(i), none, none})
		}
		for i := range n {
			j := (i + 1) % n
			want += (float64(v[3*i])*float64(v[3*j+1]) - float64(v[3*j])*float64(v[3*i+1])) / 2
		}
		triangles, err := new(cutter).cutPolygon(context.Background(), v, polygon, nil)
		if err != nil || len(triangles) != 3*(n-2) {
			t.Fatalf("%d corners of %d, %v", len(triangles), n, err)
		}
		var p []float32
		for _, c := range triangles {
			p = append(p, v[3*c.v:][:3]...)
		}
		if have := area(p); math.IsNaN(have) || math.Abs(have-want) > 1e-4 {
			t.Fatalf("area %g, want %g: %v", have, want, v)
		}
	})
}

const parts = `
# a comment
mtllib one.mtl  # and one behind a line
mtllib gone.mtl
o body
v 0 0 0
v 1 0 0
v 1 1 0 1.0
v 0 1 0
vt 0.25 0.125
vt 1 1 0
vt 0
vn 0 0 2
vn 0 0 0
usemtl red paint
f 1/1/1 2/2/1 3/1/1
f 1//1 2//1 3//1
f 1/1/2 2/1/1 3/1/1
g ignored
usemtl glass
f 1/3 2/2 3/1
usemtl red paint
f 2/1/1 3/2/1 4/1/1
o wire
l 1/1 2/1 3/1
p 1 2
o empty
`

func TestParts(t *testing.T) {
	d, data := convert(t, parts, map[string]string{"one.mtl": `
newmtl red paint
Kd 1 0.5 0.25
Ks 1 1 1
map_Kd -s 2 2 -o 0.5 tex\red paint.png
norm -clamp on -bm 1 n#ormal.png
newmtl other
map_Kd other.png
newmtl glass
Kd 0.5
Tr 0.25
map_Kd C:\Users\me\glass.png
newmtl glass
Kd 0 0 0
`})
	var have []string
	for _, n := range d.Nodes {
		for _, p := range d.Meshes[n.Mesh].Primitives {
			s := fmt.Sprintf("%s mode %d, %d corners", n.Name, p.Mode, d.Accessors[p.Attributes.Position].Count)
			if p.Material != nil {
				s += ", " + d.Materials[*p.Material].Name
			}
			if p.Attributes.TexCoord != nil {
				s += ", uv"
			}
			if p.Attributes.Normal != nil {
				s += ", normals"
			}
			have = append(have, s)
		}
	}
	want := []string{
		"body mode 4, 6 corners, red paint, uv, normals", "body mode 4, 3 corners, red paint, normals",
		"body mode 4, 3 corners, red paint, uv", "body mode 4, 3 corners, glass, uv",
		"wire mode 1, 4 corners, red paint, uv", "wire mode 0, 2 corners, red paint",
	}
	if !reflect.DeepEqual(have, want) {
		t.Errorf("have\n%s\nwant\n%s", strings.Join(have, "\n"), strings.Join(want, "\n"))
	}
	first := d.Meshes[0].Primitives[0].Attributes
	if uv := floats(d, data, *first.TexCoord); !reflect.DeepEqual(uv[:4], []float32{0.25, 0.875, 1, 0}) {
		t.Errorf("texture coordinates %v", uv)
	}
	if n := floats(d, data, *first.Normal); !reflect.DeepEqual(n[:3], []float32{0, 0, 1}) {
		t.Errorf("normals %v", n)
	}
	looks, err := json.Marshal(d.Materials)
	if err != nil {
		t.Fatal(err)
	}
	if have, want := string(looks), `[{"name":"red paint","pbrMetallicRoughness":{"baseColorFactor":[1,0.5,0.25,1],"baseColorTexture":{"index":0,"extensions":{"KHR_texture_transform":{"offset":[0.5,-1],"scale":[2,2]}}},"metallicFactor":0},`+
		`"normalTexture":{"index":1},"extensions":{"KHR_materials_specular":{"specularColorFactor":[2,2,2]}}},`+
		`{"name":"glass","pbrMetallicRoughness":{"baseColorFactor":[0.5,0.5,0.5,0.75],"baseColorTexture":{"index":2},"metallicFactor":0},"alphaMode":"BLEND"}]`; have != want {
		t.Errorf("materials %s, want %s", have, want)
	}
	if have := fmt.Sprint(d.Images); have != "[{tex/red%20paint.png} {n%23ormal.png} {glass.png}]" {
		t.Errorf("images %s", have)
	}
}

// TestVertexColors checks that colors after vertices and in ZBrush's comments become linear.
// Vertices without a color are white. A model has no colors if all its vertices are white.
func TestVertexColors(t *testing.T) {
	const faces = "f 1 2 3\n"
	half := float32(0.21404114) // linear value of sRGB 0.5
	for _, tc := range []struct {
		name, model string
		want        []float32
		lost        string
	}{
		{"none", "v 0 0 0\nv 1 0 0\nv 0 1 0\n" + faces, nil, ""},
		{"weights", "v 0 0 0 1\nv 1 0 0 0.5\nv 0 1 0 1\n" + faces, nil, ""},
		{"white", "v 0 0 0 1 1 1\nv 1 0 0 1 1 1\nv 0 1 0\n" + faces, nil, ""},
		{"three", "v 0 0 0 1 0 0\nv 1 0 0 0 0.5 0\nv 0 1 0 0 0 0.04\n" + faces, []float32{1, 0, 0, 1, 0, half, 0, 1, 0, 0, 0.04 / 12.92, 1}, ""},
		{"of some", "v 0 0 0\nv 1 0 0 0 0.5 0\nv 0 1 0 1\n" + faces, []float32{1, 1, 1, 1, 0, half, 0, 1, 1, 1, 1, 1}, ""},
		{"with alpha", "v 0 0 0 1 0 0 0.25 // of a tree\nv 1 0 0\nv 0 1 0\n" + faces, []float32{1, 0, 0, 0.25, 1, 1, 1, 1, 1, 1, 1, 1}, ""},
		{"of a line that goes on", "v 0 0 0 \\\n1 0 0\nv 1 0 0\nv 0 1 0\n" + faces, []float32{1, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1}, ""},
		{"of bytes", "v 0 0 0 255 0 0\nv 1 0 0\nv 0 1 0\n" + faces, []float32{1, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1}, "v (colors that are not from 0 to 1 are clamped)"},
		{"painted", "v 0 0 0\nv 1 0 0\nv 0 1 0\n#MRGB ffff0000ff00ff00\n#MRGB ff0000ff\n" + faces, []float32{1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 1, 1}, ""},
		{"painted in part", "v 0 0 0\nv 1 0 0\nv 0 1 0\n#MRGB ffff0000\n" + faces, nil, "#MRGB (because there are fewer colors than vertices)"},
		{"a comment", "v 0 0 0\nv 1 0 0\nv 0 1 0\n#MRGB is what ZBrush writes\n" + faces, nil, ""},
	} {
		text, data, lost, err := Convert(t.Context(), []byte(tc.model), files(nil))
		d := new(gltf)
		if err != nil || json.Unmarshal(text, d) != nil {
			t.Fatalf("%s: %v", tc.name, err)
		}
		var have []float32
		if a := d.Meshes[0].Primitives[0].Attributes.Color; a != nil {
			have = floats(d, data, *a)
		}
		if !reflect.DeepEqual(have, tc.want) || strings.Join(lost, ", ") != tc.lost {
			t.Errorf("%s: colors %v, want %v; lost %q", tc.name, have, tc.want, lost)
		}
	}
}

// TestMaterials checks that each statement of a material is converted or listed as lost.
func TestMaterials(t *testing.T) {
	const specular, coat = `"KHR_materials_specular"`, `"KHR_materials_clearcoat"`
	for _, tc := range []struct{ library, want, lost string }{
		{"Kd 0.5 0.5 0.5\nKa 1 1 1\nillum 2\nNi 1\nKs 0.5 0.5 0.5\nTf 1 1 1\nd 1", `"baseColorFactor":[0.5,0.5,0.5,1]`, ""},
		{"map_kd a.png\nmap_Ka a.png", `"baseColorTexture":{"index":0}`, ""},
		{"Ns 30", `"roughnessFactor":0.5`, ""},
		{"Ns 30\nillum 1", `"pbrMetallicRoughness":{"metallicFactor":0}`, ""},
		{"Ns 30\nKs 0 0 0", specular + `:{"specularFactor":0}`, ""},
		{"Ks 0.25 0.5 1", specular + `:{"specularColorFactor":[0.5,1,2]}`, ""},
		{"map_Ks s.png", specular + `:{"specularColorFactor":[2,2,2],"specularColorTexture":{"index":0}}`, ""},
		{"Ni 1.25", `"KHR_materials_ior":{"ior":1.25}`, ""},
		{"Ke 0.5 0.25 0", `"emissiveFactor":[0.5,0.25,0]`, ""},
		{"Ke 4 2 0", `"emissiveFactor":[1,0.5,0],"extensions":{"KHR_materials_emissive_strength":{"emissiveStrength":4}}`, ""},
		{"Ke 0 0 0\nmap_Ke e.png", `"emissiveTexture":{"index":0},"emissiveFactor":[1,1,1]`, ""},
		{"Pr 0.25\nPm 0.75", `"metallicFactor":0.75,"roughnessFactor":0.25`, ""},
		{"Pr 0.25\nmap_Pr r.png", `"metallicFactor":0,"metallicRoughnessTexture":{"index":0}`, ""},
		{"map_Pr -imfchan g o.png\nmap_Pm -imfchan b o.png", `"metallicFactor":1,"metallicRoughnessTexture":{"index":0}`, ""},
		{"map_Pr r.png\nmap_Pm m.png", `"metallicFactor":0}`, "map_Pm (glTF needs one image with roughness in green and metalness in blue: use -imfchan g for map_Pr, -imfchan b for map_Pm), map_Pr (glTF needs one image with roughness in green and metalness in blue: use -imfchan g for map_Pr, -imfchan b for map_Pm)"},
		{"Pc 1\nPcr 0.5", coat + `:{"clearcoatFactor":1,"clearcoatRoughnessFactor":0.5}`, ""},
		{"map_Pc c.png", coat + `:{"clearcoatFactor":1,"clearcoatRoughnessFactor":0,"clearcoatTexture":{"index":0}}`, ""},
		{"Ps 0.5\naniso 0.25", `"KHR_materials_anisotropy":{"anisotropyStrength":0.25},"KHR_materials_sheen":{"sheenColorFactor":[0.5,0.5,0.5]}`, ""},
		{"norm -bm 0.5 n.png", `"normalTexture":{"index":0,"scale":0.5}`, ""},
		{"map_Kd -clamp on a.png\nmap_Ke a.png", `"emissiveTexture":{"index":1}`, ""},
		{"map_Kd -s 2 4 -o 0.25 0.5 1 a.png", `{"KHR_texture_transform":{"offset":[0.25,-3.5],"scale":[2,4]}}`, ""},
		{"map_Kd -mm 0 1 -blendu on -cc off -t 0 0 0 a.png", `"baseColorTexture":{"index":0}`, ""},
		{"map_Kd -mm 0.5 1 -boost 2 -blendv off -texres 512 a.png", `"baseColorTexture":{"index":0}`, "-blendv, -boost, -mm, -texres"},
		{"map_d a.png\nmap_Kd a.png", `"alphaMode":"BLEND"`, ""},
		{"map_d b.png\nmap_Kd a.png", `"alphaMode":"BLEND"`, "map_d (glTF reads opacity from the alpha of the map_Kd image)"},
		{"map_Bump b.png", `"metallicFactor":0`, "map_Bump (norm names a normal map)"},
		{"d -halo 0.5\nTf 0.5 1 1\nKd spectral a.rfl\nanisor 0.5\nsharpness 100", `"alphaMode":"BLEND"`, "Kd spectral, Tf, anisor, d -halo, sharpness"},
		{"map_Ns a.png\ndisp b.png\ndecal c.png\nrefl -type sphere d.png\nmap_aat on\nmap_Ps s.png", `"metallicFactor":0`, "decal, disp, map_Ns, map_Ps, map_aat, refl"},
		{"Ks red\nNs\nKe 1 x 1", `"metallicFactor":0`, "Ke, Ks, Ns"},
	} {
		model := "mtllib a.mtl\nusemtl m\n" + square + "f 1 2 3"
		text, _, lost, err := Convert(t.Context(), []byte(model), files(map[string]string{"a.mtl": "newmtl m\n" + tc.library}))
		if err != nil || !strings.Contains(string(text), tc.want) || strings.Join(lost, ", ") != tc.lost {
			t.Errorf("%s: lost %q, want %q; %v\n%s\nwithout %s", tc.library, lost, tc.lost, err, text, tc.want)
		}
	}
}

// TestStatements checks that each statement of OBJ with an effect is converted or listed as lost.
func TestStatements(t *testing.T) {
	for _, tc := range []struct{ model, lost string }{
		{square + "s off\nf 1 2 3", ""},
		{square + "vn 0 0 1\ns 1\nf 1//1 2//1 3//1", ""},
		{square + "s 1\nf 1 2 3", `s (smoothing groups; set normals = "smooth" in a rule to make normals)`},
		{square + "maplib a.map\nusemap wood\nbevel on\nlod 3\nf 1 2 3", "bevel, lod, maplib, usemap"},
		{square + "vp 0 0\ncstype bezier\nend\nf 1 2 3", ""},
		{square + "# of C:\\models\\\nf 1 2 3", ""},
		{square + "f 1 2 3 # of C:\\models\\\nv 9 9 9", ""},
		{square + "f 1 2 \\\n3 # of C:\\models\\\nv 9 9 9", ""},
	} {
		text, _, lost, err := Convert(t.Context(), []byte(tc.model), files(nil))
		if err != nil || strings.Join(lost, ", ") != tc.lost || !strings.Contains(string(text), `"count":3`) {
			t.Errorf("%q: lost %q, %v, %s", tc.model, lost, err, text)
		}
	}
	d, _ := convert(t, "mtllib a.mtl b.MTL\nusemtl a\n"+square+"f 1 2 3\nusemtl b\nf 1 2 4", map[string]string{
		"a.mtl": "newmtl a\nPm 1", "b.MTL": "newmtl b\nPm 1",
	})
	if d.Materials[0].PBR == nil || d.Materials[1].PBR == nil {
		t.Errorf("materials of two files in one line: %+v", d.Materials)
	}
}

// TestGroups checks that groups become nodes if there are no objects. File names in a material
// library are relative to the library's directory.
func TestGroups(t *testing.T) {
	d, _ := convert(t, square+"g left\nf 1 2 3\ng right side\nusemtl m\nf 1 2 4\nmtllib sub\\m.mtl\n",
		map[string]string{"sub/m.mtl": "newmtl m\nmap_Kd ../a.png\nnorm n.png\nd 0.5\n"})
	if have := fmt.Sprint(d.Nodes, d.Images); have != "[{left 0} {right side 1}] [{a.png} {sub/n.png}]" {
		t.Errorf("nodes and images %s", have)
	}
	if d.Materials[0].Normal == nil || d.Materials[0].Normal.Index != 1 {
		t.Errorf("normal map %v", d.Materials[0].Normal)
	}
}

// TestNumbers expects the float32 nearest to each text.
func TestNumbers(t *testing.T) {
	d, data := convert(t, "v 16777217 0.1 1e-45\nv -2.5E+3 .5 5.\nv 3.4028235e38 1.00000017881393432617187499 -0\nf 1 2 3", nil)
	want := []float32{16777216, 0.1, 1e-45, -2500, 0.5, 5, math.MaxFloat32, 1.0000001, 0}
	if have := floats(d, data, 0); !reflect.DeepEqual(have, want) {
		t.Errorf("have %v, want %v", have, want)
	}
}

func TestRefuses(t *testing.T) {
	deep := square + "f" + strings.Repeat(" 1 3 2 4", maxCorners/4+1)
	for _, tc := range []struct{ model, want string }{
		{"", "the model has no face, line or point"},
		{square + "f 1 2", "line 5: there are 2 corners, want at least 3"},
		{square + "f 1 2 5", "line 5: vertex 5 does not exist; the file has 4"},
		{square + "f 1 2 0", "line 5: vertex 0 does not exist; the file has 4"},
		{square + "f 1 2 -5", "line 5: vertex -5 does not exist; the file has 4"},
		{square + "f 1/1 2 3", "line 5: texture coordinate 1 does not exist; the file has 0"},
		{square + "f 1//9 2 3", "line 5: normal 9 does not exist; the file has 0"},
		{square + "f 1 2 x", `line 5: "x" is not the number of a vertex`},
		{square + "f 1 2 99999999999999999999", "is not the number of a vertex"},
		{"\n\nv 1 2\n", "line 3: there are 2 numbers, want 3"},
		{"v 1 2 1e39\n", `line 1: "1e39" is larger than a float32 can be`},
		{"v 1 2 nan\n", `line 1: "nan" is not a number`},
		{"v 1 2 0x1\n", `line 1: "0x1" is not a number`},
		{"v 1 2 1_0\n", `line 1: "1_0" is not a number`},
		{"v 0 0 0\\\n\\\n\nf 1 1 2", "line 4: vertex 2 does not exist; the file has 1"},
		{"\x00v", "zero bytes"},
		{"curv 0 1 1 2\n", "free-form curves"},
		{deep, "that is not convex has 1028 corners, want at most 1024"},
		{strings.Repeat("mtllib a\n", 65), "line 65: there are more than 64 files after mtllib"},
		{"mtllib bad.mtl\nusemtl m\n" + square + "f 1 2 3", `mtllib bad.mtl: line 2: "red" is not a number`},
		{"v " + strings.Repeat("0", maxLine), "longer than"},
	} {
		_, _, _, err := Convert(t.Context(), []byte(tc.model), files(map[string]string{"bad.mtl": "newmtl m\nKd red\n"}))
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%.60q: %v, want %q", tc.model, err, tc.want)
		}
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, _, err := Convert(ctx, []byte(square+"f 1 2 3"), files(nil)); err == nil {
		t.Error("went on")
	}
	// The context is also checked during the triangulation of a single polygon.
	comb := strings.Builder{}
	for i := range 64 {
		fmt.Fprintf(&comb, "v %d %d 0\n", i/2, i%2*(1+i%4))
	}
	comb.WriteString("v 31 -1 0\nv 0 -1 0\nf")
	for i := 66; i > 0; i-- {
		fmt.Fprintf(&comb, " %d", i)
	}
	looks := 0
	if _, _, _, err := Convert(counting{t.Context(), &looks}, []byte(comb.String()), files(nil)); err != nil || looks < 5 {
		t.Errorf("looked %d times, %v", looks, err)
	}
}

// counting is a context that counts calls of Err.
type counting struct {
	context.Context
	looks *int
}

func (c counting) Err() error {
	*c.looks++
	return nil
}

// FuzzConvert checks that the result does not exceed the corners and the memory that Measure
// returns.
func FuzzConvert(f *testing.F) {
	f.Add(parts, "newmtl red paint\nmap_Kd -mm 0 1 x.png\n")
	f.Add(square+"f 1 2 3 4\nl 1 2\np 1 2 3\nf 1 \\\n2 3\n", "")
	f.Add("v 0 0 0 1 0 0.5\nv 1 0 0 0 0 0 0.5\nv 0 1 0 \\\n0 1 0\n#MRGB ff00ff00\nf 1 2 3\nf 3 2 1\n", "newmtl m\nNs 3\nmap_Pr -s 2 a\n")
	f.Add("\xef\xbb\xbfv 0 0 0\r\nf 1/ 1// 1//\r\n", "")
	f.Fuzz(func(t *testing.T, model, library string) {
		text, data, _, err := Convert(t.Context(), []byte(model), func(string) ([]byte, error) { return []byte(library), nil })
		if err != nil {
			return
		}
		d := new(gltf)
		if err := json.Unmarshal(text, d); err != nil {
			t.Fatal(err)
		}
		have, parts := 0, 0
		for _, m := range d.Meshes {
			for _, p := range m.Primitives {
				have += d.Accessors[p.Attributes.Position].Count
				parts++
			}
		}
		memory, corners := Measure([]byte(model))
		if int64(have) > corners || int64(parts*partCost+len(data)+len(model)) > memory {
			t.Fatalf("%d corners in %d parts, measured %d and %d bytes", have, parts, corners, memory)
		}
	})
}
