// Package obj converts Wavefront OBJ models, with the materials of their MTL files, to glTF 2.0
// (Wavefront Technologies, "Advanced Visualizer", appendix B1, "Object Files", and "MTL material
// format").
//
// The package reads v, also with a color, vt and vn; f, l and p with positive and negative indices;
// o, g, usemtl, mtllib, comments and continued lines. In MTL files it reads the statements that
// glTF can represent (look.go). Numbers are rounded to float32 once, correctly. Free-form curves
// and surfaces are an error.
//
// Convert lists all other statements of a model, with three exceptions. The weight of a vertex is
// only needed for curves. Ambient light (Ka) belongs to the scene in glTF. glTF has only
// one illumination model (illum).
//
// Vertex colors are sRGB and become linear; vertices without a color are white. A fourth color
// component is alpha.
//
// Each object becomes a node and a mesh; if a file has no objects, each group does. A mesh has one
// primitive per material, in the order of their first use. It has further primitives for polygons
// with other attributes, lines and points. Normals are normalized; normals of length 0 count as
// missing. Polygons are triangulated by ear clipping, convex polygons as a fan. Texture coordinates
// are flipped vertically, because in glTF they start at the top.
package obj

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/assetcook/assetcook/internal/detmath"
)

// Convert returns the text of a glTF document and its only buffer. read reads a file by its path
// relative to the model. Convert calls it only for MTL files. If a file does not exist
// (fs.ErrNotExist), its materials have no properties. Errors include the line number. lost lists
// the statements that glTF cannot represent, as text for users.
func Convert(ctx context.Context, model []byte, read func(name string) ([]byte, error)) (text, buffer []byte, lost []string, err error) {
	p := &parser{byName: map[string]int{}, open: map[key]int{}, material: none}
	line := func(words []string, rest string) error { return p.parseStatement(ctx, words, rest) }
	if err := eachLine(ctx, model, line); err != nil {
		return nil, nil, nil, err
	}
	for _, name := range p.libraries {
		name = strings.ReplaceAll(name, `\`, "/")
		data, err := read(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil {
			l := &library{materials: p.materials, byName: p.byName, dir: path.Dir(name), current: none, lost: &p.lost}
			err = eachLine(ctx, data, l.parseMTLStatement)
		}
		if err != nil {
			return nil, nil, nil, fmt.Errorf("mtllib %.200s: %w", name, err)
		}
	}
	if len(p.parts) == 0 {
		return nil, nil, nil, errors.New("the model has no face, line or point; export it again")
	}
	if n := len(p.v) / 3; p.colors == nil && len(p.painted) == 3*n {
		for i := range n {
			for _, x := range p.painted[3*i:][:3] {
				p.colors = append(p.colors, linearFromSRGB(float32(x)/math.MaxUint8))
			}
			p.colors = append(p.colors, 1)
		}
	} else if len(p.painted) > 0 && p.colors == nil {
		p.lost.countLost(paint, "because there are fewer colors than vertices")
	}
	if p.bare && p.smooth {
		p.lost.countLost("s", `smoothing groups; set normals = "smooth" in a rule to make normals`)
	}
	text, buffer, err = p.writeDocument(ctx)
	return text, buffer, p.lost.lostStatements(), err
}

// A corner holds the indices of a vertex, of its texture coordinates and of its normal, counted
// from 0. A missing index has the value none.
type corner struct{ v, vt, vn int32 }

const none = -1

// A key holds the common properties of all triangles of a part.
type key struct {
	object, material int
	mode             int // glTF primitive mode: points, lines or triangles
	uvs, normals     bool
}

const (
	points    = 0
	lines     = 1
	triangles = 4
)

// A part becomes a glTF primitive.
type part struct {
	key
	corners []corner
}

type object struct {
	name string
	used bool
}

// A parser holds what has been parsed of a model so far.
type parser struct {
	v, vt, vn  []float32 // vectors with three, two and three components
	colors     []float32 // color components, four per vertex; nil without colors
	objects    []object  // objects from o lines, or from g lines if there are none
	hasObjects bool      // set if the model has o lines
	materials  []*material
	byName     map[string]int
	libraries  []string
	material   int // index of the current material
	parts      []part
	open       map[key]int // indices of parts that may get more corners, by their common properties
	painted    []byte      // red, green and blue of vertices, from ZBrush comments
	polygon    []corner
	cutter     cutter
	smooth     bool // set if the model has smoothing groups
	bare       bool // set if the model has faces without normals
	lost       losses
}

// parseStatement parses one line, split into words.
func (p *parser) parseStatement(ctx context.Context, words []string, rest string) error {
	switch words[0] {
	case "v":
		if err := parseNumbers(words[1:], 3, &p.v); err != nil {
			return err
		}
		return p.parseVertexColor(words[4:])
	case "vt":
		if len(words) > 3 {
			if depth, err := parseFloat32(words[3]); err != nil || depth != 0 {
				p.lost.countLost("vt", "third coordinates")
			}
		}
		return parseNumbers(words[1:], 2, &p.vt)
	case "vn":
		if err := parseNumbers(words[1:], 3, &p.vn); err != nil {
			return err
		}
		scaleToUnit(p.vn[len(p.vn)-3:])
	case "f":
		return p.parseElementStatement(ctx, words[1:], triangles, 3)
	case "l":
		return p.parseElementStatement(ctx, words[1:], lines, 2)
	case "p":
		return p.parseElementStatement(ctx, words[1:], points, 1)
	case "o":
		p.beginObject(rest, true)
	case "g":
		if p.hasObjects && rest != "" && rest != "off" && rest != "default" && rest != p.objects[len(p.objects)-1].name {
			p.lost.countLost("g", "groups within objects; materials are kept")
		}
		p.beginObject(rest, false)
	case "usemtl":
		p.useMaterial(rest)
	case "mtllib":
		return p.addLibrary(rest)
	case "curv", "curv2", "surf":
		return fmt.Errorf("%s: free-form curves and surfaces are not read; export the model as polygons", words[0])
	case paint: // each vertex has a mask, which is ignored, and red, green and blue
		for ; len(rest) >= 8; rest = rest[8:] {
			mrgb, err := hex.DecodeString(rest[:8])
			if err != nil {
				break // this is an ordinary comment
			}
			p.painted = append(p.painted, mrgb[1:]...)
		}
	case "s":
		p.smooth = p.smooth || rest != "off" && rest != "0"
	case "vp", "cstype", "deg", "bmat", "step", "parm", "trim", "hole", "scrv", "sp", "end", "con":
		// ignored, because a curve or surface that uses these statements is an error
	default:
		p.lost.countLost(words[0], "")
	}
	return nil
}

// parseVertexColor parses the color of the last vertex: three numbers after its position, or four
// with alpha.
func (p *parser) parseVertexColor(words []string) error {
	if len(words) < 3 { // a single number is probably a weight, not a color
		if p.colors != nil {
			p.colors = append(p.colors, 1, 1, 1, 1)
		}
		return nil
	}
	for len(p.colors)/4 < len(p.v)/3-1 {
		p.colors = append(p.colors, 1, 1, 1, 1)
	}
	c := [4]float32{3: 1}
	for i, w := range words[:min(len(words), 4)] {
		x, err := parseFloat32(w)
		if err != nil {
			return err
		}
		if c[i] = min(max(x, 0), 1); c[i] != x {
			p.lost.countLost("v", "colors that are not from 0 to 1 are clamped")
		}
	}
	for i, x := range c[:3] {
		c[i] = linearFromSRGB(x)
	}
	p.colors = append(p.colors, c[:]...)
	return nil
}

// linearFromSRGB converts a component of an sRGB color to linear light (IEC 61966-2-1).
func linearFromSRGB(x float32) float32 {
	if x <= 0.04045 {
		return float32(float64(x) / 12.92)
	}
	return float32(detmath.Pow((float64(x)+0.055)/1.055, 2.4))
}

// isColored reports whether any corner has a color other than white.
func (p *parser) isColored(corners []corner) bool {
	return p.colors != nil && slices.ContainsFunc(corners, func(c corner) bool {
		return [4]float32(p.colors[4*int(c.v):]) != [4]float32{1, 1, 1, 1}
	})
}

// beginObject starts an object. Groups count as objects only in models without objects.
func (p *parser) beginObject(name string, isObject bool) {
	if isObject && !p.hasObjects {
		p.hasObjects = true
	} else if !isObject && p.hasObjects {
		return
	}
	p.objects = append(p.objects, object{name: name})
}

func (p *parser) useMaterial(name string) {
	i, ok := p.byName[name]
	if !ok {
		i = len(p.materials)
		p.byName[name] = i
		p.materials = append(p.materials, &material{name: name})
	}
	p.material = i
}

// maxLibraries limits the number of MTL files of a model.
const maxLibraries = 64

// addLibrary adds the files of an mtllib line: either one file, whose name may contain spaces, or
// several files that all end in .mtl.
func (p *parser) addLibrary(name string) error {
	if name == "" {
		return errors.New("there is no name after mtllib")
	}
	words := strings.Fields(name)
	if slices.ContainsFunc(words, func(w string) bool { return !strings.EqualFold(path.Ext(w), ".mtl") }) {
		words = []string{name}
	}
	if len(p.libraries)+len(words) > maxLibraries {
		return fmt.Errorf("there are more than %d files after mtllib", maxLibraries)
	}
	p.libraries = append(p.libraries, words...)
	return nil
}

// Libraries returns the MTL files that a model, or the start of a model, refers to: relative to it,
// with slashes. It returns none for a text that is not a model.
func Libraries(ctx context.Context, model []byte) (names []string) {
	p := &parser{}
	err := eachLine(ctx, model, func(words []string, rest string) error {
		if words[0] == "mtllib" {
			return p.addLibrary(rest)
		}
		return nil
	})
	if err != nil {
		return nil
	}
	for _, name := range p.libraries {
		names = append(names, path.Clean(strings.ReplaceAll(name, `\`, "/")))
	}
	return names
}

// parseElementStatement reads a face, line or point element.
func (p *parser) parseElementStatement(ctx context.Context, words []string, mode, least int) error {
	if len(words) < least {
		return fmt.Errorf("there are %d corners, want at least %d", len(words), least)
	}
	p.polygon = p.polygon[:0]
	uvs, normals := true, mode == triangles
	for i, w := range words {
		if i%pace == pace-1 && ctx.Err() != nil {
			return ctx.Err()
		}
		c, err := p.parseCorner(w)
		if err != nil {
			return err
		}
		uvs = uvs && c.vt != none
		normals = normals && c.vn != none
		p.polygon = append(p.polygon, c)
	}
	p.bare = p.bare || mode == triangles && !normals
	part := p.openPart(key{object: p.currentObject(), material: p.material, mode: mode, uvs: uvs, normals: normals})
	switch mode {
	case points:
		part.corners = append(part.corners, p.polygon...)
	case lines:
		for i, c := range p.polygon[1:] {
			part.corners = append(part.corners, p.polygon[i], c)
		}
	default:
		var err error
		part.corners, err = p.cutter.cutPolygon(ctx, p.v, p.polygon, part.corners)
		return err
	}
	return nil
}

// currentObject returns the object that receives new elements.
func (p *parser) currentObject() int {
	if len(p.objects) == 0 {
		p.objects = append(p.objects, object{})
	}
	i := len(p.objects) - 1
	p.objects[i].used = true
	return i
}

func (p *parser) openPart(k key) *part {
	i, ok := p.open[k]
	if !ok {
		i = len(p.parts)
		p.open[k] = i
		p.parts = append(p.parts, part{key: k})
	}
	return &p.parts[i]
}

// parseCorner parses a corner in one of the forms v, v/vt, v//vn and v/vt/vn.
func (p *parser) parseCorner(word string) (corner, error) {
	c := corner{none, none, none}
	var err error
	v, rest, more := strings.Cut(word, "/")
	if c.v, err = parseIndex(v, len(p.v)/3, "vertex"); err != nil || !more {
		return c, err
	}
	vt, vn, more := strings.Cut(rest, "/")
	if vt != "" {
		if c.vt, err = parseIndex(vt, len(p.vt)/2, "texture coordinate"); err != nil {
			return c, err
		}
	}
	if !more || vn == "" {
		return c, nil
	}
	if c.vn, err = parseIndex(vn, len(p.vn)/3, "normal"); err != nil {
		return c, err
	}
	if n := p.vn[3*int(c.vn):][:3]; n[0] == 0 && n[1] == 0 && n[2] == 0 {
		c.vn = none // ignore a normal of length 0
	}
	return c, nil
}

// parseIndex parses an index into a list of n elements. Positive indices count from 1, negative
// indices from the end.
func parseIndex(text string, n int, what string) (int32, error) {
	i, err := strconv.Atoi(text)
	switch {
	case err != nil:
		return 0, fmt.Errorf("%.40q is not the number of a %s", text, what)
	case i < 0:
		i += n
	default:
		i--
	}
	if i < 0 || i >= n {
		return 0, fmt.Errorf("%s %.40s does not exist; the file has %d", what, text, n)
	}
	return int32(i), nil
}

// parseNumbers parses n numbers and ignores further words. A texture coordinate may lack its second
// number.
func parseNumbers(words []string, n int, to *[]float32) error {
	if len(words) < n && (n != 2 || len(words) < 1) {
		return fmt.Errorf("there are %d numbers, want %d", len(words), n)
	}
	if len(*to) > 1<<30 {
		return errors.New("the file has more than 2^30 numbers")
	}
	for i := range n {
		if i == len(words) {
			*to = append(*to, 0)
			break
		}
		x, err := parseFloat32(words[i])
		if err != nil {
			return err
		}
		*to = append(*to, x)
	}
	return nil
}

// scaleToUnit normalizes a vector, unless its length is 0.
func scaleToUnit(v []float32) {
	sum := float64(0)
	for _, x := range v {
		sum += float64(float64(x) * float64(x))
	}
	if sum == 0 {
		return
	}
	for i, x := range v {
		v[i] = float32(float64(x) / math.Sqrt(sum))
	}
}

// parseFloat32 parses a decimal number.
func parseFloat32(word string) (float32, error) {
	if strings.Trim(word, "+-.0123456789eE") != "" {
		return 0, fmt.Errorf("%.40q is not a number", word)
	}
	x, err := strconv.ParseFloat(word, 32)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return 0, fmt.Errorf("%.40q is larger than a float32 can be", word)
	case err != nil:
		return 0, fmt.Errorf("%.40q is not a number", word)
	}
	return float32(x), nil
}
