package mesh

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/assetcook/assetcook/internal/mesh/gltf"
	"github.com/assetcook/assetcook/internal/mesh/prune"
)

// A clip is an animation with its source, its JSON and its rewritten samplers.
type clip struct {
	source  *gltf.Animation // the animation without removed channels and samplers
	text    gltf.Object     // JSON of source
	motions []*motion       // rewritten samplers by index; nil for unchanged samplers
}

// parseClips parses the JSON of all animations.
func (c *cooking) parseClips() error {
	texts, err := c.doc.Objects("animations")
	if err != nil {
		return err
	}
	c.clips = make([]*clip, len(texts))
	for i, text := range texts {
		a := &c.doc.Animations[i]
		c.clips[i] = &clip{source: a, text: text, motions: make([]*motion, len(a.Samplers))}
	}
	return nil
}

// findMotions reads the samplers that may lose keyframes, and chooses the channels and keyframes
// to keep.
func (c *cooking) findMotions(ctx context.Context) error {
	if c.o.AnimationError == 0 {
		return nil
	}
	r := motionReader{cooking: c, times: map[int32][]float32{}, reach: c.doc.Reaches()}
	for _, k := range c.clips {
		if err := r.readMotions(ctx, k); err != nil {
			return err
		}
	}
	if c.o.Prune {
		if err := c.dropStill(); err != nil {
			return err
		}
	}
	for _, k := range c.clips {
		k.shareTimes()
		k.keepLength()
	}
	return nil
}

// readMotions reads the samplers of an animation. Splines and samplers that an extension
// animates stay unchanged.
func (r *motionReader) readMotions(ctx context.Context, k *clip) error {
	unchanged := make([]bool, len(k.motions))
	for j := range k.source.Channels {
		ch := &k.source.Channels[j]
		s := *ch.Sampler
		if ch.Target.Node == nil || ch.Target.Extensions != nil {
			unchanged[s] = true
			continue
		}
		if k.motions[s] == nil && !unchanged[s] {
			m, err := r.readSampler(ctx, &k.source.Samplers[s], ch.Target.Path)
			if err != nil {
				return err
			}
			k.motions[s], unchanged[s] = m, m == nil
		}
		if m := k.motions[s]; m != nil {
			m.most = min(m.most, r.o.AnimationError*m.errorUnit(ch.Target.Path, r.reach[*ch.Target.Node]))
		}
	}
	for j, m := range k.motions {
		if unchanged[j] {
			k.motions[j] = nil
		} else if m != nil {
			if err := r.o.reduceMotion(ctx, m); err != nil {
				return err
			}
		}
	}
	return nil
}

// A property is an animated part of a node, such as its rotation.
type property struct {
	node int32
	path string
}

// dropStill removes the channels of each property that no animation changes from its node's own
// value. An animation that would become empty or shorter keeps its longest channel.
func (c *cooking) dropStill() error {
	moves := map[property]bool{}
	for _, k := range c.clips {
		for _, ch := range k.source.Channels {
			switch {
			case ch.Target.Extensions != nil:
				return nil // an extension may animate any property
			case ch.Target.Node != nil && !c.isStill(k.motions[*ch.Sampler], &ch):
				moves[property{*ch.Target.Node, ch.Target.Path}] = true
			}
		}
	}
	for i, k := range c.clips {
		var stays []int
		longest, end, left := -1, float32(-1), float32(-1)
		for j, ch := range k.source.Channels {
			last := float32(-1)
			if m := k.motions[*ch.Sampler]; m != nil {
				last = m.lastKeyTime()
			}
			if last > end {
				longest, end = j, last
			}
			if ch.Target.Node == nil || moves[property{*ch.Target.Node, ch.Target.Path}] || c.o.keepsName(k.source.Name) || c.o.keepsName(c.doc.Nodes[*ch.Target.Node].Name) {
				stays, left = append(stays, j), max(left, last)
			}
		}
		if left < end {
			stays = append(stays, longest)
			slices.Sort(stays)
		}
		if len(stays) == len(k.source.Channels) {
			continue
		}
		released, err := k.keepChannels(stays)
		if err != nil {
			return fmt.Errorf("animation %d: %w", i, err)
		}
		c.released = append(c.released, released...)
	}
	return nil
}

// isStill reports whether a channel with the rewritten sampler m never changes its node.
func (c *cooking) isStill(m *motion, ch *gltf.Channel) bool {
	n := &c.doc.Nodes[*ch.Target.Node]
	if m == nil || n.Matrix != nil {
		return false
	}
	var rest []float64
	switch ch.Target.Path {
	case "translation":
		if rest = []float64{0, 0, 0}; n.Translation != nil {
			rest = n.Translation[:]
		}
	case "rotation":
		if rest = []float64{0, 0, 0, 1}; n.Rotation != nil {
			rest = n.Rotation[:]
		}
	case "scale":
		if rest = []float64{1, 1, 1}; n.Scale != nil {
			rest = n.Scale[:]
		}
	default:
		return false
	}
	return m.source.StaysAt(rest, m.most)
}

// keepChannels removes all other channels, and samplers without a channel. It returns the
// accessors of the removed samplers.
func (k *clip) keepChannels(stays []int) (released []int32, err error) {
	channels, err := k.text.List("channels")
	if err != nil {
		return nil, err
	}
	played := make([]bool, len(k.motions))
	for n, j := range stays {
		channels[n] = channels[j]
		played[*k.source.Channels[j].Sampler] = true
	}
	k.text.Set("channels", gltf.ListText(channels[:len(stays)]))
	trimmed, _, err := prune.Samplers(k.text.Text())
	if err != nil {
		return nil, err
	}
	if k.text, err = gltf.ParseObject(trimmed); err != nil {
		return nil, err
	}
	motions := k.motions[:0]
	for j, m := range k.motions {
		if played[j] {
			motions = append(motions, m)
		} else {
			released = append(released, *k.source.Samplers[j].Input, *k.source.Samplers[j].Output)
		}
	}
	k.motions = motions
	*k.source = gltf.Animation{}
	return released, json.Unmarshal(trimmed, k.source)
}

// accessorCost is the approximate number of bytes that describe an accessor in a document.
const accessorCost = 130

// shareTimes keeps the same keyframes in motions that shared their times in the source. It does so
// if one shared list takes fewer bytes than separate lists. Constant motions are left out.
func (k *clip) shareTimes() {
	groups := map[int32][]*motion{}
	for _, m := range k.motions {
		if m != nil && len(m.keep) > 1 {
			groups[m.input] = append(groups[m.input], m)
		}
	}
	for _, input := range slices.Sorted(maps.Keys(groups)) {
		group := groups[input]
		needed := make([]bool, len(group[0].source.Times))
		apart, together := 0, 4
		for _, m := range group {
			size := m.source.Width * gltf.ComponentSize(m.stored.Component)
			apart += len(m.keep)*(4+size) + accessorCost
			together += size
			for _, key := range m.keep {
				needed[key] = true
			}
		}
		var all []int
		for key, is := range needed {
			if is {
				all = append(all, key)
			}
		}
		if len(all)*together+accessorCost > apart {
			continue
		}
		for _, m := range group {
			m.keep = all
		}
	}
}

// keepLength preserves the duration of an animation that ends without movement.
func (k *clip) keepLength() {
	end, left := float32(math.Inf(-1)), float32(math.Inf(-1))
	for j, m := range k.motions {
		if m == nil {
			if k.isPlayed(j) {
				return // an unchanged sampler, which may preserve the duration
			}
			continue
		}
		end = max(end, m.lastKeyTime())
		left = max(left, m.source.Times[m.keep[len(m.keep)-1]])
	}
	for _, m := range k.motions {
		if m != nil && left != end && m.lastKeyTime() == end {
			m.keep = []int{0, len(m.source.Times) - 1}
			return
		}
	}
}

// isPlayed reports whether a channel uses a sampler.
func (k *clip) isPlayed(sampler int) bool {
	return slices.ContainsFunc(k.source.Channels, func(ch gltf.Channel) bool { return int(*ch.Sampler) == sampler })
}

// writeMotions writes the keyframes of rewritten samplers. Equal arrays share an accessor.
func (w *writer) writeMotions(ctx context.Context) error {
	out := keyframeWriter{w: w, numbers: map[string]int{}, spare: w.spareAccessors()}
	for i, k := range w.clips {
		if !slices.ContainsFunc(k.motions, func(m *motion) bool { return m != nil }) {
			continue
		}
		samplers, err := k.text.List("samplers")
		if err != nil {
			return fmt.Errorf("animation %d: %w", i, err)
		}
		for j, m := range k.motions {
			if m == nil {
				continue
			}
			if samplers[j], err = out.writeSampler(ctx, samplers[j], m); err != nil {
				return fmt.Errorf("animation %d sampler %d: %w", i, j, err)
			}
			k.motions[j] = nil // free the memory of the keyframes
		}
		k.text.Set("samplers", gltf.ListText(samplers))
	}
	w.accessors.dropAccessors(out.spare)
	return nil
}

// spareAccessors returns the accessors that are used only by rewritten samplers.
func (w *writer) spareAccessors() (list []int32) {
	animated := make([]bool, len(w.doc.Accessors))
	for _, k := range w.clips {
		for j, s := range k.source.Samplers {
			if k.motions[j] != nil {
				animated[*s.Input], animated[*s.Output] = true, true
			}
		}
	}
	for _, a := range drawnAccessors(w.doc) {
		animated[a] = false
	}
	for i, is := range animated {
		if is && w.accessors.free[i] {
			list = append(list, int32(i))
		}
	}
	return list
}

// A keyframeWriter writes arrays of keyframes. It writes each distinct array only once.
type keyframeWriter struct {
	w       *writer
	numbers map[string]int
	spare   []int32 // accessors whose indexes can be reused
}

// writeSampler writes the keyframes of a motion and returns a sampler that refers to them.
func (k *keyframeWriter) writeSampler(ctx context.Context, text json.RawMessage, m *motion) (json.RawMessage, error) {
	o, err := gltf.ParseObject(text)
	if err != nil {
		return nil, err
	}
	if !m.source.Step {
		o.Delete("interpolation") // linear is the default
	}
	times := make([]float32, len(m.keep))
	elements := make([]uint32, 0, len(m.keep))
	each := m.source.Width / m.stored.Width // number of elements per keyframe
	for i, key := range m.keep {
		times[i] = m.source.Times[key]
		for e := range each {
			elements = append(elements, uint32(key*each+e))
		}
	}
	values, err := m.stored.Pick(ctx, elements)
	if err != nil {
		return nil, err
	}
	for _, part := range []struct {
		key   string
		use   gltf.Use
		array gltf.Array
	}{{"input", gltf.Other, gltf.FloatArray(times, 1)}, {"output", m.use, values}} {
		number, err := k.writeKeys(ctx, part.use, part.array, part.key == "input")
		if err != nil {
			return nil, err
		}
		o.SetInt(part.key, number)
	}
	return o.Text(), nil
}

// writeKeys writes an array of times or values and returns its accessor.
func (k *keyframeWriter) writeKeys(ctx context.Context, u gltf.Use, a gltf.Array, times bool) (int, error) {
	key := fmt.Sprint(u, a.Component, a.Width, times, " ") + string(a.Data)
	if number, ok := k.numbers[key]; ok {
		return number, nil
	}
	source := int32(made)
	if len(k.spare) > 0 {
		source, k.spare = k.spare[0], k.spare[1:]
		k.w.accessors.objects[source] = nil
	}
	number, err := k.w.accessors.replaceAccessor(ctx, source, accessorType(k.w.doc, made, a.Width), u, a, times)
	if source != made && number != int(source) {
		k.spare = append(k.spare, source) // an equal accessor already exists
	}
	k.numbers[key] = number
	return number, err
}

// dropAccessors removes unused accessors from the end of the list. An unused accessor before a used
// one keeps its index and shrinks to one byte.
func (as *accessors) dropAccessors(spare []int32) {
	for _, i := range slices.Backward(spare) {
		as.taken[i] = true
		if int(i) == len(as.objects)-1 {
			as.objects = as.objects[:i]
			continue
		}
		var o gltf.Object
		o.SetInt("componentType", gltf.Uint8)
		o.SetInt("count", 1)
		o.Set("type", gltf.Quote("SCALAR"))
		as.objects[i] = o
	}
}
