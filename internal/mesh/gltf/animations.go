package gltf

import "strings"

func (c *check) checkAnimations() {
	d := c.doc
	type moved struct {
		node int32
		path string
	}
	for i := range d.Animations {
		a := &d.Animations[i]
		for j := range a.Samplers {
			c.checkAnimationSampler(&a.Samplers[j], i, j)
		}
		seen := map[moved]int{}
		for j := range a.Channels {
			ch := &a.Channels[j]
			c.checkChannelTarget(ch, i, j)
			if ch.Target.Node != nil {
				m := moved{*ch.Target.Node, ch.Target.Path}
				if first, ok := seen[m]; ok {
					c.faults.addFault("animation %d channel %d: channel %d animates the same property; remove one", i, j, first)
				}
				seen[m] = j
			}
			if c.checkRequiredIndex(ch.Sampler, len(a.Samplers), "sampler", "animation %d channel %d", i, j) {
				c.checkKeyframes(ch, &a.Samplers[*ch.Sampler], i, j)
			}
		}
	}
}

func (c *check) checkAnimationSampler(s *AnimationSampler, animation, sampler int) {
	n := len(c.doc.Accessors)
	if c.checkRequiredIndex(s.Input, n, "accessor", "animation %d sampler %d input", animation, sampler) {
		c.useAccessor(*s.Input, ofTimes)
		c.needBounds(*s.Input)
		in := &c.doc.Accessors[*s.Input]
		if in.Type != "SCALAR" || in.ComponentType != Float32 {
			c.faults.addFault("animation %d sampler %d input: is %s, want SCALAR of componentType 5126", animation, sampler, in.describeFormat())
		}
		if s.Interpolation == "CUBICSPLINE" && in.Count < 2 {
			c.faults.addFault("animation %d sampler %d: a spline has one keyframe, want at least 2", animation, sampler)
		}
	}
	if c.checkRequiredIndex(s.Output, n, "accessor", "animation %d sampler %d output", animation, sampler) {
		c.useAccessor(*s.Output, ofKeyframes)
	}
}

// checkChannelTarget checks the target of a channel.
func (c *check) checkChannelTarget(ch *Channel, animation, channel int) {
	fail := func(format string, args ...any) {
		c.faults.addFault("animation %d channel %d: "+format, append([]any{animation, channel}, args...)...)
	}
	if e := ch.Target.Extensions; e != nil && e.Pointer != nil {
		switch {
		case ch.Target.Node != nil:
			fail("has both KHR_animation_pointer and a node")
		case ch.Target.Path != "pointer":
			fail("has KHR_animation_pointer with the path %.40q, want \"pointer\"", ch.Target.Path)
		case !isPointer(e.Pointer.Pointer):
			fail("%.80q is not a JSON pointer", e.Pointer.Pointer)
		}
		return
	}
	if !c.checkOptionalIndex(ch.Target.Node, len(c.doc.Nodes), "node", "animation %d channel %d target", animation, channel) {
		return
	}
	n := &c.doc.Nodes[*ch.Target.Node]
	switch ch.Target.Path {
	case "translation", "rotation", "scale":
		if n.Matrix != nil {
			fail("animates node %d, which has a matrix; export it with translation, rotation and scale", *ch.Target.Node)
		}
	case "weights":
		if c.countMorphTargets(n) == 0 {
			fail("animates the weights of node %d, whose mesh has no morph targets", *ch.Target.Node)
		}
	}
}

// isPointer reports whether a string is a JSON pointer (RFC 6901).
func isPointer(s string) bool {
	if s != "" && s[0] != '/' {
		return false
	}
	s = strings.NewReplacer("~0", "", "~1", "").Replace(s)
	return !strings.Contains(s, "~")
}

// countMorphTargets returns how many morph targets the mesh of a node has.
func (c *check) countMorphTargets(n *Node) int {
	if n.Mesh == nil || !isIn(*n.Mesh, len(c.doc.Meshes)) || len(c.doc.Meshes[*n.Mesh].Primitives) == 0 {
		return 0
	}
	return len(c.doc.Meshes[*n.Mesh].Primitives[0].Targets)
}

// checkKeyframes checks the keyframe values of a channel's sampler.
func (c *check) checkKeyframes(ch *Channel, s *AnimationSampler, animation, channel int) {
	if s.Input == nil || s.Output == nil || !isIn(*s.Input, len(c.doc.Accessors)) || !isIn(*s.Output, len(c.doc.Accessors)) {
		return // the check of the accessor reports the fault
	}
	in, out := &c.doc.Accessors[*s.Input], &c.doc.Accessors[*s.Output]
	want, factor := "", int64(1)
	switch ch.Target.Path {
	case "translation", "scale":
		want = "VEC3"
	case "rotation":
		want = "VEC4"
	case "weights":
		want, factor = "SCALAR", 0
		if ch.Target.Node != nil && isIn(*ch.Target.Node, len(c.doc.Nodes)) {
			factor = int64(c.countMorphTargets(&c.doc.Nodes[*ch.Target.Node]))
		}
	default:
		return
	}
	floats := out.ComponentType == Float32 && !out.Normalized
	if out.Type != want || !floats && (want == "VEC3" || !out.Normalized || out.ComponentType > Uint16) {
		c.faults.addFault("animation %d channel %d: the sampler's output is %s, which %s must not be", animation, channel, out.describeFormat(), ch.Target.Path)
		return
	}
	if s.Interpolation == "CUBICSPLINE" {
		factor *= 3
	}
	if in.Count <= maxSize/(1<<20) && factor > 0 && out.Count != in.Count*factor {
		c.faults.addFault("animation %d channel %d: %d elements of output for %d keyframes, want %d", animation, channel, out.Count, in.Count, in.Count*factor)
	}
}
