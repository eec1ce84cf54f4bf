// Command cook turns a directory of source assets into a directory of shippable ones and does
// only the necessary work. "cook help" prints its flags; package cook/cli is the same command for
// programs with their own recipes.
package main

import (
	"github.com/assetcook/assetcook/cook/cli"
	"github.com/assetcook/assetcook/recipes"
)

func main() { cli.Main(recipes.All()...) }
