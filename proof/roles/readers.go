package main

import (
	"encoding/binary"
	"encoding/json"
	"encoding/xml"
	"io"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// A tree is a directory whose materials are read.
type tree struct {
	root     string
	pictures map[string]string // actual path by lowercase path
	truth    map[string]string // roles by path
}

// noteSlotPicture records the role of the image that a slot names. Only the first path with an
// existing image counts.
func (t *tree) noteSlotPicture(slot, picture string, places ...string) {
	label := roleOf[strings.ToLower(slot)]
	if label == "" || picture == "" {
		return
	}
	for _, place := range places {
		found, ok := t.pictures[strings.ToLower(path.Join(place, strings.ReplaceAll(picture, `\`, "/")))]
		if !ok {
			continue
		}
		if was, ok := t.truth[found]; ok && was != label {
			label = twice
		}
		t.truth[found] = label
		return
	}
}

// roleOf maps lowercase slot names to roles. Specular maps are missing, because some of them are
// colors.
var roleOf = map[string]string{
	// Slots of glTF.
	"basecolortexture": "color", "emissivetexture": "color", "diffusetexture": "color", "sheencolortexture": "color",
	"specularcolortexture": "color", "diffusetransmissioncolortexture": "color",
	"normaltexture": "normal", "clearcoatnormaltexture": "normal",
	"metallicroughnesstexture": "data", "occlusiontexture": "data", "clearcoattexture": "data", "clearcoatroughnesstexture": "data",
	"transmissiontexture": "data", "thicknesstexture": "data", "sheenroughnesstexture": "data",
	"iridescencetexture": "data", "iridescencethicknesstexture": "data", "anisotropytexture": "data",
	// Slots of MTL.
	"map_kd": "color", "map_ke": "color", "norm": "normal", "map_pr": "data", "map_pm": "data", "disp": "height",
	// Slots of Godot.
	"albedo_texture": "color", "emission_texture": "color", "normal_texture": "normal", "metallic_texture": "data",
	"roughness_texture": "data", "ao_texture": "data", "orm_texture": "data", "heightmap_texture": "height",
	"clearcoat_texture": "data", "anisotropy_flowmap": "data",
	// Slots of Gazebo.
	"albedo_map": "color", "emissive_map": "color", "normal_map": "normal", "roughness_map": "data", "metalness_map": "data",
	"ambient_occlusion_map": "data", "light_map": "lightmap", "environment_map": "environment",
	// Slots of Cube 2: the command texture, followed by the type of the texture.
	"cube 0": "color", "cube c": "color", "cube d": "color", "cube g": "color", "cube n": "normal", "cube z": "height", "cube e": "environment",
	// Slots of 0 A.D.
	"basetex": "color", "normtex": "normal", "aotex": "data",
	// Slots of Trigger Rally.
	"level heightmap": "height", "level roadmap": "mask", "level foliagemap": "data", "level terrainmap": "data",
	"level colormap": "color", "level hudmap": "color", "level minimap": "color", "level screenshot": "color",
	// Slots of SuperTuxKart.
	"kart name": "color", "kart normal-map": "normal", "kart gloss-map": "data", "kart colorization-mask": "mask",
}

// readMaterials adds the images that the materials in a file use.
func (t *tree) readMaterials(name string) {
	ext := strings.ToLower(path.Ext(name))
	switch ext {
	case ".gltf", ".glb", ".mtl", ".tres", ".tscn", ".sdf", ".cfg", ".xml", ".level":
	default:
		return
	}
	text, err := os.ReadFile(filepath.Join(t.root, filepath.FromSlash(name)))
	if err != nil || len(text) == 0 {
		return
	}
	switch ext {
	case ".gltf":
		t.gltf(name, text)
	case ".glb":
		if len(text) > 20 {
			if n := int(binary.LittleEndian.Uint32(text[12:])); n <= len(text)-20 {
				t.gltf(name, text[20:20+n])
			}
		}
	case ".mtl":
		for line := range strings.Lines(string(text)) {
			if words := strings.Fields(line); len(words) > 1 {
				t.noteSlotPicture(words[0], words[len(words)-1], path.Dir(name))
			}
		}
	case ".tres", ".tscn":
		t.godot(name, string(text))
	case ".sdf":
		for _, use := range mapOfSDF.FindAllStringSubmatch(string(text), -1) {
			file := modelOfSDF.ReplaceAllString(strings.TrimSpace(use[2]), "")
			t.noteSlotPicture(use[1], file, path.Dir(name), path.Dir(name)+"/..")
		}
	case ".cfg":
		for _, use := range textureOfCube.FindAllStringSubmatch(string(text), -1) {
			t.noteSlotPicture("cube "+use[1], commandOfCube.ReplaceAllString(use[2], ""), above(name, "packages")...)
		}
	case ".xml", ".level":
		t.xml(name, string(text))
	}
}

var (
	mapOfSDF      = regexp.MustCompile(`<([a-z_]+_map)>([^<]*)</`)
	modelOfSDF    = regexp.MustCompile(`^model://[^/]+/`)
	commandOfCube = regexp.MustCompile(`^<[^>]*>`)
	textureOfCube = regexp.MustCompile(`(?m)^\s*texture\s+"?([a-z0-9]+)"?\s+"?([^"\s]+)"?`)
	resource      = regexp.MustCompile(`\[ext_resource [^\]]*path="res://([^"]*)"[^\]]*\]`)
	idOfResource  = regexp.MustCompile(` id="?([^"\s\]]+)"?`)
	useOfResource = regexp.MustCompile(`(?m)^([a-z_]+) = ExtResource\(\s*"?([^")\s]+)"?\s*\)`)
)

func (t *tree) gltf(name string, text []byte) {
	type texture struct {
		Source     *int `json:"source"`
		Extensions map[string]struct {
			Source *int `json:"source"`
		} `json:"extensions"`
	}
	var doc struct {
		Images []struct {
			URI string `json:"uri"`
		} `json:"images"`
		Textures  []texture `json:"textures"`
		Materials []any     `json:"materials"`
	}
	if json.Unmarshal(text, &doc) != nil {
		return
	}
	var visit func(value any)
	visit = func(value any) {
		members, _ := value.(map[string]any)
		for key, member := range members {
			visit(member)
			slot, _ := member.(map[string]any)
			index, ok := slot["index"].(float64)
			if !ok || !strings.HasSuffix(key, "Texture") || index < 0 || int(index) >= len(doc.Textures) {
				continue
			}
			tex := doc.Textures[int(index)]
			sources := []*int{tex.Source}
			for _, e := range tex.Extensions {
				sources = append(sources, e.Source)
			}
			for _, source := range sources {
				if source == nil || *source < 0 || *source >= len(doc.Images) {
					continue
				}
				if file, err := url.PathUnescape(doc.Images[*source].URI); err == nil {
					t.noteSlotPicture(key, file, path.Dir(name))
				}
			}
		}
	}
	for _, m := range doc.Materials {
		visit(m)
	}
}

func (t *tree) godot(name, text string) {
	files := map[string]string{}
	for _, r := range resource.FindAllStringSubmatch(text, -1) {
		if id := idOfResource.FindStringSubmatch(r[0]); id != nil {
			files[id[1]] = r[1]
		}
	}
	for _, use := range useOfResource.FindAllStringSubmatch(text, -1) {
		t.noteSlotPicture(use[1], files[use[2]], above(name, "")...)
	}
}

// above returns, for each directory above a file, its subdirectory with the given name. Some
// formats search all of them.
func above(name, folder string) (places []string) {
	for dir := path.Dir(name); ; dir = path.Dir(dir) {
		places = append(places, path.Join(dir, folder))
		if dir == "." {
			return places
		}
	}
}

// xml reads actors of 0 A.D. (<texture file= name=>), materials of SuperTuxKart (<material name=
// normal-map=>), and levels of Trigger Rally (<terrain heightmap= colormap=>).
func (t *tree) xml(name, text string) {
	d := xml.NewDecoder(strings.NewReader(text))
	d.Strict = false
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	for {
		token, err := d.Token()
		if err != nil {
			return // the file ends, or its XML is invalid
		}
		start, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		attr := map[string]string{}
		for _, a := range start.Attr {
			attr[a.Name.Local] = a.Value
		}
		switch start.Name.Local {
		case "texture":
			t.noteSlotPicture(attr["name"], attr["file"], above(name, "textures/skins")...)
		case "level", "terrain":
			for key, value := range attr {
				t.noteSlotPicture("level "+key, value, path.Dir(name), "")
			}
		case "material":
			for key, value := range attr {
				t.noteSlotPicture("kart "+key, value, path.Dir(name))
			}
		}
	}
}
