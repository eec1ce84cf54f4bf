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

// accessorCost is about how many bytes a document says of an accessor.
const accessorCost = 130

// shareTimes keeps common times for motions that shared them, if one list of times takes
// less than several. Constant motions are left out.
func shareTimes(list []*motion) {
	groups := map[int32][]*motion{}
	for _, m := range list {
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
			for _, k := range m.keep {
				needed[k] = true
			}
		}
		var all []int
		for k, is := range needed {
			if is {
				all = append(all, k)
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

// keepLength has an animation take as long as before if all that lasted to its end stands
// still.
func keepLength(a *gltf.Animation, list []*motion) {
	end, left := float32(math.Inf(-1)), float32(math.Inf(-1))
	for j, m := range list {
		if m == nil {
			if isUsed(a, j) {
				return // an unchanged sampler may last as long
			}
			continue
		}
		times := m.source.Times
		end = max(end, times[len(times)-1])
		left = max(left, times[m.keep[len(m.keep)-1]])
	}
	for _, m := range list {
		if m == nil || left == end {
			continue
		}
		if n := len(m.source.Times); m.source.Times[n-1] == end {
			m.keep = []int{0, n - 1}
			return
		}
	}
}

func isUsed(a *gltf.Animation, sampler int) bool {
	return slices.ContainsFunc(a.Channels, func(ch gltf.Channel) bool { return int(*ch.Sampler) == sampler })
}

// animate writes the animations that have been changed. Lists that are equal are one.
func (w *writer) animate(ctx context.Context) error {
	animations, err := w.doc.Objects("animations")
	if err != nil {
		return err
	}
	k := keyed{w: w, numbers: map[string]int{}, spare: w.spare()}
	for i, list := range w.motions {
		if !slices.ContainsFunc(list, func(m *motion) bool { return m != nil }) {
			continue
		}
		samplers, err := animations[i].List("samplers")
		if err != nil {
			return fmt.Errorf("animation %d: %w", i, err)
		}
		for j, m := range list {
			if m == nil {
				continue
			}
			if samplers[j], err = k.sampler(ctx, samplers[j], m); err != nil {
				return fmt.Errorf("animation %d sampler %d: %w", i, j, err)
			}
			list[j] = nil
		}
		animations[i].Set("samplers", gltf.ListText(samplers))
	}
	w.doc.Root.SetObjects("animations", animations)
	w.accessors.drop(k.spare)
	return nil
}

// spare returns the accessors that only samplers use which are written anew.
func (w *writer) spare() (list []int32) {
	animated := make([]bool, len(w.doc.Accessors))
	for i := range w.doc.Animations {
		for j, s := range w.doc.Animations[i].Samplers {
			if w.motions[i] != nil && w.motions[i][j] != nil {
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

// drawnAccessors returns the accessors of meshes and skins.
func drawnAccessors(doc *gltf.Document) (list []int32) {
	for i := range doc.Meshes {
		for j := range doc.Meshes[i].Primitives {
			p := &doc.Meshes[i].Primitives[j]
			if p.Indices != nil {
				list = append(list, *p.Indices)
			}
			for _, attributes := range p.AttributeSets() {
				list = slices.AppendSeq(list, maps.Values(attributes))
			}
		}
	}
	for _, s := range doc.Skins {
		if s.InverseBindMatrices != nil {
			list = append(list, *s.InverseBindMatrices)
		}
	}
	return list
}

// keyed writes lists of keyframes, each once.
type keyed struct {
	w       *writer
	numbers map[string]int
	spare   []int32 // accessors whose numbers can be had
}

// sampler returns a sampler that names a motion's keyframes.
func (k *keyed) sampler(ctx context.Context, text json.RawMessage, m *motion) (json.RawMessage, error) {
	o, err := gltf.ParseObject(text)
	if err != nil {
		return nil, err
	}
	if !m.source.Step {
		o.Delete("interpolation") // is linear unless it says otherwise
	}
	times := make([]float32, len(m.keep))
	elements := make([]uint32, 0, len(m.keep))
	each := m.source.Width / m.stored.Width // elements of a keyframe
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

func (k *keyed) writeKeys(ctx context.Context, u gltf.Use, a gltf.Array, times bool) (int, error) {
	key := fmt.Sprint(u, a.Component, a.Width, times, " ") + string(a.Data)
	if number, ok := k.numbers[key]; ok {
		return number, nil
	}
	source := int32(made)
	if len(k.spare) > 0 {
		source, k.spare = k.spare[0], k.spare[1:]
		k.w.accessors.objects[source] = nil
	}
	number, err := k.w.accessors.replace(ctx, source, kindOf(k.w.doc, made, a.Width), u, a, times)
	if source != made && number != int(source) {
		k.spare = append(k.spare, source) // the same is there already
	}
	k.numbers[key] = number
	return number, err
}

// drop removes accessors without users. Accessors before others, whose numbers stay, become
// the shortest possible.
func (as *accessors) drop(spare []int32) {
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

// A property is what channels move of a node.
type property struct {
	node int32
	path string
}

// dropStill removes the channels of properties that no animation moves from where their
// nodes have them, if prune is asked for. One stays where an animation would have none, or
// would not last as long.
func (c *cooking) dropStill() error {
	if !c.o.Prune {
		return nil
	}
	moves := map[property]bool{}
	for i := range c.doc.Animations {
		for _, ch := range c.doc.Animations[i].Channels {
			switch {
			case ch.Target.Extensions != nil:
				return nil // may move what others leave alone
			case ch.Target.Node != nil && !c.isStill(c.motions[i], &ch):
				moves[property{*ch.Target.Node, ch.Target.Path}] = true
			}
		}
	}
	animations, err := c.doc.Objects("animations")
	if err != nil {
		return err
	}
	for i := range c.doc.Animations {
		a := &c.doc.Animations[i]
		var stays []int
		longest, end, left := -1, float32(-1), float32(-1)
		for j, ch := range a.Channels {
			last := float32(-1)
			if m := c.motions[i][*ch.Sampler]; m != nil {
				last = m.source.Times[len(m.source.Times)-1]
			}
			if last > end {
				longest, end = j, last
			}
			if ch.Target.Node == nil || moves[property{*ch.Target.Node, ch.Target.Path}] || c.o.keeps(a.Name) || c.o.keeps(c.doc.Nodes[*ch.Target.Node].Name) {
				stays, left = append(stays, j), max(left, last)
			}
		}
		if left < end {
			stays = append(stays, longest)
			slices.Sort(stays)
		}
		if len(stays) == len(a.Channels) {
			continue
		}
		if err := c.keepChannels(i, &animations[i], stays); err != nil {
			return fmt.Errorf("animation %d: %w", i, err)
		}
	}
	c.doc.Root.SetObjects("animations", animations)
	return nil
}

// isStill reports whether a channel never moves its node.
func (c *cooking) isStill(motions []*motion, ch *gltf.Channel) bool {
	m, n := motions[*ch.Sampler], &c.doc.Nodes[*ch.Target.Node]
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

// keepChannels leaves an animation the channels of the given numbers, and the samplers of
// these.
func (c *cooking) keepChannels(i int, text *gltf.Object, stays []int) error {
	channels, err := text.List("channels")
	if err != nil {
		return err
	}
	a := &c.doc.Animations[i]
	kept, numbers := channels[:0], make([]int32, len(a.Samplers))
	for n, j := range stays {
		kept = append(kept, channels[j])
		a.Channels[n] = a.Channels[j]
		numbers[*a.Channels[n].Sampler] = 1
	}
	a.Channels = a.Channels[:len(stays)]
	text.Set("channels", gltf.ListText(kept))
	trimmed, _, err := prune.Samplers(text.Text())
	if err != nil {
		return err
	}
	if *text, err = gltf.ParseObject(trimmed); err != nil {
		return err
	}
	samplers, motions := a.Samplers[:0], c.motions[i][:0]
	for j, s := range a.Samplers {
		if numbers[j] == 0 {
			c.released = append(c.released, *s.Input, *s.Output)
			continue
		}
		motion := c.motions[i][j]
		numbers[j] = int32(len(samplers))
		samplers, motions = append(samplers, s), append(motions, motion)
	}
	a.Samplers, c.motions[i] = samplers, motions
	for n := range a.Channels {
		number := numbers[*a.Channels[n].Sampler]
		a.Channels[n].Sampler = &number
	}
	return nil
}
