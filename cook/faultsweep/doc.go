// Package faultsweep breaks cook at every system call, with every fault that a
// system call can meet, and asks each time whether what cook said of it was true,
// and whether the next cook mends it.
//
// See [github.com/assetcook/assetcook/internal/faultfs] for how a call is broken.
// A test of cmd/cook takes a sample; "go run ./bench/reliability faults" does all.
// It exists where faultfs does.
package faultsweep
