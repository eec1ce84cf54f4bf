// Package rivals compares this module with other packages that do the same work. The product does
// not need these packages. They are in a separate module to keep them out of the product's go.mod.
//
//	cd bench/rivals && go test -run '^$' -bench .
//
// Names, inputs and methods are the same as in package bench.
package rivals
