package lint

import "slices"

// A kind is one format of files.
type kind struct {
	name  string // with its article
	exts  []string
	magic []string // any of them, a dot standing for any byte
	// loose says that files of the kind may start otherwise as well.
	loose bool
}

// kinds are the formats that assets come in and that say what they are. The
// longer of two beginnings of which one starts the other stands first.
var kinds = []kind{
	{name: "a PNG picture", exts: []string{".png", ".apng"}, magic: []string{"\x89PNG\r\n\x1a\n"}},
	{name: "a JPEG picture", exts: []string{".jpg", ".jpeg", ".jpe", ".jfif"}, magic: []string{"\xff\xd8\xff"}},
	{name: "a GIF picture", exts: []string{".gif"}, magic: []string{"GIF87a", "GIF89a"}},
	{name: "a TIFF picture", exts: []string{".tif", ".tiff"}, magic: []string{"II*\x00", "MM\x00*", "II+\x00", "MM\x00+"}},
	{name: "a WebP picture", exts: []string{".webp"}, magic: []string{"RIFF....WEBP"}},
	{name: "a QOI picture", exts: []string{".qoi"}, magic: []string{"qoif"}},
	{name: "a Radiance picture", exts: []string{".hdr", ".pic"}, magic: []string{"#?RADIANCE", "#?RGBE"}, loose: true},
	{name: "an OpenEXR picture", exts: []string{".exr"}, magic: []string{"v/1\x01"}},
	{name: "a Photoshop picture", exts: []string{".psd", ".psb"}, magic: []string{"8BPS"}},
	{name: "a DDS texture", exts: []string{".dds"}, magic: []string{"DDS "}},
	{name: "a KTX2 texture", exts: []string{".ktx2"}, magic: []string{"\xabKTX 20\xbb"}},
	{name: "a KTX texture", exts: []string{".ktx"}, magic: []string{"\xabKTX 11\xbb"}},
	{name: "a WAV sound", exts: []string{".wav", ".wave"}, magic: []string{"RIFF....WAVE", "RIFX....WAVE", "RF64....WAVE"}},
	{name: "an Ogg stream", exts: []string{".ogg", ".oga", ".ogv", ".opus"}, magic: []string{"OggS"}},
	{name: "a FLAC sound", exts: []string{".flac"}, magic: []string{"fLaC"}},
	{name: "a sound with an ID3 tag", exts: []string{".mp3", ".mp2", ".aac", ".flac", ".tta"}, magic: []string{"ID3"}, loose: true},
	{name: "a QOA sound", exts: []string{".qoa"}, magic: []string{"qoaf"}},
	{name: "a binary glTF model", exts: []string{".glb"}, magic: []string{"glTF"}},
	{name: "an FBX model", exts: []string{".fbx"}, magic: []string{"Kaydara FBX Binary"}, loose: true},
	{name: "a Blender file", exts: []string{".blend"}, magic: []string{"BLENDER"}, loose: true},
	{name: "a TrueType or OpenType font", exts: []string{".ttf", ".otf", ".ttc", ".otc"}, magic: []string{"\x00\x01\x00\x00", "OTTO", "true\x00", "ttcf"}},
	{name: "a WOFF font", exts: []string{".woff"}, magic: []string{"wOFF"}},
	{name: "a WOFF2 font", exts: []string{".woff2"}, magic: []string{"wOF2"}},
	// BMP comes late: text may start with its two letters as well.
	{name: "a BMP picture", exts: []string{".bmp", ".dib"}, magic: []string{"BM....\x00\x00\x00\x00"}, loose: true},
	// TGA and the text forms of models have no mark of their own.
	{name: "a TGA picture", exts: []string{".tga", ".icb", ".vda", ".vst"}, loose: true},
	{name: "a glTF model", exts: []string{".gltf"}, loose: true},
	{name: "an OBJ model", exts: []string{".obj"}, loose: true},
}

// sniff tells a kind by how a file starts.
func sniff(head []byte) (kind, bool) {
	for _, k := range kinds {
		if slices.ContainsFunc(k.magic, func(m string) bool { return starts(head, m) }) {
			return k, true
		}
	}
	return kind{}, false
}

// starts reports whether head begins with a magic number.
func starts(head []byte, magic string) bool {
	if len(head) < len(magic) {
		return false
	}
	for i := range len(magic) {
		if magic[i] != '.' && magic[i] != head[i] {
			return false
		}
	}
	return true
}

func (k kind) goesBy(ext string) bool { return slices.Contains(k.exts, ext) }

// known reports whether an extension, in lower case, belongs to a kind.
func known(ext string) bool {
	return slices.ContainsFunc(kinds, func(k kind) bool { return k.goesBy(ext) })
}

// telling reports whether every file of that extension starts with a magic number.
func telling(ext string) bool {
	return slices.ContainsFunc(kinds, func(k kind) bool { return k.goesBy(ext) && !k.loose })
}
