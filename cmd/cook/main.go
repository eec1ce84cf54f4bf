// Command cook turns a directory of source assets into a directory of shippable assets and does
// only the necessary work. "cook help" prints its flags. Package cook/cli provides the same
// command to programs with their own recipes.
package main

import (
	"github.com/assetcook/assetcook/cook/cli"
	"github.com/assetcook/assetcook/recipes"
)

func main() { cli.Main(recipes.All()...) }
