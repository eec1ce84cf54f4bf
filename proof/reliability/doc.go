// Reliability tests cook under faults: power cuts, kills, full disks, damaged files. Its
// campaigns take minutes or hours; the tests of packages cook and cli run samples that take
// seconds.
//
//	go run ./proof/reliability CAMPAIGN [flags]
//
// The results are in bench/results/reliability.md.
package main
