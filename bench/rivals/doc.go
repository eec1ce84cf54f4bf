// Package rivals measures this module against packages that do the same and
// that the product does not need. It is a module of its own, so that they stay
// out of the product's go.mod.
//
//	cd bench/rivals && go test -run '^$' -bench .
//
// Names, inputs and the way of measuring are those of package bench.
package rivals
