// Package damagesweep damages the files that cook keeps, each in every way that
// leaves it shorter or has one bit wrong, and asks each time whether the next run
// gives what a run from scratch gives, and says what it did about it.
//
// A test of package cook takes a sample; "go run ./bench/reliability damage" does
// all. Cooking is in process, so a panic ends the sweep; the file "now" in the
// sweep's folder has the harm that was being done.
package damagesweep
