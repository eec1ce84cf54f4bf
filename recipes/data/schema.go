package data

import (
	"context"

	"github.com/assetcook/assetcook/cook/recipe"
)

// checkSchema checks a tree against the schema at a path from the asset directory.
//
// It is an own implementation for four reasons: the work must be limited, because nested
// alternatives can take exponential time; numbers are compared by their digits; errors name the
// place of a value in the file; and runs without a schema pay nothing.
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

// mostSteps limits the work of checking some values: applying a schema to a value is one step,
// and so is each item or alternative. Nested alternatives can take 2^depth steps.
func mostSteps(values int) int { return 200_000 + 100*values }

const (
	// stepsPerLook is the number of steps between two checks of the context.
	stepsPerLook = 256
	// mostNested limits nested applications of schemas. Data has fewer levels, but each may apply
	// several schemas that refer to each other.
	mostNested = 20_000
)

// step counts work and reports whether more is allowed.
func (c *checker) step(n int) bool {
	if c.err != nil {
		return false
	}
	if c.taken += n; c.taken < c.next {
		return true
	}
	c.next = c.taken + stepsPerLook
	if c.err = c.ctx.Err(); c.err == nil && c.most > 0 && c.taken > c.most {
		c.err = schemaError(c.top.resource, c.top.at, "the check takes too many steps; the schema has nested alternatives (anyOf, oneOf), or too many alternatives for so much data")
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
