// Package recipes has the recipes that come with assetcook. Each of its packages implements one
// or several recipes. Rules in cook.toml set their options, which docs/recipes lists.
package recipes

import (
	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/recipes/atlas"
	"github.com/assetcook/assetcook/recipes/audio"
	"github.com/assetcook/assetcook/recipes/builtin"
	"github.com/assetcook/assetcook/recipes/bundle"
	"github.com/assetcook/assetcook/recipes/data"
	"github.com/assetcook/assetcook/recipes/font"
	"github.com/assetcook/assetcook/recipes/image"
	"github.com/assetcook/assetcook/recipes/lut"
	"github.com/assetcook/assetcook/recipes/mesh"
	"github.com/assetcook/assetcook/recipes/shader"
	"github.com/assetcook/assetcook/recipes/text"
)

// All returns all recipes of this module.
func All() []recipe.Recipe {
	small := append(builtin.All(), bundle.All()...)
	return append(small, atlas.Recipe(), audio.Recipe(), audio.SoundsRecipe(), data.Recipe(), font.Recipe(), font.BMFontRecipe(), image.Recipe(), lut.Recipe(), mesh.Recipe(), shader.Recipe(), text.Recipe())
}
