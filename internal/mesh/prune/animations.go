package prune

import (
	"encoding/json"
	"fmt"

	"github.com/assetcook/assetcook/internal/mesh/gltf"
)

// A channelText is the sampler and the target of a channel.
type channelText struct {
	Sampler int
	Target  struct {
		Node       *int
		Extensions json.RawMessage
	}
}

// channelsOf returns the channels of an animation.
func channelsOf(o gltf.Object) (texts []json.RawMessage, channels []channelText, err error) {
	if texts, err = gltf.ParseList(o.Member("channels")); err != nil {
		return nil, nil, err
	}
	channels = make([]channelText, len(texts))
	for i, text := range texts {
		if err := json.Unmarshal(text, &channels[i]); err != nil {
			return nil, nil, err
		}
	}
	return texts, channels, nil
}

// movesAnything reports whether an animation has a channel with something to move.
func movesAnything(text json.RawMessage) (bool, error) {
	o, err := gltf.ParseObject(text)
	if err != nil {
		return false, err
	}
	_, channels, err := channelsOf(o)
	for _, c := range channels {
		if c.Target.Node != nil || c.Target.Extensions != nil {
			return true, err
		}
	}
	return false, err
}

// trimAnimations removes samplers that no channel names.
func (p *pruning) trimAnimations() error {
	for i, text := range p.elements[gltf.Animations] {
		trimmed, gone, err := Samplers(text)
		if err != nil {
			return fmt.Errorf("animations %d: %w", i, err)
		}
		p.elements[gltf.Animations][i] = trimmed
		p.unplayed += gone
	}
	return nil
}

// Samplers returns an animation without the samplers that no channel names, and how many
// have gone.
func Samplers(text json.RawMessage) (_ json.RawMessage, gone int, err error) {
	o, err := gltf.ParseObject(text)
	if err != nil {
		return nil, 0, err
	}
	list, err := gltf.ParseList(o.Member("samplers"))
	if err != nil {
		return nil, 0, err
	}
	texts, channels, err := channelsOf(o)
	if err != nil {
		return nil, 0, err
	}
	used := make([]bool, len(list))
	for _, c := range channels {
		if c.Sampler < 0 || c.Sampler >= len(list) {
			return text, 0, nil
		}
		used[c.Sampler] = true
	}
	numbers, kept := make([]int, len(list)), list[:0]
	for i, sampler := range list {
		if numbers[i] = len(kept); used[i] {
			kept = append(kept, sampler)
		}
	}
	if len(kept) == len(used) || len(kept) == 0 {
		return text, 0, nil
	}
	for i, channel := range texts {
		c, err := gltf.ParseObject(channel)
		if err != nil {
			return nil, 0, err
		}
		c.SetInt("sampler", numbers[channels[i].Sampler])
		texts[i] = c.Text()
	}
	o.Set("samplers", gltf.ListText(kept))
	o.Set("channels", gltf.ListText(texts))
	return o.Text(), len(used) - len(kept), nil
}
