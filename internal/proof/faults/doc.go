// Package faults runs cook with a fault injected at each of its system calls, for every kind of
// fault. After each run it checks that cook's messages and exit status are correct, and that the
// next cook repairs the outputs.
//
// See [github.com/assetcook/assetcook/internal/faultfs] for how faults are injected. A
// test of package cli runs a sample; "go run ./proof/reliability faults" runs all. The
// package exists on the systems that faultfs supports.
package faults
