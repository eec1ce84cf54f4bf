package image

import (
	"fmt"

	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/role"
	"github.com/assetcook/assetcook/internal/image/texture"
)

// The limits for recognizing a normal map. They separate the 70 normal maps of a game with 2,750
// images from all other images. The nearest other images are flags and skies, which reach 0.976
// unit vectors but have a tilt of more than 0.5. Other images called "_n", such as for "north",
// have at most 0.31 vectors of nearly unit length. Normal maps that were scaled, stored as JPEG or
// painted over still have 0.76, and a tilt of up to 0.25.
const (
	// surelyNormal is the least share of unit vectors in a normal map, if its name has no role. Its
	// tilt must be at most surelyTilt, and its z must vary. It must have more colors than
	// normalColors, because a plain light blue has unit vectors by chance.
	surelyNormal = 0.95
	surelyTilt   = 0.1
	normalColors = texture.MaxColors
	// If the name declares a normal map, the share of nearly unit vectors must be at least
	// maybeNormal, and the tilt at most maybeTilt.
	maybeNormal = 0.5
	maybeTilt   = 0.3
	// hardlyNormal is the share of nearly unit vectors below which "_n" is surely wrong.
	hardlyNormal = 0.4
	// If a name may mean data, a share of gray pixels of at least surelyGray confirms it. From
	// maybeGray on, the image may still be data. Below hardlyGray, the image is not an occlusion
	// map.
	surelyGray = 0.99
	maybeGray  = 0.9
	hardlyGray = 0.5
	// mostlyUnit is the least share of unit vectors in a lightmap that holds light directions. In a
	// game with 410 lightmaps of both kinds, directions had at least 0.55 and others at most 0.17.
	mostlyUnit = 0.4
	// mostlyFlat is the least share of pixels equal to their predecessor in an image of codes
	// beside an elevation map. The 88 code maps of a game had at least 0.62, photographs at most
	// 0.34.
	mostlyFlat = 0.5
)

// Evidence holds the facts that determine the role of an image, strongest first.
type evidence struct {
	rule         string    // value of option kind
	transparency bool      // whether options declare alpha as transparency
	used         usage     // the role according to materials
	name         role.Name // the role in the name
	beside       string    // the role that neighboring names suggest; "" for none
	preset       string
	content      pixmap.Content
	float        bool // whether the image holds light without an upper limit
}

// A verdict is the role of an image and its reason.
type verdict struct {
	role     role.Role
	reason   string // the line that cook why prints
	conflict string // a warning about contradicting evidence; "" for none
}

// nothing is the reason for a role if no evidence suggests another role.
const nothing = "neither the path nor the pixels suggest another role"

// needsContent reports whether the role depends on the pixels.
func (e evidence) needsContent() bool { return e.rule == "auto" && !e.transparency }

// verdictOf determines the role.
func (e evidence) verdictOf() verdict {
	used := e.used.role
	switch {
	case e.rule != "auto":
		return verdict{role: role.Parse(e.rule), reason: fmt.Sprintf("kind = %q", e.rule)}
	case e.transparency:
		return verdict{role: role.Color, reason: "the options premultiply, coverage or weigh_alpha say that alpha is transparency"}
	case used == role.Normal && !e.mayBeNormal() && e.used.bump:
		return verdict{role: role.Height, reason: e.used.by + ", but the image has no unit vectors"}
	case used == role.Normal && !e.mayBeNormal():
		return verdict{role.Data, e.used.by + ", but " + e.describeShare(),
			fmt.Sprintf("%s, but only %.3g %% of pixels have nearly unit length: treated as data; set kind in a rule", e.used.by, 100*e.content.Near)}
	case used == role.Data && (e.name.Role() == role.Mask || e.name.Role() == role.Height):
		return verdict{role: e.name.Role(), reason: fmt.Sprintf("%s, and its path says %v", e.used.by, e.name)} // normal maps are also data
	case used != role.Unknown:
		v := verdict{role: used, reason: e.used.by}
		if named := e.name.Role(); named != role.Unknown && named.Treatment().Colors != used.Treatment().Colors {
			v.conflict = fmt.Sprintf("%s, but its path says %v; rename it, or set kind in a rule", e.used.by, e.name)
		}
		return v
	}
	return e.verdictByName()
}

// verdictByName determines the role by the path. It checks the role against the pixels.
func (e evidence) verdictByName() verdict {
	named := e.name.Role()
	says := func(r role.Role) verdict {
		return verdict{role: r, reason: fmt.Sprintf("its path says %v", e.name) + e.beside}
	}
	switch e.name {
	case role.Normals, role.OpenGL, role.DirectX, role.PerhapsNormal:
		return e.calledNormal()
	case role.Occlusion:
		if gray := e.content.Gray; gray < hardlyGray {
			return verdict{role.Color, fmt.Sprintf("its path says %v, but only %.3g %% of its pixels are gray", e.name, 100*gray),
				fmt.Sprintf(`its path says occlusion, but only %.3g %% of pixels are gray: treated as colors; rename it, or set kind = "data" in a rule`, 100*gray)}
		}
	case role.PerhapsData:
		return e.calledData()
	case role.Numbered, role.Sprites, role.Animations:
		if e.preset == "3d" || named == role.Unknown {
			return e.verdictByContent(nothing + e.beside)
		}
		fallthrough
	case role.UIs:
		if v := e.verdictByContent(""); v.role == role.Normal {
			v.conflict = fmt.Sprintf("its path says %v, but its pixels are a normal map; set kind in a rule", named)
			return v
		}
	case role.Heights:
		v := e.verdictByContent("")
		switch {
		case v.role == role.Normal:
			return v // a name with "bump" may mean heights or normals
		case !e.content.Opaque && e.content.Gray < surelyGray: // the image may be the icon of a tool, such as "raise_height"
			v.reason = fmt.Sprintf("its path says %v, but the image is neither gray nor opaque", e.name)
			v.conflict = `its path says height, but the image is neither gray nor opaque: treated as colors; rename it, or set kind = "height" in a rule`
			return v
		}
	case role.Masked:
		v := says(named)
		if c := e.content; c.Opaque && c.Gray < hardlyGray && c.Red < mostlyRed && !c.Apart {
			v.conflict = `its path says mask, but the image looks like colors: treated as a mask; rename it, or set kind = "mask" or "color" in a rule`
		}
		return v
	case role.Colors:
		v := says(named)
		if e.isNormal() {
			v.conflict = fmt.Sprintf(`its path says colors, but %s; set kind = "normal" or "color" in a rule`, e.describeShare())
		}
		return v
	case role.Lightmaps:
		if e.content.Sphere >= mostlyUnit && !e.float {
			return verdict{role: role.Data, reason: fmt.Sprintf("its path says lightmap, but %.3g %% of pixels have unit length, so it has directions of light", 100*e.content.Sphere)}
		}
	case role.Codes:
		if c := e.content; !e.float && c.Flat >= mostlyFlat {
			return verdict{role: role.LUT, reason: fmt.Sprintf("a table of codes: an elevation map is in the same directory, and %.3g %% of pixels repeat", 100*c.Flat)}
		}
		return e.verdictByContent(nothing)
	case role.Letter:
		v := e.verdictByContent(nothing)
		if v.role == role.Color && e.mayBeNumbers() && !isFlatPreset(e.preset) {
			v.conflict = `the image may be data, but its name is one letter and no model uses it: treated as colors; set kind = "data" or "color" in a rule`
		}
		return v
	case role.Nameless, role.PerhapsNumbered, role.PerhapsMap:
		return e.verdictByContent(nothing + e.beside)
	}
	return says(named)
}

// verdictByContent determines the role by the pixels. An image without a clear role is color, with
// the given reason.
func (e evidence) verdictByContent(reason string) verdict {
	if e.isNormal() {
		return verdict{role: role.Normal, reason: e.describeShare() + ` (kind = "color" makes it colors)`}
	}
	return verdict{role: role.Color, reason: reason}
}

// calledData determines the role of an image whose path may mean data. Data must be gray or have
// two channels.
func (e evidence) calledData() verdict {
	c := e.content
	switch {
	case c.Opaque && !e.float && c.Gray >= surelyGray:
		return verdict{role: role.Data, reason: "its path suggests data, and the image is gray"}
	case c.Opaque && !e.float && c.Blue && c.One == "":
		return verdict{role: role.Data, reason: "its path suggests data, and the image has two channels"}
	}
	v := e.verdictByContent("its path suggests data, but the image is not gray")
	switch {
	case v.role != role.Color:
	case c.Opaque && c.Colors == 1:
		v.conflict = `its path suggests data, but all pixels are equal: treated as colors; set kind = "data" or "color" in a rule`
	case c.Opaque && c.Gray >= maybeGray:
		v.conflict = fmt.Sprintf(`its path suggests data, but only %.3g %% of pixels are gray, so the image is treated as colors; set kind = "data" or "color" in a rule`, 100*c.Gray)
	}
	return v
}

// mayBeNumbers reports whether the pixels may be data: gray, or with unrelated channels.
func (e evidence) mayBeNumbers() bool {
	c := e.content
	return c.Opaque && (c.Gray >= maybeGray || c.Apart)
}

// calledNormal determines the role of an image whose path declares a normal map.
func (e evidence) calledNormal() verdict {
	c := e.content
	switch {
	case !e.mayBeNormal():
	case c.Near >= maybeNormal:
		return verdict{role: role.Normal, reason: "its path says normal map, and " + e.describeShare()}
	default:
		return verdict{role: role.Normal, reason: "its path says normal map, and it has two channels"}
	}
	v := verdict{role: role.Color, reason: fmt.Sprintf("its path says normal map, but %s (kind = \"data\" stores values unchanged)", e.describeShare())}
	if e.name != role.PerhapsNormal || c.Near >= hardlyNormal && c.Near < maybeNormal {
		v.conflict = fmt.Sprintf(`its path says normal map, but only %.3g %% of pixels have nearly unit length: treated as colors; rename it, or set kind in a rule`, 100*c.Near)
	}
	return v
}

// mayBeNormal reports whether the pixels may be a normal map: enough pixels are nearly unit vectors, or
// only two channels vary. A mean vector far from z rejects other images, such as a red flame.
func (e evidence) mayBeNormal() bool {
	c := e.content
	return c.Tilt <= maybeTilt && (c.Near >= maybeNormal || c.Blue && c.One == "")
}

// isNormal reports whether the pixels alone identify a normal map.
func (e evidence) isNormal() bool {
	c := e.content
	return !e.float && !c.Blue && c.Unit >= surelyNormal && c.Tilt <= surelyTilt && c.Colors > normalColors
}

// describeShare describes the share of pixels with unit length, for a message.
func (e evidence) describeShare() string {
	c := e.content
	return fmt.Sprintf("%.4g %% of pixels have unit length, %.4g %% nearly, mean tilt %.2f", 100*c.Unit, 100*c.Near, c.Tilt)
}

// pathName returns the role name found in the path.
func (o *Image) pathName() role.Name { return role.ParseName(o.Named) }

// transparent reports whether options say that alpha is transparency.
func (o *Image) transparent() bool { return o.Premultiply || o.Coverage > 0 || o.WeighAlpha }

// likelyRole returns the role as far as it is known without the pixels, or Unknown.
func (o *Image) likelyRole() role.Role {
	if r := role.Parse(o.Kind); r != role.Unknown {
		return r
	}
	if o.transparent() {
		return role.Color
	}
	switch n := o.pathName(); n {
	case role.PerhapsNormal:
		return role.Normal
	case role.PerhapsData:
		return role.Data
	default:
		return n.Role()
	}
}
