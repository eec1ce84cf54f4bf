package role

import (
	"slices"
	"strings"
	"sync"
)

// A word is an entry of the table of words that have a meaning.
type word struct {
	text  string
	name  Name
	flags uint16
	tag   tag
}

// These flags state a word's valid places in a name, and its precedence.
const (
	atEnd    = 1 << iota // the word may follow all other words except tags
	front                // the word may precede all other words
	anywhere             // the word may be between other words
	inFolder             // the word may end the name of a directory
	english              // the name of a directory overrides the word, as in "ui/normal"; a directory has no other words
	whole                // the word must follow a separator, as in "wall_metal" but not "wallMetal"
	letter               // the word must follow an underscore
	frames               // the word must precede a number
	paired               // the directory must have another map of the surface, such as "wall_n" beside "wall_r"
)

// A tag is a word at the end of a name that does not determine a role.
type tag uint8

const (
	noTag tag = iota
	idle
	up   // green points up, as in OpenGL
	down // green points down, as in Direct3D
)

// sortedWords returns all words, sorted by text. The first call splits the groups into words.
var sortedWords = sync.OnceValue(func() []word {
	list := make([]word, 0, 400)
	for _, g := range groups {
		for text := range strings.FieldsSeq(g.texts) {
			list = append(list, word{text, g.name, g.flags, g.tag})
		}
	}
	slices.SortFunc(list, func(a, b word) int { return strings.Compare(a.text, b.text) })
	return list
})

// groups lists words of equal meaning, in lower case. The words are from Poly Haven ("arm",
// "nor_gl", "disp"), ambientCG ("NormalDX", "Metalness"), Megascans ("ORDp", "Cavity"), Substance
// ("OcclusionRoughnessMetallic"), Unreal ("T_Rock_N", "MRAO"), Unity ("MetallicSmoothness",
// "MaskMap"), CryEngine ("ddna"), engines after Quake ("local", "luma", "gloss"), slots of glTF,
// and directories of games.
var groups = [...]struct {
	name  Name
	flags uint16
	tag   tag
	texts string
}{
	{Colors, atEnd, noTag, `
		alb albedoalpha albedom albedotransparency basecoloralpha basemap bc col coloralpha colormap
		colorshift dif diff diffusealpha diffusecolor diffuseoriginal diffusetransmission
		diffusetransmissioncolor emission emissioncolor emissive emissivecolor emit fullbright glow luma
		maintex selfillum sheen sheencolor specularcolor subsurfacecolor translucency translucent`},
	{Colors, atEnd | anywhere, noTag, `albedo basecolor basecolour diffuse`},
	{Colors, atEnd | english, noTag, `color colors colour colours`},
	{Colors, atEnd | english | whole, noTag, `blend`}, // additive glow, in engines derived from Quake
	{Colors, atEnd | letter, noTag, `bcolor d e`},
	{Packed, atEnd, noTag, `
		aniso anisotropic anisotropy anisotropydirection anisotropyrotation aorm aormh
		aoroughnessmetallic blendmap cavity clearcoat clearcoatroughness coatroughness controlmap
		curvature distancefield dudv flowdir flowmap gloss glossiness glossinessspecular glossmap glossy
		idmap ior iridescence iridescencethickness maskmap metalic metallicgloss metallicglossmap
		metallicsmooth metallicsmoothness metallness metalrough metalroughness metalroughnessao
		motionvector motionvectors mra mrao mro msdf mtsdf occlusionroughmetal
		occlusionroughnessmetal ordp orm ormh pbr pbrdata pbrmap raom reflectivity rgh rma rmo rom
		roughmetal roughnessmetallic roughnessmetalness sdf sheenroughness shininess smoothness
		speclevel specularf specularfactor specularlevel splat splatmaps sss thickness transmission
		transmissionvolume vectordisplacement weightmap weights worldposition`},
	{Packed, atEnd | anywhere, noTag, `
		metallic metallicroughness metalness occlusionroughnessmetallic roughness roughnessmap splatmap`},
	{Packed, atEnd | paired, noTag, `mr rm`},
	{Packed, atEnd | english | whole, noTag, `flow subsurface velocity`},
	{Occlusion, atEnd, noTag, `ambocc aomap bakedao mixedao occ occlusion occlusionmap ssao`},
	{Occlusion, atEnd | anywhere, noTag, `ambientocclusion`},
	{Occlusion, atEnd | inFolder | paired, noTag, `ao`},
	{Masked, atEnd, noTag, `
		alphamap alphamask colorizationmask colormask dirtmask envmapmask opacity opacitymask tcmask
		teamcolor teamcolormask teammask transparencymap transparencytexture`},
	{Masked, atEnd | english, noTag, `mask masks`},
	{Masked, atEnd | english | whole, noTag, `opac transparency`},
	{Normals, atEnd, noTag, `
		bentnormal bentnormals bumpmap clearcoatnormal ddn ddna detailnormal nm nmap nml nor norm
		normalbump normalflat normalheight normalsmap normaltangentspace norms nrm nrmh nrml
		objectnormal tangentnormal worldnormal`},
	{Normals, atEnd | english, noTag, `normal normals`},
	{Normals, atEnd | anywhere, noTag, `normalmap`},
	{Normals, atEnd | anywhere | inFolder, noTag, `normalmaps`},
	{OpenGL, atEnd, noTag, `norgl normalogl normalopengl nrmgl`},
	{OpenGL, atEnd | anywhere, noTag, `normalgl`},
	{DirectX, atEnd, noTag, `nordx normaldirectx nrmdx`},
	{DirectX, atEnd | anywhere, noTag, `normaldx`},
	{Heights, atEnd, noTag, `
		bump bumps dem disp displ displace elev elevation hmap parallax parallaxmap parallaxocclusion`},
	{Heights, atEnd | anywhere, noTag, `displacement`},
	{Heights, atEnd | anywhere | inFolder, noTag, `heightmap heightmaps`},
	{Heights, atEnd | english, noTag, `height heights hgt`},
	{Heights, atEnd | english | whole, noTag, `depth`},
	{Heights, atEnd | whole, noTag, `hm`},
	{Lightmaps, atEnd, noTag, `bakedlighting lm shadowmap`},
	{Lightmaps, atEnd | front | anywhere | inFolder, noTag, `lightmap lightmaps`},
	{Environments, atEnd | front | anywhere | inFolder, noTag, `
		cubemap cubemaps environmentmap environmentmaps envmap envmaps equirect equirectangular hdri
		hdris panorama panoramas skybox skyboxes skydome skymap`},
	{Environments, atEnd | front, noTag, `env skies sky`},
	{Environments, atEnd | english | inFolder, noTag, `environments`},
	{LUTs, atEnd | front | anywhere | inFolder, noTag, `brdflut clut cluts colorgrade colorgrading colorlut lut luts`},
	{LUTs, atEnd, noTag, `brdf`},
	{UIs, atEnd | front | anywhere | inFolder, noTag, `
		btn button buttons checkbox crosshair crosshairs cursor cursors gui hud icon icons ui`},
	{UIs, front | inFolder, noTag, `hudicons interface menu menus widgets`},
	{UIs, atEnd, noTag, `radiobutton scrollbar tooltip`},
	{Animations, atEnd | english | frames, noTag, `
		anim animation attack attacking cast climb crouch dash dead death defend die dying explosion
		fall falling fly flying frame hit hurt idle jump jumping melee ranged run running shoot shooting
		stand standing swim walk walking`},
	{Sprites, atEnd | front | anywhere | inFolder, noTag, `sprite sprites spritesheet spritesheets`},
	{Sprites, atEnd | front, noTag, `tileset tilesets`},
	{Fonts, atEnd | front | anywhere | inFolder, noTag, `bitmapfont bmfont font fonts`},
	{Fonts, atEnd | inFolder, noTag, `glyph glyphs`},
	{PerhapsNormal, atEnd | english | whole, noTag, `local`},
	{PerhapsNormal, atEnd | letter, noTag, `n`},
	{PerhapsData, atEnd | english | whole, noTag, `alpha`},
	{PerhapsData, atEnd | english | whole | paired, noTag, `arm metal refl reflect reflection rough smooth`},
	{PerhapsData, atEnd | letter | paired, noTag, `g h m o r s z`},
	{PerhapsData, atEnd | english, noTag, `spec specular specularity`},
	{Nameless, 0, idle, `
		a acescg b bake baked bit bitmap c copy exr final high hp image img jpeg jpg lin linear lod low
		lowpoly lp map maps png psd raw seamless srgb tex texture textures tga tif tileable txt u v`},
	{Nameless, 0, down, `d3d directx dx`},
	{Nameless, 0, up, `gl ogl opengl`},
}
