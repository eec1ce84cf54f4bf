// Package bundle holds the recipes that make one file of the artifacts of many assets:
//
//	list  text that a template makes of the artifacts, such as a header of IDs
//	pak   the artifacts themselves, in one file of package pak
//
// Each recipe's options are the fields of the struct of the same name.
package bundle

import "github.com/assetcook/assetcook/cook/recipe"

// All returns the recipes, sorted by name.
func All() []recipe.Recipe {
	return []recipe.Recipe{
		{
			Name: "list", Version: 1, Bundles: true,
			New:    func() recipe.Cooker { return &List{} },
			Traits: func(c recipe.Cooker) recipe.Traits { return recipe.Traits{Estimate: c.(*List).estimateMemory} },
		},
		{
			Name: "pak", Version: 2, Bundles: true, Extensions: []string{".paklist"}, Recognizes: isPakList,
			New:    func() recipe.Cooker { return &Pak{Level: 3} },
			Traits: func(c recipe.Cooker) recipe.Traits { return recipe.Traits{Estimate: c.(*Pak).estimateMemory} },
		},
	}
}
