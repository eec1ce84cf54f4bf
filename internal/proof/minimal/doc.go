// Package minimal compares the work that incremental cooks do with a model. It generates random
// trees of assets whose sources are small programs. The programs read files, test whether files
// exist, match patterns, generate programs for the next step of a chain, and read the artifacts
// of other assets. So the model knows the dependencies of each asset. For each run it predicts
// which assets are cooked, restored from the store or left alone, and what the output directory
// contains afterwards. [Play] fails if a run does more or less than predicted.
package minimal
