package intern

import (
	"iter"
	"slices"
	"strings"
)

// names is what Table and Frozen have in common for a walk over all of it.
type names interface {
	Len() int
	String(Symbol) string
}

func all(t names) iter.Seq2[Symbol, string] {
	return func(yield func(Symbol, string) bool) {
		for sym := range Symbol(t.Len()) {
			if !yield(sym, t.String(sym)) {
				return
			}
		}
	}
}

func sorted(t names) iter.Seq2[Symbol, string] {
	return func(yield func(Symbol, string) bool) {
		order := make([]Symbol, t.Len())
		for i := range order {
			order[i] = Symbol(i)
		}
		slices.SortFunc(order, func(a, b Symbol) int { return strings.Compare(t.String(a), t.String(b)) })
		for _, sym := range order {
			if !yield(sym, t.String(sym)) {
				return
			}
		}
	}
}
