// Package prune removes unused elements from a glTF document:
//
//	prune.go  the passes, lists of extensions, and samplers without a channel
//	reach.go  elements reachable from scenes, animations and kept names; empty nodes
//
// If any node of a tree is reachable, the whole tree is kept, because the position of a joint
// depends on all its ancestors. Kept elements keep their order and get new indices, also in known
// extensions. An unknown extension that contains an integer or a JSON pointer may refer to any
// element; then all elements are kept. Extras belong to the application and contain no indices of
// elements.
package prune

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/internal/mesh/gltf"
)

// Options select elements to keep or to remove.
type Options struct {
	Keep  func(name string) bool // reports whether to keep an element with this name; may be nil
	Empty bool                   // removes leaf nodes that show nothing
}

// A Result counts the removed elements.
type Result struct {
	Gone     [gltf.Lists]int // number of removed elements by list
	Unplayed int             // number of removed animation samplers that no channel used
	// Unknown is the extension that causes all elements to be kept; "" if there is none.
	Unknown string
}

// Any reports whether Document removed an element.
func (r Result) Any() bool { return r.Unplayed > 0 || r.Gone != [gltf.Lists]int{} }

// String lists the numbers of removed elements as text.
func (r Result) String() string {
	var parts []string
	for l, n := range r.Gone {
		switch {
		case n == 1:
			parts = append(parts, "1 "+gltf.List(l).Singular())
		case n > 1:
			parts = append(parts, fmt.Sprintf("%d %s", n, gltf.List(l).Key()))
		}
	}
	switch {
	case r.Unplayed == 1:
		parts = append(parts, "1 animation sampler")
	case r.Unplayed > 1:
		parts = append(parts, fmt.Sprintf("%d animation samplers", r.Unplayed))
	}
	return strings.Join(parts, ", ")
}

// Document removes unused elements from a document and updates root. Package gltf must have checked
// the document.
func Document(ctx context.Context, root *gltf.Object, o Options) (Result, error) {
	p := pruning{ctx: ctx, options: o, root: *root}
	for l := range gltf.Lists {
		elements, err := gltf.ParseList(root.Member(l.Key()))
		if err != nil {
			return Result{}, fmt.Errorf("%s: %w", l.Key(), err)
		}
		p.elements[l], p.used[l] = elements, make([]bool, len(elements))
	}
	before := gltf.References{Visit: stay, Extensions: map[string]bool{}}
	if _, err := p.writePruned(&before); err != nil {
		return Result{}, err
	}
	if before.Unknown != "" {
		return Result{Unknown: before.Unknown}, nil
	}
	for _, step := range []func() error{p.trimAnimations, p.markReached, p.dropEmptyNodes} {
		if err := step(); err != nil {
			return Result{}, err
		}
	}
	after := gltf.References{Visit: p.renumberUsed(), Extensions: map[string]bool{}}
	written, err := p.writePruned(&after)
	if err != nil {
		return Result{}, err
	}
	*root = withoutExtensions(written, func(name string) bool { return before.Extensions[name] && !after.Extensions[name] })
	return p.countGone(), nil
}

// A pruning is the state of pruning one document.
type pruning struct {
	ctx        context.Context
	options    Options
	root       gltf.Object
	elements   [gltf.Lists][]json.RawMessage
	used       [gltf.Lists][]bool
	reached    bool   // set once the field used is complete
	referenced []bool // set for nodes that are referenced from outside of their tree
	unplayed   int
}

// stay is a visit function for gltf.References that keeps every reference.
func stay(_ gltf.List, n int, _ bool) (int, bool) { return n, true }

// renumberUsed returns a visit function for gltf.References. It renumbers elements as if unused
// elements were removed.
func (p *pruning) renumberUsed() func(gltf.List, int, bool) (int, bool) {
	var numbers [gltf.Lists][]int
	for l, used := range p.used {
		numbers[l] = make([]int, len(used))
		next := 0
		for i, is := range used {
			if numbers[l][i] = next; is {
				next++
			}
		}
	}
	return func(l gltf.List, n int, _ bool) (int, bool) {
		if n >= len(p.used[l]) {
			return n, true // the index was already out of range
		}
		return numbers[l][n], p.used[l][n]
	}
}

// writePruned returns the document with the references that w has changed. After markReached it
// omits unused elements.
func (p *pruning) writePruned(w *gltf.References) (gltf.Object, error) {
	var root gltf.Object
	for _, m := range p.root {
		l, isList := gltf.ListOf(m.Key)
		if !isList {
			text, err := w.Member(m)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", m.Key, err)
			}
			root = append(root, gltf.Member{Key: m.Key, Value: text})
			continue
		}
		var kept []json.RawMessage
		for i, text := range p.elements[l] {
			if p.reached && !p.used[l][i] {
				continue
			}
			text, err := p.visitElement(w, text, one{l, i})
			if err != nil {
				return nil, err
			}
			kept = append(kept, text)
		}
		if len(kept) > 0 {
			root = append(root, gltf.Member{Key: m.Key, Value: gltf.ListText(kept)})
		}
	}
	return root, nil
}

// visitElement visits the references of one element.
func (p *pruning) visitElement(w *gltf.References, text json.RawMessage, at one) (json.RawMessage, error) {
	text, err := w.Element(text, at.of)
	if err != nil {
		return nil, fmt.Errorf("%s %d: %w", at.of.Key(), at.n, err)
	}
	return text, p.ctx.Err()
}

// withoutExtensions removes extensions from the document's lists of extensions.
func withoutExtensions(root gltf.Object, gone func(name string) bool) gltf.Object {
	for _, key := range []string{"extensionsUsed", "extensionsRequired"} {
		names, err := gltf.ParseList(root.Member(key))
		if err != nil {
			continue
		}
		names = slices.DeleteFunc(names, func(text json.RawMessage) bool {
			var name string
			return json.Unmarshal(text, &name) == nil && gone(name)
		})
		if len(names) == 0 {
			root.Delete(key)
		} else {
			root.Set(key, gltf.ListText(names))
		}
	}
	return root
}

func (p *pruning) countGone() Result {
	r := Result{Unplayed: p.unplayed}
	for l, used := range p.used {
		for _, is := range used {
			if !is {
				r.Gone[l]++
			}
		}
	}
	return r
}

// A channelText holds the sampler and the target of a channel.
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

// movesAnything reports whether an animation has a channel with a target.
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

// trimAnimations removes samplers that no channel uses.
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

// Samplers removes the samplers that no channel uses from an animation, and returns their number.
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
