package data

import (
	"context"

	"github.com/assetcook/assetcook/cook/recipe"
)

// checkSchema checks a tree against the schema at a path from the asset folder.
//
// It is ours because a library for JSON Schema has to be one that stops: a few
// alternatives within alternatives ask for more work than ends. It has to compare
// numbers by their digits and to know where in a file a value stands, too, and to
// cost nothing where no schema is used.
func checkSchema(ctx context.Context, job *recipe.Job, path string, root *value) error {
	files := &schemaFiles{ctx: ctx, job: job}
	set := newSchemaSet(ctx, files.load)
	top, err := set.openSchema(path)
	if err != nil {
		return err
	}
	c := &checker{ctx: ctx, set: set, top: top}
	if err := c.count(root); err != nil {
		return err
	}
	c.most = mostSteps(c.taken)
	c.taken = 0
	found := &violations{}
	c.check(top, root, nil, nil, found)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case c.err != nil:
		return c.err
	}
	return found.error(path)
}

// mostSteps is how much work the check of some values may be: a schema applied to a
// value is one step, and so is each item or alternative that it looks at. A few nested
// alternatives ask for 2^depth of them.
func mostSteps(values int) int { return 200_000 + 100*values }

const (
	// stepsPerLook is how many steps lie between two looks at the context.
	stepsPerLook = 256
	// mostNested is how many schemas may be at work within one another. Data has
	// fewer levels, but each may take several schemas that refer to one another.
	mostNested = 20_000
)

// step counts work and reports whether there may be more.
func (c *checker) step(n int) bool {
	if c.err != nil {
		return false
	}
	if c.taken += n; c.taken < c.next {
		return true
	}
	c.next = c.taken + stepsPerLook
	if c.err = c.ctx.Err(); c.err == nil && c.most > 0 && c.taken > c.most {
		c.err = schemaError(c.top.resource, c.top.at, "the check takes too many steps; the schema has alternatives in alternatives (anyOf, oneOf), or too many of them for so much data")
	}
	return c.err == nil
}

// count counts the values of a tree as steps.
func (c *checker) count(v *value) error {
	if !c.step(1) {
		return c.err
	}
	for _, item := range v.items {
		if err := c.count(item); err != nil {
			return err
		}
	}
	return nil
}
