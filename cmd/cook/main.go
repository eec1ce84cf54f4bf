// Command cook turns a folder of source assets into a folder of shippable ones and does
// only the work that is needed. "cook help" prints its flags; package cook/cli is the
// same command for programs with recipes of their own.
package main

import (
	"github.com/assetcook/assetcook/cook/cli"
	"github.com/assetcook/assetcook/recipes"
)

func main() { cli.Main(recipes.All()...) }
