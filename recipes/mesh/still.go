package mesh

import (
	"fmt"
	"slices"

	"github.com/assetcook/assetcook/internal/mesh/gltf"
	"github.com/assetcook/assetcook/internal/mesh/prune"
)

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

// isStill reports whether a channel leaves its node as it is.
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
