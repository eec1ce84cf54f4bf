// Package oracle checks incremental cooks against cooks from scratch. It generates
// trees of assets, edits them, cooks after each round of edits, and compares the
// outputs with those of a full cook of the same sources.
//
//	script := oracle.Random(seed, oracle.Options{})
//	err := oracle.Play(ctx, oracle.Place{Dir: dir, Scratch: scratch}, script, oracle.InProcess)
//
// A [Script] is data: edits, with runs between them. [Play] executes it and checks
// after each run that the outputs equal those of a run from scratch, that as many
// assets failed, that a second run has nothing to do, and that a run did no work if
// nothing changed since an earlier one. A violation is a [Difference]. [Shrink]
// reduces a failing script, and [Script.Txtar] prints it in the language of the
// script tests of package cli, where it runs unmodified.
package oracle
