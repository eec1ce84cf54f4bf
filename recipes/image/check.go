package image

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/image/dds"
	"github.com/assetcook/assetcook/internal/image/pixmap"
	"github.com/assetcook/assetcook/internal/image/role"
	"github.com/assetcook/assetcook/internal/image/source"
	"github.com/assetcook/assetcook/internal/image/texenc"
	"github.com/assetcook/assetcook/internal/image/texture"
)

// checkOptions implements Traits.Check.
func (o *Image) checkOptions() error {
	for c := range 4 {
		if _, err := o.channelSource(c); err != nil {
			return err
		}
	}
	for _, check := range []func() error{o.checkPictures, o.checkPicture, o.checkSheet, o.checkLighting, o.checkAlpha, o.checkFormatOptions} {
		if err := check(); err != nil {
			return err
		}
	}
	if o.POT == "require" && o.Fit > 0 && pixmap.Down.PowerOfTwo(o.Fit) != o.Fit {
		return &recipe.OptionError{Key: "fit", Got: strconv.Itoa(o.Fit), Want: `a power of two, because of pot = "require"`}
	}
	return nil
}

// checkPictures checks the options for cubes, arrays and packed channels.
func (o *Image) checkPictures() error {
	if o.Cube == "faces" && len(o.Faces) != 5 && len(o.Faces) != 6 {
		return &recipe.OptionError{Key: "faces", Got: strconv.Itoa(len(o.Faces)), Want: `5 files if the source is a face, or all 6, because of cube = "faces"`}
	}
	if o.Cube != "faces" && len(o.Faces) > 0 {
		return &recipe.OptionError{Key: "cube", Got: strconv.Quote(o.Cube), Want: `"faces", because the option faces is set`}
	}
	if o.Cube == "faces" && len(o.Layers) > 0 {
		return &recipe.OptionError{Key: "layers", Want: `no layers with cube = "faces"; save each cube as a cross or an equirectangular image`}
	}
	if len(o.Layers) >= texture.MaxLayers {
		return &recipe.OptionError{Key: "layers", Got: strconv.Itoa(len(o.Layers)), Want: fmt.Sprintf("less than %d", texture.MaxLayers)}
	}
	for c := range 4 {
		if p, _ := o.channelSource(c); p.file != "" && len(o.Faces)+len(o.Layers) > 0 {
			return &recipe.OptionError{Key: channelKeys[c], Got: strconv.Quote(o.channelText(c)), Want: "no channel of another image together with faces or layers"}
		}
	}
	return nil
}

// checkAlpha checks the options that treat alpha as transparency.
func (o *Image) checkAlpha() error {
	color := role.Parse(o.Kind).Treatment().Colors
	switch {
	case o.Coverage > 0 && !color:
		return &recipe.OptionError{Key: "coverage", Got: fmt.Sprint(o.Coverage), Want: fmt.Sprintf("0 with kind = %q, whose alpha is not transparency", o.Kind)}
	case o.Coverage > 0 && o.Mips == "false":
		return &recipe.OptionError{Key: "coverage", Got: fmt.Sprint(o.Coverage), Want: "0 with mips = false: coverage affects smaller levels only"}
	case o.Premultiply && !color:
		return &recipe.OptionError{Key: "premultiply", Got: "true", Want: fmt.Sprintf("false with kind = %q, which has no colors", o.Kind)}
	case o.WeighAlpha && !color:
		return &recipe.OptionError{Key: "weigh_alpha", Got: "true", Want: fmt.Sprintf("false with kind = %q, whose alpha is not transparency", o.Kind)}
	case o.Alpha == "data" && o.transparent():
		return &recipe.OptionError{Key: "alpha", Got: `"data"`, Want: `"transparency" with coverage, premultiply or weigh_alpha`}
	case o.WeighAlpha && o.Premultiply:
		return &recipe.OptionError{Key: "weigh_alpha", Got: "true", Want: "false with premultiply, which already weights colors by alpha"}
	}
	return nil
}

// checkFormatOptions checks the options that only some formats support.
func (o *Image) checkFormatOptions() error {
	switch {
	case o.Format == "auto":
		return o.checkGPU()
	case o.writesPictures():
		return nil
	}
	f, err := texture.ParseFormat(o.Format)
	if err != nil {
		return &recipe.OptionError{Key: "format", Got: strconv.Quote(o.Format), Want: err.Error()}
	}
	if o.Container == "dds" && !dds.Holds(f) {
		return &recipe.OptionError{Key: "container", Got: strconv.Quote(o.Container), Want: fmt.Sprintf(`"ktx2" with format = %q`, o.Format)}
	}
	if o.Container == "dds" {
		if _, err := o.ddsHeader().Resolve(&texture.Texture{Format: f, Layers: 1 + len(o.Layers)}); err != nil {
			return &recipe.OptionError{Key: "dds_header", Got: strconv.Quote(o.DDSHeader), Want: `"auto" or "dx10": ` + err.Error()}
		}
	}
	switch {
	case o.Kind == "normal" && len(f.Channels()) == 1:
		return &recipe.OptionError{Key: "format", Got: strconv.Quote(o.Format), Want: `a format with at least two channels with kind = "normal"`}
	case o.Coverage > 0 && !strings.Contains(f.Channels(), "a"):
		return &recipe.OptionError{Key: "coverage", Got: fmt.Sprint(o.Coverage), Want: fmt.Sprintf("0 with format = %q, which has no alpha", o.Format)}
	case o.Coverage > 0 && o.Coverage != 0.5 && f == texture.BC1A:
		return &recipe.OptionError{Key: "coverage", Got: fmt.Sprint(o.Coverage), Want: `0 or 0.5 with format = "bc1a", which cuts alpha at one half`}
	case o.Premultiply && !strings.Contains(f.Channels(), "a"):
		return &recipe.OptionError{Key: "premultiply", Got: "true", Want: fmt.Sprintf("false with format = %q, which has no alpha", o.Format)}
	case o.WeighAlpha && !weighsAlpha(f):
		return &recipe.OptionError{Key: "weigh_alpha", Got: "true", Want: fmt.Sprintf("false with format = %q, because only bc7, astc, etc2rgba and uastc support this option", o.Format)}
	case o.NormalZ && !f.IsASTC():
		return &recipe.OptionError{Key: "normal_z", Got: "true", Want: fmt.Sprintf("false with format = %q, whose channels are always the same", o.Format)}
	case o.RDO > 0 && !texenc.HasRDO(f):
		return &recipe.OptionError{Key: "rdo", Got: fmt.Sprint(o.RDO), Want: fmt.Sprintf("0 with format = %q, because only bc7, astc and uastc support this option", o.Format)}
	}
	return nil
}

// weighsAlpha reports whether the encoder of format f can weight colors by alpha.
func weighsAlpha(f texture.Format) bool {
	return f == texture.BC7 || f == texture.ETC2RGBA || f == texture.UASTC || f.IsASTC()
}

// checkGPU checks the options for the selected GPU.
func (o *Image) checkGPU() error {
	switch {
	case o.gpu() == texture.Desktop:
	case o.Container == "dds":
		return &recipe.OptionError{Key: "container", Got: strconv.Quote(o.Container), Want: fmt.Sprintf(`"ktx2" with gpu = %q`, o.GPU)}
	}
	return nil
}

// channelKeys are the options that select the source of each channel.
var channelKeys = [4]string{"r", "g", "b", "a"}

func (o *Image) channelText(c int) string { return [4]string{o.R, o.G, o.B, o.A}[c] }

// A part is the source of an output channel: a channel of the source image or of another file.
type part struct {
	file string
	pixmap.Channel
}

// channelSource returns the source of channel c. Its error is a message to the user.
func (o *Image) channelSource(c int) (part, error) {
	text := o.channelText(c)
	if text == "" {
		text = channelKeys[c]
	}
	var p part
	letter := text
	if i := strings.LastIndexByte(text, ':'); i > 0 {
		p.file, letter = text[:i], text[i+1:]
	}
	var err error
	p.Channel, err = pixmap.ParseChannel(letter)
	constant := p.Of == '0' || p.Of == '1'
	if err != nil || constant && p.file != "" {
		return part{}, &recipe.OptionError{
			Key: channelKeys[c], Got: strconv.Quote(o.channelText(c)),
			Want: `r, g, b, a, one of these inverted such as "1-g", "0", "1", or a channel of another file such as "rough.png:r"`,
		}
	}
	return p, nil
}

// lintPicture implements Traits.Lint. It ignores files that are damaged or not images, because Cook
// reports them.
func (o *Image) lintPicture(path string, head []byte, size int64) []string {
	info, err := source.Probe(head, recipe.Ext(path), size, texture.MaxSide)
	if err != nil {
		return nil
	}
	var lines []string
	if info.W > o.MaxSize || info.H > o.MaxSize {
		lines = append(lines, fmt.Sprintf("the image has %d x %d pixels, more than %d per side (max_size); save it smaller, or raise max_size", info.W, info.H, o.MaxSize))
	}
	if _, err := o.layoutFor(info.W, info.H); err != nil {
		lines = append(lines, err.Error())
	}
	if info.Profile != "" && o.mayBeSRGB() && !(o.keepsPixels() && isKept(info, recipe.Ext(path))) {
		lines = append(lines, fmt.Sprintf("%s: cook reads the colors as sRGB; convert them to sRGB when exporting", info.Profile))
	}
	return append(lines, info.Notes...)
}
