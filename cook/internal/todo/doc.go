// Package todo decides the work of a pass: it gathers the facts that package plan needs, and
// calls it.
//
// [Make] turns a delta (package changes) into a [Todo]. It compiles the rules, finds out the
// contents of the sources and of the recorded outputs, reads the asset IDs, and makes the plan.
// It changes nothing on the disk.
package todo
