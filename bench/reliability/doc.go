// Reliability does harm to cook, and looks whether it is ever wrong: power
// cuts, kills, full disks, damaged files. What takes minutes or hours is here;
// a sample of each that takes seconds is among the tests of package cook and
// of cmd/cook.
//
//	go run ./bench/reliability CAMPAIGN [flags]
//
// bench/results/reliability.md has what came of it.
package main
