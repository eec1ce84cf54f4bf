// Package builtin holds the small recipes that every cook knows:
//
//	copy     the file as it is
//	zstd     the file as a Zstandard frame
//	json     JSON, checked and without white space
//	gltf     a glTF 2.0 document, checked and as it is
//	command  whatever an external program makes of the file
//
// Each recipe's options are the fields of the struct of the same name.
package builtin

import (
	"github.com/assetcook/assetcook/cook/recipe"
)

// All returns the built-in recipes, sorted by name.
func All() []recipe.Recipe {
	return []recipe.Recipe{
		{
			Name: "command", Version: 3, UsesPath: true,
			New: func() recipe.Cooker { return &Command{Timeout: defaultTimeout, Deps: "declared", Sandbox: true} },
			Traits: func(options recipe.Cooker) recipe.Traits {
				c := options.(*Command)
				return recipe.Traits{
					Check: c.checkOptions, Explain: c.explainResult, Declare: c.declareReads,
					Tools: c.tools(), Local: c.staysHere(), Confined: c.isConfined,
				}
			},
		},
		{
			Name: "copy", Version: 1, Cheap: true,
			New:    func() recipe.Cooker { return &Copy{} },
			Traits: func(c recipe.Cooker) recipe.Traits { return recipe.Traits{Estimate: c.(*Copy).estimateMemory} },
		},
		{
			Name: "gltf", Version: 4, Cheap: true,
			New:    func() recipe.Cooker { return &GLTF{} },
			Traits: func(c recipe.Cooker) recipe.Traits { return recipe.Traits{Estimate: c.(*GLTF).estimateMemory} },
		},
		{
			Name: "json", Version: 1, Cheap: true, Extensions: []string{".json", ".jsonc"},
			New:    func() recipe.Cooker { return &JSON{Minify: true} },
			Traits: func(c recipe.Cooker) recipe.Traits { return recipe.Traits{Estimate: c.(*JSON).estimateMemory} },
		},
		{
			Name: "zstd", Version: 1,
			New:    func() recipe.Cooker { return &Zstd{Level: 3} },
			Traits: func(c recipe.Cooker) recipe.Traits { return recipe.Traits{Estimate: c.(*Zstd).estimateMemory} },
		},
	}
}
