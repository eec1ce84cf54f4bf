// Package minimal counts what incremental cooks do against a model. It generates trees whose
// sources are small programs: they read files, ask whether there are some, look for names by
// patterns, make programs that are cooked further, and take what others are cooked to. So the
// model knows what each asset depends on, and for each run what is to be cooked, brought from
// the store or left alone, and what is in the output folder then. [Play] fails where a run
// does more, or less.
package minimal
