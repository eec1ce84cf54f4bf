// Package rivals compares this module with packages that do the same and that the product does
// not need. It is a separate module to keep them out of the product's go.mod.
//
//	cd bench/rivals && go test -run '^$' -bench .
//
// Names, inputs and methods are the same as in package bench.
package rivals
