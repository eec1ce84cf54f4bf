package atlas

import (
	"bytes"
	"fmt"
	"image/color"
	"math/rand/v2"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

func TestSpritesKeepTheirEarlierPlaces(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 8))
	for i := range 20 {
		tree := fstest.MapFS{"d/ui.sprites": {Data: []byte("s/")}}
		for j := range 40 {
			tree[fmt.Sprintf("d/s/%d.png", j)] = encoded(t, noise(r))
		}
		o := options(func(o *atlasOptions) {
			o.Data, o.Extrude, o.Pages, o.MaxSize = []string{"hash", "multiatlas", "hash", "tpsheet"}[i%4], i%3, 1+i%3, 2048>>(4*(i%3/2))
			o.Rotate = o.Data == "hash"
		})
		before := cook(t, o, tree)
		if before.Err != nil {
			t.Fatal(before.Err)
		}
		for j, file := range before.Outputs[:o.jsonFiles()] {
			name := fmt.Sprintf("was-%d.json", j)
			if bytes.Contains(file, []byte(`"w": 1,`+"\n"+`   "h": 1`)) {
				continue // skip the JSON of an unneeded page
			}
			tree["d/"+name] = &fstest.MapFile{Data: file}
			o.Keep = append(o.Keep, name)
		}
		tree["d/s/7.png"], tree["d/s/new.png"] = encoded(t, noise(r)), encoded(t, noise(r))
		delete(tree, "d/s/8.png")
		after := cook(t, o, tree)
		if after.Err != nil {
			t.Fatal(after.Err)
		}
		was, now := readJSON(t, o.Data, before.Outputs[:o.jsonFiles()]), readJSON(t, o.Data, after.Outputs[:o.jsonFiles()])
		for name, f := range was {
			if name != "s/7.png" && name != "s/8.png" && now[name] != f {
				t.Errorf("%d: %s was moved from %+v to %+v", i, name, f, now[name])
			}
		}
		if now["s/new.png"].of.X == 0 || len(now) != len(was) {
			t.Errorf("%d: %d sprites, then %d", i, len(was), len(now))
		}
		for name, f := range now {
			if m := decoded(t, tree["d/"+name].Data); !same(m, f.restoredImage(decoded(t, after.Outputs[o.jsonFiles()+f.page]))) {
				t.Errorf("%d: %s: the restored image differs", i, name)
			}
		}
	}
}

func TestLackOfRoomMovesAllSpritesWithWarning(t *testing.T) {
	tree := fstest.MapFS{"d/ui.sprites": {Data: []byte("*.png")}, "d/a.png": encoded(t, plain(4, 2, color.NRGBA{1, 2, 3, 255})), "d/b.png": encoded(t, plain(4, 2, color.NRGBA{A: 255}))}
	tree["d/was.json"] = &fstest.MapFile{Data: []byte(`{"frames": {"a.png": {"frame": {"x": 0, "y": 1, "w": 4, "h": 2}}}, "meta": {"size": {"w": 4, "h": 4}}}`)}
	o := options(func(o *atlasOptions) { o.Padding, o.MaxSize, o.Keep = 0, 4, []string{"was.json"} })
	res := cook(t, o, tree)
	if d := cmp.Diff([]string{"the places kept from the earlier atlas leave no room for 1 sprite, so all sprites get new places"}, res.Warned); d != "" || res.Err != nil {
		t.Error(d, res.Err)
	}
}
