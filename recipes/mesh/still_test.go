package mesh

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/qmuntal/gltf"
)

// Channels of what no animation moves go with prune, and their keyframes with them; an
// animation keeps one at least, and takes as long as before.
func TestStillChannels(t *testing.T) {
	s := new(sheet)
	in, long := s.floats("SCALAR", 1, 0, 1, 2), s.floats("SCALAR", 1, 0, 3)
	for accessor, end := range map[int]int{in: 2, long: 3} {
		s.accessors[accessor] = strings.TrimSuffix(s.accessors[accessor], "}") + fmt.Sprintf(`,"min":[0],"max":[%d]}`, end)
	}
	numbers := map[string]int{
		"in": in, "long": long, "p": s.positions(0, 0, 0, 2, 0, 0, 0, 2, 0),
		"way": s.floats("VEC3", 3, 1, 2, 3, 1, 2, 4, 1, 2, 3), "there": s.floats("VEC3", 3, 1, 2, 3, 1, 2, 3.0001, 1, 2, 3),
		"turn": s.floats("VEC4", 4, 0, 0, 0, 1, 0, 0, 0, -1, 0, 0, 0, 1), "size": s.floats("VEC3", 3, 1, 1, 1, 1, 1, 1), "large": s.floats("VEC3", 3, 2, 2, 2, 2, 2, 2),
	}
	// Two nodes: what "walk" moves of the first stays in "idle" as well.
	tree := func(extensions, extension string, keep ...string) *gltf.Document {
		files := s.tree(fill(`"scenes":[{"nodes":[0,1]}],`+extensions+`"nodes":[{"name":"a","translation":[1,2,3],"mesh":0},{"name":"b","scale":[2,2,2]}],
			"meshes":[{"primitives":[{"attributes":{"POSITION":$p}}]}],"animations":[
			{"name":"walk","channels":[{"sampler":0,"target":{"node":0,"path":"translation"}},{"sampler":1,"target":{"node":0,"path":"rotation"}},
				{"sampler":2,"target":{"node":0,"path":"scale"}},{"sampler":2,"target":{"node":1,"path":"scale"}}`+extension+`],
			 "samplers":[{"input":$in,"output":$way},{"input":$in,"output":$turn,"interpolation":"LINEAR"},{"input":$long,"output":$size}]},
			{"name":"idle","channels":[{"sampler":0,"target":{"node":0,"path":"rotation"}},{"sampler":1,"target":{"node":0,"path":"translation"}}],
			 "samplers":[{"input":$in,"output":$turn},{"input":$in,"output":$there}]},
			{"name":"pose","channels":[{"sampler":0,"target":{"node":0,"path":"rotation"}},{"sampler":1,"target":{"node":1,"path":"rotation"}}],
			 "samplers":[{"input":$in,"output":$turn},{"input":$in,"output":$turn}]}]`, numbers))
		return decode(t, cook(t, options(func(o *Mesh) { o.Prune, o.Keep = true, keep }), files, "m/a.gltf"), nil)
	}
	channels := func(doc *gltf.Document) string {
		var lines []string
		for _, a := range doc.Animations {
			line := a.Name
			for _, ch := range a.Channels {
				node := 9
				if ch.Target.Node != nil {
					node = *ch.Target.Node
				}
				line += fmt.Sprintf(" %d.%v", node, ch.Target.Path)
			}
			end := 0.
			for _, s := range a.Samplers {
				end = max(end, slices.Max(elements(t, doc, s.Input)[doc.Accessors[s.Input].Count-1]))
			}
			lines = append(lines, fmt.Sprintf("%s (%d samplers, %v s)", line, len(a.Samplers), end))
		}
		return strings.Join(lines, "; ")
	}
	// The scale of b rests in one animation and moves in the other; the rest of "walk"
	// lasts three seconds.
	if have, want := channels(tree("", "")), "walk 0.translation 1.scale (2 samplers, 3 s); idle 0.translation (1 samplers, 2 s); pose 0.rotation (1 samplers, 2 s)"; have != want {
		t.Errorf("%s\nwant %s", have, want)
	}
	numbers["size"] = numbers["large"]
	if have, want := channels(tree("", "")), "walk 0.translation 0.scale (2 samplers, 3 s); idle 0.translation (1 samplers, 2 s); pose 0.rotation (1 samplers, 2 s)"; have != want {
		t.Errorf("%s\nwant %s", have, want)
	}
	// Names to keep: of an animation, and of a node.
	if have, want := channels(tree("", "", "idle", "b")), "walk 0.translation 0.scale 1.scale (2 samplers, 3 s); idle 0.rotation 0.translation (2 samplers, 2 s); pose 1.rotation (1 samplers, 2 s)"; have != want {
		t.Errorf("%s\nwant %s", have, want)
	}
	// An animation pointer keeps all channels.
	all := tree(`"extensionsUsed":["KHR_animation_pointer"],`, `,{"sampler":0,"target":{"path":"pointer","extensions":{"KHR_animation_pointer":{"pointer":"/nodes/1/translation"}}}}`)
	if have := channels(all); strings.Count(have, ".") != 9 {
		t.Errorf("with a pointer: %s", have)
	}
}
