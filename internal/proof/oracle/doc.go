// Package oracle compares incremental cooks with cooks from scratch. It generates trees of
// assets, edits them, cooks after each round of edits, and compares the outputs with the result
// of a full cook of the same sources.
//
//	script := oracle.Random(seed, oracle.Options{})
//	err := oracle.Play(ctx, oracle.Place{Dir: dir, Scratch: scratch}, script, oracle.InProcess)
//
// A [Script] is a list of edits and runs. [Play] executes it. After each run it checks that the
// outputs and the number of failed assets equal the results of a run from scratch, that a second
// run has nothing to do, and that the run did no work if nothing changed since an earlier one. A
// violation is a [Difference]. [Shrink] reduces a failing script, and [Script.Txtar] prints it in
// the language of the script tests of package cli, where it runs unmodified.
package oracle
