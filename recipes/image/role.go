package image

import (
	"fmt"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/role"
	"github.com/assetcook/assetcook/internal/image/texture"
)

// What makes a picture a normal map. The bounds lie between the 70 that a game of
// 2,750 pictures has and all that are none: flags and skies, which come nearest,
// reach 0.976 unit vectors but lean by more than 0.5; and of pictures that are
// called "_n", as things in the north are, those have at most 0.31 vectors that are
// nearly of length 1, while normal maps that were scaled, packed as JPEG or painted
// over still have 0.76, and lean by up to 0.25.
const (
	// surelyNormal is the share of unit vectors that makes one of a picture which
	// no name calls so, if it leans by surelyTilt at most, its z is not always
	// the same, and it has more colors than normalColors: a plain light blue is
	// all unit vectors by chance.
	surelyNormal = 0.95
	surelyTilt   = 0.1
	normalColors = texture.MaxColors
	// maybeNormal is the share of pixels near unit vectors, and maybeTilt the tilt,
	// with which a picture may be what its name says.
	maybeNormal = 0.5
	maybeTilt   = 0.3
	// hardlyNormal is the share of pixels near unit vectors up to which a picture is
	// surely not what "_n" may say.
	hardlyNormal = 0.4
	// surelyGray is the share of gray pixels that makes data of what may be it by its
	// name, maybeGray the share from which on it may be data all the same, and
	// hardlyGray the share below which occlusion is none.
	surelyGray = 0.99
	maybeGray  = 0.9
	hardlyGray = 0.5
)

// Evidence is all that decides what a picture is for, strongest first.
type evidence struct {
	rule         string    // option kind
	transparency bool      // options say that alpha is transparency
	used         usage     // by materials
	name         role.Name // what the path says
	preset       string
	content      pixmap.Content
	float        bool // numbers are light without an upper end
}

// A verdict is what the evidence shows.
type verdict struct {
	role     role.Role
	reason   string // for cook why: what decided, and why
	conflict string // a warning about what contradicts it, "" for none
}

// nothing is why most pictures are colors.
const nothing = "neither path nor pixels say anything else"

// looks reports whether the content has a say.
func (e evidence) looks() bool { return e.rule == "auto" && !e.transparency }

// decide weighs the evidence.
func (e evidence) decide() verdict {
	used := e.used.role
	switch {
	case e.rule != "auto":
		return verdict{role: role.Parse(e.rule), reason: fmt.Sprintf("kind = %q", e.rule)}
	case e.transparency:
		return verdict{role: role.Color, reason: "options say that alpha is transparency"}
	case used == role.Normal && !e.mayBeNormal() && e.used.bump:
		return verdict{role: role.Height, reason: e.used.by + ", and it holds no unit vectors"}
	case used == role.Normal && !e.mayBeNormal():
		return verdict{role.Data, e.used.by + ", but " + e.share(),
			fmt.Sprintf("%s, but only %.3g %% of pixels have nearly unit length: treated as data; set kind in a rule", e.used.by, 100*e.content.Near)}
	case used == role.Data && (e.name.Role() == role.Mask || e.name.Role() == role.Height):
		return verdict{role: e.name.Role(), reason: fmt.Sprintf("%s, and its path says %v", e.used.by, e.name)} // which is data as well
	case used != role.Unknown:
		v := verdict{role: used, reason: e.used.by}
		if named := e.name.Role(); named != role.Unknown && named.Treatment().Colors != used.Treatment().Colors {
			v.conflict = fmt.Sprintf("%s, but its path says %v; rename it, or set kind in a rule", e.used.by, e.name)
		}
		return v
	}
	return e.byName()
}

// byName asks the path, and the content whether it is as the path says.
func (e evidence) byName() verdict {
	named := e.name.Role()
	says := func(r role.Role) verdict { return verdict{role: r, reason: fmt.Sprintf("its path says %v", e.name)} }
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
	case role.Numbered, role.Sprites:
		if e.preset == "3d" || named == role.Unknown {
			return e.byContent(nothing)
		}
		fallthrough
	case role.UIs:
		if v := e.byContent(""); v.role == role.Normal {
			v.conflict = fmt.Sprintf("its path says %v, but its pixels are a normal map; set kind in a rule", named)
			return v
		}
	case role.Heights:
		v := e.byContent("")
		switch {
		case v.role == role.Normal:
			return v // "bump" is either
		case !e.content.Opaque && e.content.Gray < surelyGray: // of a tool, "raise_height"
			v.reason = fmt.Sprintf("its path says %v, but it is neither gray nor opaque", e.name)
			v.conflict = `its path says height, but it is neither gray nor opaque: treated as colors; rename it, or set kind = "height" in a rule`
			return v
		}
	case role.Masked:
		v := says(named)
		if c := e.content; c.Opaque && c.Gray < hardlyGray && c.Red < mostlyRed && !c.Apart {
			v.conflict = `its path says mask, but it looks like colors: treated as a mask; rename it, or set kind = "mask" or "color" in a rule`
		}
		return v
	case role.Colors:
		v := says(named)
		if e.isNormal() {
			v.conflict = fmt.Sprintf(`its path says colors, but %s; set kind = "normal" in a rule if it is a normal map, and "color" if not`, e.share())
		}
		return v
	case role.Letter:
		v := e.byContent(nothing)
		if v.role == role.Color && e.mayBeNumbers() && !flat(e.preset) {
			v.conflict = `it may be data, but its name is one letter and no model uses it: treated as colors; set kind = "data" or "color" in a rule`
		}
		return v
	case role.Nameless:
		return e.byContent(nothing)
	}
	return says(named)
}

// byContent asks the pixels. What they do not say is color, for a reason.
func (e evidence) byContent(reason string) verdict {
	if e.isNormal() {
		return verdict{role: role.Normal, reason: e.share() + ` (kind = "color" makes it colors)`}
	}
	return verdict{role: role.Color, reason: reason}
}

// calledData judges an image whose path may say data: data is gray, or has two channels.
func (e evidence) calledData() verdict {
	c := e.content
	switch {
	case c.Opaque && !e.float && c.Gray >= surelyGray:
		return verdict{role: role.Data, reason: "its path may say data, and it is gray"}
	case c.Opaque && !e.float && c.Blue && c.One == "":
		return verdict{role: role.Data, reason: "its path may say data, and it has two channels"}
	}
	v := e.byContent("its path may say data, but it is not gray")
	switch {
	case v.role != role.Color:
	case c.Opaque && c.Colors == 1:
		v.conflict = `its path may say data, but all pixels are equal: treated as colors; set kind = "data" or "color" in a rule`
	case c.Opaque && c.Gray >= maybeGray:
		v.conflict = fmt.Sprintf(`its path may say data, and %.3g %% of pixels are gray: treated as colors; set kind = "data" or "color" in a rule`, 100*c.Gray)
	}
	return v
}

// mayBeNumbers reports whether the pixels may be numbers: gray, or of channels that have
// nothing to do with each other.
func (e evidence) mayBeNumbers() bool {
	c := e.content
	return c.Opaque && (c.Gray >= maybeGray || c.Apart)
}

// flat reports whether a preset says that pictures are those of a 2D game.
func flat(preset string) bool { return preset == "2d" || preset == "pixel" }

// calledNormal judges an image whose path says normal map.
func (e evidence) calledNormal() verdict {
	c := e.content
	switch {
	case !e.mayBeNormal():
	case c.Near >= maybeNormal:
		return verdict{role: role.Normal, reason: "its path says so, and " + e.share()}
	default:
		return verdict{role: role.Normal, reason: "its path says so, and it has two channels"}
	}
	v := verdict{role: role.Color, reason: fmt.Sprintf("its path says normal map, but %s (kind = \"data\" stores numbers as they are)", e.share())}
	if e.name != role.PerhapsNormal || c.Near >= hardlyNormal && c.Near < maybeNormal {
		v.conflict = fmt.Sprintf(`its path says normal map, but only %.3g %% of pixels have nearly unit length: treated as colors; rename it, or set kind in a rule`, 100*c.Near)
	}
	return v
}

// mayBeNormal reports whether the pixels allow that it is a normal map: of unit vectors, or
// of two channels. A flame leans: it is red.
func (e evidence) mayBeNormal() bool {
	c := e.content
	return c.Tilt <= maybeTilt && (c.Near >= maybeNormal || c.Blue && c.One == "")
}

// isNormal reports whether the pixels alone show that it is a normal map.
func (e evidence) isNormal() bool {
	c := e.content
	return !e.float && !c.Blue && c.Unit >= surelyNormal && c.Tilt <= surelyTilt && c.Colors > normalColors
}

// share returns how many pixels look like a normal map, as a clause.
func (e evidence) share() string {
	c := e.content
	return fmt.Sprintf("%.4g %% of pixels have unit length, %.4g %% nearly, mean tilt %.2f", 100*c.Unit, 100*c.Near, c.Tilt)
}

// name is what the path says.
func (o *Image) name() role.Name { return role.ParseName(o.Named) }

// settleName returns the options with a role for names that need a look at the directory:
// "boom_256" is a frame of an animation if the frame before or after it exists.
func (o *Image) settleName(job *recipe.Job) (*Image, error) {
	if o.name() != role.PerhapsNumbered {
		return o, nil
	}
	neighbored := false
	for _, p := range role.Neighbors(job.Path()) {
		found, err := job.Exists("/" + p)
		if err != nil {
			return nil, err
		}
		neighbored = neighbored || found
	}
	settled := *o
	settled.Named = role.OfNeighbored(job.Path(), neighbored).String()
	return &settled, nil
}

// transparent reports whether options say that alpha is transparency.
func (o *Image) transparent() bool { return o.Premultiply || o.Coverage > 0 || o.WeighAlpha }

// likely returns the role before pixels are seen, Unknown where only they say it.
func (o *Image) likely() role.Role {
	if r := role.Parse(o.Kind); r != role.Unknown {
		return r
	}
	if o.transparent() {
		return role.Color
	}
	switch n := o.name(); n {
	case role.PerhapsNormal:
		return role.Normal
	case role.PerhapsData:
		return role.Data
	default:
		return n.Role()
	}
}

// smallerLevels reports whether the options want smaller levels of pictures of a role.
func (o *Image) smallerLevels(r role.Role) bool {
	switch {
	case o.Mips != "auto":
		return o.Mips == "true"
	case o.Coverage > 0: // of an alpha test, which levels keep
		return true
	case flat(o.Preset):
		return false
	}
	return r.Treatment().Mips
}
