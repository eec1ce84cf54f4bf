package mesh

import (
	"bytes"
	"encoding/binary"
	"maps"
	"slices"
	"strings"
	"testing"
)

// A cooked model contains the files that its source names as buffers or MTL files.
func TestHeldFilesOfModels(t *testing.T) {
	glb := func(text string) string {
		b := append([]byte("glTF"), 2, 0, 0, 0)
		b = binary.LittleEndian.AppendUint32(b, uint32(20+len(text)))
		b = binary.LittleEndian.AppendUint32(b, uint32(len(text)))
		return string(append(b, "JSON"+text...))
	}
	const buffers = `{"buffers":[{"uri":"a%20b.bin"},{"uri":"./x/../c.bin"},{"uri":"data:,x"},{},{"uri":"http://a/b.bin"}],"images":[{"uri":"d.bin"}]}`
	long := strings.Repeat("v 0 0 0\n", maxOBJHead/8-1)
	for _, tt := range []struct {
		name, model string
		want        []string
	}{
		{"glTF", buffers, []string{"a b.bin", "c.bin"}},
		{"glTF with a byte order mark", "\ufeff" + buffers, []string{"a b.bin", "c.bin"}},
		{"GLB", glb(buffers), []string{"a b.bin", "c.bin"}},
		{"GLB that is cut short", glb(buffers)[:60], nil},
		{"glTF that is no JSON", buffers[:60], nil},
		{"OBJ", "# a\nmtllib one.mtl sub\\two.mtl\nv 0 0 0\nmtllib with space.txt\n", []string{"one.mtl", "sub/two.mtl", "with space.txt"}},
		{"OBJ whose beginning is enough", "mtllib a.mtl\n" + long, []string{"a.mtl"}},
		{"OBJ with a name at the bound", long + "mtllib a.mtl\n", nil},
		{"OBJ with zero bytes", "mtllib a.mtl\n\x00", nil},
		{"empty", "", nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			says, err := heldBy(bytes.NewReader([]byte(tt.model)), int64(len(tt.model)))
			if err != nil {
				t.Fatal(err)
			}
			if got := slices.Sorted(maps.Keys(says)); !slices.Equal(got, tt.want) {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}
