// Package prune leaves out of a glTF document what nothing uses:
//
//	places.go      where the members of a document name elements of its lists
//	walk.go        visits those names, and writes the document with others
//	reach.go       what scenes, animations and names to keep lead to
//	empty.go       nodes that show nothing
//	animations.go  samplers without a channel
//
// A node tree stays whole if anything leads to one of its nodes: where a joint is depends on
// all that it hangs from. What stays keeps its order, and what names it gets its new number,
// extensions that are known included. One that is not known and holds a whole number or a
// JSON pointer may name anything, so then all stays. Extras belong to the application, which
// has no numbers in them of what may go.
package prune

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/internal/mesh/model"
)

// Options say what stays though nothing uses it.
type Options struct {
	Keep  func(name string) bool // nil for none
	Empty bool                   // nodes go as well that show nothing and have nothing below them
}

// A Result says what has gone.
type Result struct {
	Gone     [lists]int // of each list
	Unplayed int        // samplers of animations that no channel names
	// Unknown is an extension because of which all stays, "" for none.
	Unknown string
}

// Any reports whether something has gone.
func (r Result) Any() bool { return r.Unplayed > 0 || r.Gone != [lists]int{} }

// String counts what has gone.
func (r Result) String() string {
	var parts []string
	for l, n := range r.Gone {
		switch {
		case n == 1:
			parts = append(parts, "1 "+list(l).one())
		case n > 1:
			parts = append(parts, fmt.Sprintf("%d %s", n, list(l).key()))
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

// Document removes from a document what nothing uses, in root itself. The document must be
// one that package gltfcheck has checked.
func Document(ctx context.Context, root *model.Object, o Options) (Result, error) {
	p := pruning{ctx: ctx, options: o, root: *root}
	for l := range lists {
		elements, err := model.ParseList(root.Member(l.key()))
		if err != nil {
			return Result{}, fmt.Errorf("%s: %w", l.key(), err)
		}
		p.elements[l], p.used[l] = elements, make([]bool, len(elements))
	}
	before := walker{visit: stay, extensions: map[string]bool{}}
	if _, err := p.writePruned(&before); err != nil {
		return Result{}, err
	}
	if before.unknown != "" {
		return Result{Unknown: before.unknown}, nil
	}
	for _, step := range []func() error{p.trimAnimations, p.reach, p.dropEmpty} {
		if err := step(); err != nil {
			return Result{}, err
		}
	}
	after := walker{visit: p.renumber(), extensions: map[string]bool{}}
	written, err := p.writePruned(&after)
	if err != nil {
		return Result{}, err
	}
	*root = withoutExtensions(written, func(name string) bool { return before.extensions[name] && !after.extensions[name] })
	return p.result(), nil
}

// A pruning is a document on its way.
type pruning struct {
	ctx        context.Context
	options    Options
	root       model.Object
	elements   [lists][]json.RawMessage
	used       [lists][]bool
	reached    bool   // used is known
	referenced []bool // nodes that something names besides the tree that they are in
	unplayed   int
}

// stay is a visit that changes nothing.
func stay(_ list, n int, _ bool) (int, bool) { return n, true }

// renumber returns the visit that gives elements the numbers that they have without those
// that nothing uses.
func (p *pruning) renumber() func(list, int, bool) (int, bool) {
	var numbers [lists][]int
	for l, used := range p.used {
		numbers[l] = make([]int, len(used))
		next := 0
		for i, is := range used {
			if numbers[l][i] = next; is {
				next++
			}
		}
	}
	return func(l list, n int, _ bool) (int, bool) {
		if n >= len(p.used[l]) {
			return n, true // names nothing, as before
		}
		return numbers[l][n], p.used[l][n]
	}
}

// writePruned returns the document as a walker changes it, without the elements that are not used,
// if it is known which are.
func (p *pruning) writePruned(w *walker) (model.Object, error) {
	var root model.Object
	for _, m := range p.root {
		l, isList := listOf(m.Key)
		if !isList {
			text, _, err := w.member(m, place{is: document})
			if err != nil {
				return nil, fmt.Errorf("%s: %w", m.Key, err)
			}
			root = append(root, model.Member{Key: m.Key, Value: text})
			continue
		}
		var kept []json.RawMessage
		for i, text := range p.elements[l] {
			if p.reached && !p.used[l][i] {
				continue
			}
			text, err := p.element(w, text, one{l, i})
			if err != nil {
				return nil, err
			}
			kept = append(kept, text)
		}
		if len(kept) > 0 {
			root = append(root, model.Member{Key: m.Key, Value: model.ListText(kept)})
		}
	}
	return root, nil
}

// element goes over an element of a list.
func (p *pruning) element(w *walker, text json.RawMessage, at one) (json.RawMessage, error) {
	text, _, err := w.value(text, place{element, at.of})
	if err != nil {
		return nil, fmt.Errorf("%s %d: %w", at.of.key(), at.n, err)
	}
	return text, p.ctx.Err()
}

// withoutExtensions removes extensions from the lists of those that a document uses.
func withoutExtensions(root model.Object, gone func(name string) bool) model.Object {
	for _, key := range []string{"extensionsUsed", "extensionsRequired"} {
		names, err := model.ParseList(root.Member(key))
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
			root.Set(key, model.ListText(names))
		}
	}
	return root
}

func (p *pruning) result() Result {
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
