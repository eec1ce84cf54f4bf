package mesh

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/qmuntal/gltf"
)

// dance returns a model of a body with two arms. Its animations have turns of more than half a
// circle, a path with noise, constant curves, steps, a spline, and weights of morph targets. The
// parts below the body are up to 6 units away from it.
func dance() fstest.MapFS {
	s := new(sheet)
	const n = 120
	var times, turn, way, still, size, shares, steps, noise []float32
	for i := range n {
		x := float64(i) / 30
		times = append(times, float32(x))
		half := 1.5 * math.Sin(x)
		turn = append(turn, 0, float32(math.Sin(half)*0.6), float32(math.Sin(half)*0.8), float32(math.Cos(half)))
		way = append(way, float32(2*x), float32(math.Sin(3*x)), float32(100+x*x))
		still = append(still, 0.1, 2, 0.3)
		size = append(size, 1, float32(1+0.2*math.Sin(x)), 1)
		shares = append(shares, float32(0.5+0.5*math.Sin(2*x)), 0.25)
		steps = append(steps, float32(i/50), 0, 0)
		noise = append(noise, float32(1e-5*math.Sin(float64(i*i))), 1, 0)
	}
	in := s.floats("SCALAR", 1, times...)
	s.accessors[in] = strings.TrimSuffix(s.accessors[in], "}") + fmt.Sprintf(`,"min":[0],"max":[%v]}`, times[n-1])
	short := s.floats("SCALAR", 1, 0, 2)
	s.accessors[short] = strings.TrimSuffix(s.accessors[short], "}") + `,"min":[0],"max":[2]}`
	p := s.positions(-1, -1, -1, 1, 1, 1, 1, -1, 1)
	d := s.positions(0, 0, 0, 0, 1, 0, 0, 0, 0)
	numbers := map[string]int{
		"in": in, "short": short, "p": p, "d": d,
		"turn": s.floats("VEC4", 4, turn...), "way": s.floats("VEC3", 3, way...), "still": s.floats("VEC3", 3, still...),
		"size": s.floats("VEC3", 3, size...), "shares": s.floats("SCALAR", 1, shares...), "steps": s.floats("VEC3", 3, steps...),
		"noise":  s.floats("VEC3", 3, noise...),
		"spline": s.floats("VEC3", 3, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0, 0),
	}
	return s.tree(fill(`"scenes":[{"nodes":[0]}],"nodes":[{"name":"body","children":[1,2]},
			{"name":"left","translation":[3,0,0],"scale":[1,1,2]},{"name":"right","translation":[0,-2,0],"mesh":0}],
		"meshes":[{"primitives":[{"attributes":{"POSITION":$p},"targets":[{"POSITION":$d},{"POSITION":$d}]}]}],
		"animations":[
			{"name":"all","channels":[
				{"sampler":0,"target":{"node":0,"path":"rotation"}},{"sampler":1,"target":{"node":0,"path":"translation"}},
				{"sampler":2,"target":{"node":1,"path":"translation"}},{"sampler":3,"target":{"node":0,"path":"scale"}},
				{"sampler":4,"target":{"node":2,"path":"weights"}},{"sampler":5,"target":{"node":2,"path":"translation"}},
				{"sampler":0,"target":{"node":1,"path":"rotation"}}],
			 "samplers":[{"input":$in,"output":$turn},{"input":$in,"output":$way},{"input":$in,"output":$still},{"input":$in,"output":$size},
				{"input":$in,"output":$shares},{"input":$in,"output":$steps,"interpolation":"STEP"}]},
			{"name":"still","channels":[{"sampler":0,"target":{"node":1,"path":"translation"}},{"sampler":1,"target":{"node":0,"path":"translation"}}],
			 "samplers":[{"input":$in,"output":$still},{"input":$in,"output":$noise}]},
			{"name":"spline","channels":[{"sampler":0,"target":{"node":0,"path":"translation"}}],
			 "samplers":[{"input":$short,"output":$spline,"interpolation":"CUBICSPLINE"}]}]`, numbers))
}

// A track is a sampler as an independent library reads it.
type track struct {
	path        string
	step        bool
	width       int
	times, rows [][]float64
}

func readTrack(t testing.TB, doc *gltf.Document, a *gltf.Animation, channel int) *track {
	ch := a.Channels[channel]
	s := a.Samplers[ch.Sampler]
	path := map[gltf.TRSProperty]string{gltf.TRSRotation: "rotation", gltf.TRSTranslation: "translation", gltf.TRSScale: "scale", gltf.TRSWeights: "weights"}[ch.Target.Path]
	return &track{
		path: path, step: s.Interpolation == gltf.InterpolationStep,
		width: map[string]int{"rotation": 4, "translation": 3, "scale": 3, "weights": 2}[path],
		times: elements(t, doc, s.Input), rows: elements(t, doc, s.Output),
	}
}

// pose returns the value of a track at a time (glTF 2.0, appendix C).
func (c *track) pose(at float64) []float64 {
	times, rows, width := c.times, c.rows, c.width
	key := func(i int) (v []float64) {
		for _, row := range rows[i*width/len(rows[0]):][:width/len(rows[0])] {
			v = append(v, row...)
		}
		return v
	}
	i := 0
	for i < len(times)-1 && times[i+1][0] <= at {
		i++
	}
	a := key(i)
	if i == len(times)-1 || at <= times[0][0] || c.step {
		return a
	}
	b, u := key(i+1), (at-times[i][0])/(times[i+1][0]-times[i][0])
	x, y := 1-u, u
	if c.path == "rotation" {
		dot, aa, bb := 0., 0., 0.
		for k := range a {
			dot, aa, bb = dot+a[k]*b[k], aa+a[k]*a[k], bb+b[k]*b[k]
		}
		dot /= math.Sqrt(aa * bb)
		if theta := math.Acos(min(math.Abs(dot), 1)); theta > 1e-6 {
			x, y = math.Sin((1-u)*theta)/math.Sin(theta), math.Sin(u*theta)/math.Sin(theta)
		}
		y = math.Copysign(y, dot)
	}
	sum := make([]float64, width)
	for k := range sum {
		sum[k] = x*a[k] + y*b[k]
	}
	return sum
}

// apart returns the difference of two poses, in the unit of animation_error.
func apart(path string, a, b []float64) float64 {
	sum, largest, dot, aa, bb := 0., 0., 0., 0., 0.
	for k := range a {
		sum += (a[k] - b[k]) * (a[k] - b[k])
		largest = max(largest, math.Abs(a[k]-b[k]))
		dot, aa, bb = dot+a[k]*b[k], aa+a[k]*a[k], bb+b[k]*b[k]
	}
	switch path {
	case "rotation":
		// Use the sine of half the angle, which is exact for small angles.
		sum = 0
		for k := range a {
			x := a[k]/math.Sqrt(aa) - b[k]*math.Copysign(1, dot)/math.Sqrt(bb)
			sum += x * x
		}
		return 4 * math.Asin(min(math.Sqrt(sum)/2, 1))
	case "weights":
		return largest
	}
	return math.Sqrt(sum)
}

// At no time may an animation differ from its source by more than the allowed error. Each animation
// must keep its duration.
func TestAnimationError(t *testing.T) {
	from := decodeFile(t, dance(), "m/a.gltf")
	for _, most := range []float64{0.0001, 0.0005, 0.01} {
		for _, compression := range []string{"none", "meshopt", "meshopt-khr"} {
			glb := cook(t, options(func(o *meshOptions) { o.AnimationError, o.Compression = most, compression }), dance(), "m/a.gltf")
			to := decodeWith(t, glb, func(o *meshOptions) { o.AnimationError = 0 })
			for i, a := range from.Animations[:2] {
				end := 0.
				for j, ch := range a.Channels {
					was, is := readTrack(t, from, a, j), readTrack(t, to, to.Animations[i], j)
					path := was.path
					unit := 1.
					switch {
					case path == "translation" && *ch.Target.Node == 0:
						unit = 2 * (2 + math.Sqrt(3)) // size of the right arm with its mesh
					case path == "translation" && *ch.Target.Node == 1:
						unit = math.Sqrt(0.01 + 4 + 0.09) // a node without children has its distance from the parent as unit
					case path == "translation":
						unit = 2 * math.Sqrt(3)
					case path == "scale":
						unit = math.Sqrt(2 + 1.2*1.2)
					}
					worst := 0.
					for time := -0.1; time < 4.2; time += 0.0043 {
						worst = max(worst, apart(path, was.pose(time), is.pose(time)))
					}
					if worst > most*unit*1.001+1e-6 {
						t.Errorf("%v %s: animation %d %s of node %d: off by %v, at most %v is allowed", most, compression, i, path, *ch.Target.Node, worst, most*unit)
					}
					end = max(end, is.times[len(is.times)-1][0])
				}
				if math.Abs(end-119./30) > 1e-6 {
					t.Errorf("%v %s: animation %d ends at %v", most, compression, i, end)
				}
			}
		}
	}
}

// If rotations are nearly half a turn apart in the source, they must stay exact. Rounded to 16 bits
// or by meshopt, they might turn in the other direction.
func TestNearlyHalfTurnsAreNotRounded(t *testing.T) {
	s := new(sheet)
	const off = 1e-5
	in := s.floats("SCALAR", 1, 0, 1, 2)
	s.accessors[in] = strings.TrimSuffix(s.accessors[in], "}") + `,"min":[0],"max":[2]}`
	turn := []float32{0, 0, 0, 1, 0, 1, 0, off, 0, -2 * off, 0, 1}
	numbers := map[string]int{"in": in, "p": s.positions(-1, -1, -1, 1, 1, 1, 1, -1, 1), "turn": s.floats("VEC4", 4, turn...)}
	tree := s.tree(fill(`"scenes":[{"nodes":[0]}],"nodes":[{"mesh":0}],"meshes":[{"primitives":[{"attributes":{"POSITION":$p}}]}],
		"animations":[{"channels":[{"sampler":0,"target":{"node":0,"path":"rotation"}}],"samplers":[{"input":$in,"output":$turn}]}]`, numbers))
	for _, compression := range []string{"none", "meshopt", "meshopt-khr"} {
		doc := decodeWith(t, cook(t, options(func(o *meshOptions) { o.Compression = compression }), tree, "m/a.gltf"), func(o *meshOptions) { o.AnimationError = 0 })
		rows := elements(t, doc, doc.Animations[0].Samplers[0].Output)
		if len(rows) != 3 {
			t.Fatalf("%s: %d keyframes", compression, len(rows))
		}
		for i, row := range rows {
			for k, x := range row {
				if float32(x) != turn[4*i+k] {
					t.Errorf("%s: keyframe %d is %v, want %v", compression, i, row, turn[4*i:][:4])
				}
			}
		}
	}
}

// With rotation_bits = 0, all rotations must be floats, even if they are not floats in the source
// or would be compressed.
func TestRotationsStayFloats(t *testing.T) {
	float := func(o *meshOptions) { o.RotationBits = 0 }
	rounded := cook(t, options(nil), dance(), "m/a.gltf")
	sources := map[string]fstest.MapFS{"m/a.gltf": dance(), "rounded.glb": {"rounded.glb": {Data: rounded}}}
	count := func(doc *gltf.Document, component gltf.ComponentType) (n int) {
		for _, a := range doc.Animations {
			for _, ch := range a.Channels {
				if ch.Target.Path == gltf.TRSRotation && doc.Accessors[a.Samplers[ch.Sampler].Output].ComponentType == component {
					n++
				}
			}
		}
		return n
	}
	if count(decode(t, rounded, nil), gltf.ComponentShort) == 0 {
		t.Fatal("the default rounds no rotation")
	}
	for name, tree := range sources {
		doc := decode(t, cook(t, options(float), tree, name), nil)
		if short := count(doc, gltf.ComponentShort); short > 0 || count(doc, gltf.ComponentFloat) == 0 {
			t.Errorf("%s: %d rotations have 16 bits", name, short)
		}
	}
}

// Option prune must drop the channels of properties that no animation moves, with their keyframes.
// An animation must keep at least one channel, and its duration.
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
	// The animation "walk" moves a property of the first node, so "idle" must keep its channel for
	// this property, too.
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
		return decode(t, cook(t, options(func(o *meshOptions) { o.Prune, o.Keep = true, keep }), files, "m/a.gltf"), nil)
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
	// In "walk", the scale of node a equals the node's own value, so its channel is dropped. The
	// scale of node b differs from the node's own value, so its channel stays and lasts three
	// seconds.
	if have, want := channels(tree("", "")), "walk 0.translation 1.scale (2 samplers, 3 s); idle 0.translation (1 samplers, 2 s); pose 0.rotation (1 samplers, 2 s)"; have != want {
		t.Errorf("%s\nwant %s", have, want)
	}
	numbers["size"] = numbers["large"]
	if have, want := channels(tree("", "")), "walk 0.translation 0.scale (2 samplers, 3 s); idle 0.translation (1 samplers, 2 s); pose 0.rotation (1 samplers, 2 s)"; have != want {
		t.Errorf("%s\nwant %s", have, want)
	}
	// Option keep has the name of an animation, and the name of a node.
	if have, want := channels(tree("", "", "idle", "b")), "walk 0.translation 0.scale 1.scale (2 samplers, 3 s); idle 0.rotation 0.translation (2 samplers, 2 s); pose 1.rotation (1 samplers, 2 s)"; have != want {
		t.Errorf("%s\nwant %s", have, want)
	}
	// With an animation pointer, all channels must be kept.
	all := tree(`"extensionsUsed":["KHR_animation_pointer"],`, `,{"sampler":0,"target":{"path":"pointer","extensions":{"KHR_animation_pointer":{"pointer":"/nodes/1/translation"}}}}`)
	if have := channels(all); strings.Count(have, ".") != 9 {
		t.Errorf("with a pointer: %s", have)
	}
}
