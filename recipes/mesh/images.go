package mesh

import (
	"context"
	"fmt"
	"net/url"
	"path"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook/recipe"
	picturefile "github.com/assetcook/assetcook/internal/image/source"
	"github.com/assetcook/assetcook/internal/mesh/gltf"
	texture "github.com/assetcook/assetcook/recipes/image"
)

// writeImages moves embedded images into the buffer, unchanged or as textures. It changes the names
// of external images to the names of their cooked files.
func (w *writer) writeImages(ctx context.Context) error {
	objects, err := w.doc.Objects("images")
	if err != nil {
		return err
	}
	cooked := w.cookedImages()
	types := make([]string, len(objects)) // media types of embedded images
	made := make([]bool, len(objects))    // marks the images that became textures
	pictures, err := w.imageUses()
	if err != nil {
		return err
	}
	for i := range w.doc.Images {
		switch c := &cooked[i]; {
		case c.same:
			objects[i].Set("uri", gltf.Quote(c.uri))
			*c = cookedImage{}
		case c.uri != "":
			c.renameImage(&objects[i])
			continue
		}
		data, declared, err := w.embeddedImage(&w.doc.Images[i])
		if err != nil {
			return fmt.Errorf("image %d: %w", i, err)
		}
		mediaType := declared
		if found := gltf.ImageType(data); found != "" {
			mediaType = found
		}
		switch {
		case data == nil: // the image is an external file
			continue
		case mediaType == "" && w.doc.Images[i].BufferView != nil:
			return fmt.Errorf("image %d has no mimeType, and its first bytes match no known format; export the model again", i)
		case mediaType == "":
			continue // an image in a view needs a media type, so without one the data URI stays
		}
		if mediaType != declared && declared != "" && w.doc.Images[i].BufferView != nil { // checkDocument has already warned about data URIs
			w.repairs.noteRepair("the declared type of an embedded image was wrong and was corrected", fmt.Sprintf("image %d", i), 1)
		}
		texels, err := w.cookPicture(ctx, i, data, pictures[i])
		if err != nil {
			return err
		}
		if made[i] = texels != nil; made[i] {
			data, mediaType = texels, gltf.ImageType(texels)
		}
		types[i] = mediaType
		number, _, err := w.accessors.output.Append(ctx, gltf.Picture, gltf.Array{Size: len(data), Count: 1, Data: data})
		if err != nil {
			return err
		}
		objects[i].Delete("uri")
		objects[i].SetInt("bufferView", number)
		objects[i].Set("mimeType", gltf.Quote(mediaType))
	}
	w.doc.Root.SetObjects("images", objects)
	return w.writeTextures(cooked, types, made)
}

// embeddedImage returns the bytes of an embedded image and its declared media type. The bytes of an
// external image are nil.
func (w *writer) embeddedImage(picture *gltf.Image) (data []byte, declared string, err error) {
	switch {
	case picture.BufferView != nil:
		data, err = w.doc.View(*picture.BufferView)
		return data, picture.MimeType, err
	case picture.URI != nil && gltf.IsDataURI(*picture.URI):
		data, declared, err = gltf.DataURI(*picture.URI)
		if picture.MimeType != "" {
			declared = picture.MimeType
		}
		if len(data) == 0 {
			data = nil
		}
	}
	return data, declared, err
}

// defaultSuffix is the suffix that recipe image adds to names by default.
const defaultSuffix = ".ktx2"

// A cookedImage names the cooked file of an image.
type cookedImage struct {
	uri  string // "" if the image keeps its name
	same bool   // whether the name equals the source's name, apart from the directory
	format
}

// A format is an image type in glTF.
type format struct {
	mediaType string // media type; "" for a type that core glTF does not have
	extension string // glTF extension for the type; "" if textures refer to it without an extension
}

// renameImage sets the name and the media type of an image.
func (c *cookedImage) renameImage(image *gltf.Object) {
	image.Set("uri", gltf.Quote(c.uri))
	image.Delete("mimeType")
	if c.mediaType != "" {
		image.Set("mimeType", gltf.Quote(c.mediaType))
	}
}

// formatByExtension returns the format of a file by its extension. Textures refer through
// KHR_texture_basisu to KTX2 files that loaders transcode.
//
// KHR_texture_basisu forbids GPU blocks such as BC7, and no other extension allows KTX2. So
// textures refer to such files as a plain source without a media type. Readers detect the format by
// the name or the first bytes.
func formatByExtension(name string, transcoded bool) format {
	switch name = strings.ToLower(name); name[strings.LastIndexByte(name, '.')+1:] {
	case "ktx2":
		if transcoded {
			return format{"image/ktx2", "KHR_texture_basisu"}
		}
	case "dds":
		return format{"image/vnd-ms.dds", "MSFT_texture_dds"}
	case "webp":
		return format{"image/webp", "EXT_texture_webp"}
	case "avif":
		return format{"image/avif", "EXT_texture_avif"}
	case "png":
		return format{mediaType: "image/png"}
	case "jpg", "jpeg":
		return format{mediaType: "image/jpeg"}
	}
	return format{}
}

// Reasons why glTF loaders do not find or cannot read an image, with the option that helps.
const (
	unnamedKTX2 = `becomes a KTX2 file for which glTF has no extension, so most loaders do not load it: name your engine (cook help engines), or write textures = "cooked" for models if your loader can`
	notUASTC    = `is not cooked to UASTC, the only format of KHR_texture_basisu: write gpu = "web" for images, or remove textures = "basisu"`
	notBasisu   = `is cooked to UASTC, for which loaders need KHR_texture_basisu: remove textures = "cooked"`
	otherName   = `is cooked to a file with another name: remove textures and texture_suffix, so that models name the cooked files`
	noOneFile   = `is not cooked to a single file that a model can name: write textures = "keep" for models, or choose another recipe for the image`
)

// noteKTX2 replaces unnamedKTX2 if the project has no image rules. It is one note for all models.
const noteKTX2 = `models: most glTF loaders cannot read their textures, which become KTX2 files; name your engine, as in engine = "three" (cook help engines), or write textures = "cooked" for models if your loader can`

// cookedImages returns the cooked files of all images. It warns about files that loaders do not
// find or cannot read.
func (w *writer) cookedImages() []cookedImage {
	cooked := make([]cookedImage, len(w.doc.Images))
	odd := map[string][]string{}
	for i, picture := range w.doc.Images {
		if w.o.Textures == "keep" || picture.URI == nil || gltf.IsDataURI(*picture.URI) {
			continue
		}
		name, err := gltf.FileOfURI(*picture.URI)
		if err != nil {
			continue
		}
		var how string
		if cooked[i], how = w.cookedImage(*picture.URI, name); how != "" && !slices.Contains(odd[how], *picture.URI) {
			odd[how] = append(odd[how], *picture.URI)
		}
	}
	if len(odd[unnamedKTX2]) > 0 && w.o.ImageRules == "" { // one note for all models in the run
		w.job.Note("%s", noteKTX2)
		delete(odd, unnamedKTX2)
	}
	for _, how := range []string{unnamedKTX2, notUASTC, notBasisu, otherName, noOneFile} {
		if list := odd[how]; len(list) > 1 {
			w.job.Warn("image %.100q, like %d others, %s", list[0], len(list)-1, how)
		} else if len(list) == 1 {
			w.job.Warn("image %.100q %s", list[0], how)
		}
	}
	return cooked
}

// cookedImage returns the cooked file of an image. It also returns the reason why loaders may fail
// to read the file, or "".
func (w *writer) cookedImage(uri, name string) (c cookedImage, odd string) {
	by, how, made := w.job.Followed(name)
	picture, isImage := how.(*texture.Image)
	transcoded := isImage && picture.IsUASTC()
	if by != "" && w.o.Textures == "auto" && w.o.TextureSuffix == defaultSuffix {
		if isImage && len(made) == 2 && strings.HasSuffix(made[1], ".json") {
			made = made[:1] // ignore the JSON with the spherical harmonics
		}
		return cookedByRules(uri, name, made, transcoded)
	}
	suffix := w.o.TextureSuffix
	if !slices.Contains(picturefile.TextureExtensions(), recipe.Ext(name)) || strings.HasSuffix(strings.ToLower(name), strings.ToLower(suffix)) {
		suffix = ""
	}
	cooked := name + suffix
	switch i := slices.IndexFunc(made, func(m string) bool { return path.Base(m) == path.Base(cooked) }); {
	case by == "" && len(made) == 1:
		cooked = made[0] + suffix
	case i >= 0:
		cooked = made[i]
	case by != "" && suffix != "":
		odd = otherName
	}
	c = nameCooked(uri, name, cooked)
	if suffix == "" {
		return c, ""
	}
	c.format = formatByExtension(suffix, w.o.Textures == "basisu")
	switch {
	case odd != "":
	case w.o.Textures == "basisu" && !transcoded:
		odd = notUASTC
	case w.o.Textures == "cooked" && transcoded:
		odd = notBasisu
	case w.o.Textures == "auto" && w.o.TextureSuffix == defaultSuffix:
		odd = unnamedKTX2
	}
	return c, odd
}

// cookedByRules returns the cooked file of an image. made are the outputs of the image under the
// rules.
func cookedByRules(uri, name string, made []string, transcoded bool) (c cookedImage, odd string) {
	if len(made) != 1 {
		return cookedImage{}, noOneFile
	}
	if c = nameCooked(uri, name, made[0]); c.uri == "" || c.same {
		return c, ""
	}
	c.format = formatByExtension(made[0], transcoded)
	if strings.EqualFold(path.Ext(made[0]), ".ktx2") && !transcoded {
		odd = unnamedKTX2
	}
	return c, odd
}

// nameCooked returns the name of the cooked file of an image, without its format. Both names are
// relative to the model.
func nameCooked(uri, name, cooked string) cookedImage {
	switch rest, longer := strings.CutPrefix(cooked, name); {
	case longer && rest == "":
		return cookedImage{}
	case longer && !strings.Contains(rest, "/"):
		return cookedImage{uri: uri + rest} // keep the percent escapes of the author
	}
	return cookedImage{uri: (&url.URL{Path: cooked}).String(), same: path.Base(cooked) == path.Base(name)}
}
