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

// writeImages moves embedded images into the buffer, byte for byte or as textures, and names external
// images by their cooked files.
func (w *writer) writeImages(ctx context.Context) error {
	objects, err := w.doc.Objects("images")
	if err != nil {
		return err
	}
	cooked := w.cookedImages()
	types := make([]string, len(objects)) // media types of embedded images
	made := make([]bool, len(objects))    // images that became textures
	pictures, err := w.imageUses()
	if err != nil {
		return err
	}
	for i := range w.doc.Images {
		if cooked[i].uri != "" {
			cooked[i].renameImage(&objects[i])
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
		case data == nil: // in a file of its own
			continue
		case mediaType == "" && w.doc.Images[i].BufferView != nil:
			return fmt.Errorf("image %d: without a mimeType, and of no known kind by its first bytes", i)
		case mediaType == "":
			continue // a view needs a media type, so the image stays in its data URI
		}
		if mediaType != declared && declared != "" && w.doc.Images[i].BufferView != nil { // of others the checker has warned
			w.repairs.noteRepair("an embedded image of another type than it is declared, declared as what it is", fmt.Sprintf("image %d", i), 1)
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

// embeddedImage returns the bytes of an embedded image, nil for an external one, and the declared
// media type.
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

// defaultSuffix is the suffix that the recipe image adds to names by default.
const defaultSuffix = ".ktx2"

// A cookedImage names the cooked file of an image.
type cookedImage struct {
	uri string // "" for an image that keeps its name
	format
}

// A format is the glTF name of one type of images.
type format struct {
	mediaType string // "" for a type that core glTF does not know
	extension string // extension of textures; "" for a plain source
}

// renameImage renames an image.
func (c *cookedImage) renameImage(image *gltf.Object) {
	image.Set("uri", gltf.Quote(c.uri))
	image.Delete("mimeType")
	if c.mediaType != "" {
		image.Set("mimeType", gltf.Quote(c.mediaType))
	}
}

// formatByExtension returns the format of a file by its extension. KHR_texture_basisu names KTX2 files that
// loaders transcode.
//
// KHR_texture_basisu forbids GPU blocks such as BC7, and no other extension allows KTX2. So such
// files become a plain source without a media type; readers decide by the name or the first
// bytes.
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

// Reasons why a loader of glTF does not find or read an image, with the setting that helps.
const (
	unnamedKTX2 = `becomes a KTX2 file that no extension of glTF names, so most loaders do not load it: write gpu = "web" for images, or textures = "cooked" for models if yours does`
	notUASTC    = `is not cooked to UASTC, the only format of KHR_texture_basisu: write gpu = "web" for images, or leave out textures = "basisu"`
	notBasisu   = `is cooked to UASTC, for which loaders want KHR_texture_basisu: leave out textures = "cooked"`
	otherName   = `is cooked to a file of another name: leave out textures and texture_suffix, which then are as the rules of images have it`
	noOneFile   = `is not cooked to one file that a model can name: write textures = "keep" for models, or another recipe for it`
)

// noteKTX2 is unnamedKTX2 for all models of a project without rules for images.
const noteKTX2 = `models: most glTF loaders cannot read their textures, which become KTX2 files; write gpu = "web" for images, or textures = "cooked" for models if your loader can`

// cookedImages returns the cooked files of all images, and warns of files that loaders do not
// find or read.
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
	if len(odd[unnamedKTX2]) > 0 && w.o.ImageRules == "" { // one note for all models of the run
		w.job.Note("%s", noteKTX2)
		delete(odd, unnamedKTX2)
	}
	for _, how := range []string{unnamedKTX2, notUASTC, notBasisu, otherName, noOneFile} {
		if list := odd[how]; len(list) > 1 {
			w.job.Warn("image %.100q, as %d more, %s", list[0], len(list)-1, how)
		} else if len(list) == 1 {
			w.job.Warn("image %.100q %s", list[0], how)
		}
	}
	return cooked
}

// cookedImage returns the cooked file of an image, and the reason why loaders may not read it, or
// "".
func (w *writer) cookedImage(uri, name string) (c cookedImage, odd string) {
	byDefault := slices.Contains(picturefile.TextureExtensions(), recipe.Ext(name))
	var by string
	var how recipe.Cooker
	var made []string
	if w.o.ImageRules != "" {
		by, how, made = w.job.Followed(name)
	}
	picture, isImage := how.(*texture.Image)
	transcoded := isImage && picture.IsUASTC()
	if by != "" && w.o.Textures == "auto" && w.o.TextureSuffix == defaultSuffix {
		if isImage && len(made) == 2 && strings.HasSuffix(made[1], ".json") {
			made = made[:1] // without the JSON of an environment's light
		}
		return cookedByRules(uri, name, made, transcoded)
	}
	if !byDefault || strings.HasSuffix(strings.ToLower(name), strings.ToLower(w.o.TextureSuffix)) {
		return cookedImage{}, ""
	}
	c = cookedImage{uri + w.o.TextureSuffix, formatByExtension(w.o.TextureSuffix, w.o.Textures == "basisu")}
	switch {
	case by != "" && !slices.Contains(made, name+w.o.TextureSuffix):
		odd = otherName
	case w.o.Textures == "basisu" && !transcoded:
		odd = notUASTC
	case w.o.Textures == "cooked" && transcoded:
		odd = notBasisu
	case w.o.Textures == "auto" && w.o.TextureSuffix == defaultSuffix:
		odd = unnamedKTX2
	}
	return c, odd
}

// cookedByRules returns the cooked file of an image that the rules cook to the files made.
func cookedByRules(uri, name string, made []string, transcoded bool) (c cookedImage, odd string) {
	if len(made) != 1 {
		return cookedImage{}, noOneFile
	}
	switch rest, longer := strings.CutPrefix(made[0], name); {
	case made[0] == name:
		return cookedImage{}, "" // the image keeps its name
	case longer && !strings.Contains(rest, "/"):
		c.uri = uri + rest // keeps the author's escapes
	default:
		c.uri = (&url.URL{Path: made[0]}).String()
	}
	c.format = formatByExtension(made[0], transcoded)
	if strings.EqualFold(path.Ext(made[0]), ".ktx2") && !transcoded {
		odd = unnamedKTX2
	}
	return c, odd
}
