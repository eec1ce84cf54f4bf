package rules

import (
	"fmt"

	"github.com/assetcook/assetcook/internal/recipeset"
)

func ExampleSet_Method() {
	recipes, _ := recipeset.New(imageFake, copyFake)
	set, err := Compile([]File{{Name: "assets/cook.toml", Data: []byte(`
[[rule]]
match = "textures/**/*_n.png"
srgb  = false

[target.mobile.image]
max_size = 1024
`)}}, recipes)
	if err != nil {
		fmt.Println(err)
		return
	}
	m, err := set.Method("textures/wood/wall_n.png", "mobile")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Recipe.Name, "->", m.Outputs[0].Name("textures/wood/wall_n.png"))
	for _, o := range m.Options {
		fmt.Println(o.Key, "=", o.Value, "from", o.From)
	}
	// Output:
	// image -> textures/wood/wall_n.png
	// max_size = 1024 from assets/cook.toml:7
	// quality = 5 from default
	// srgb = false from assets/cook.toml:4
}

func ExampleErrors() {
	recipes, _ := recipeset.New(imageFake, copyFake)
	_, err := Compile([]File{{Name: "assets/cook.toml", Data: []byte(`
[[rule]]
match  = "*.png"
recipe = "imagee"

[[rule]]
match  = "*.tga"
recipe = "image"
srbg   = true
quality = 11
`)}}, recipes)
	fmt.Println(err)
	// Output:
	// assets/cook.toml:4:10: unknown recipe "imagee"; did you mean "image"?
	// assets/cook.toml:9:1: unknown key "srbg" for recipe "image"; did you mean "srgb"?
	// assets/cook.toml:10:11: quality: want a whole number from 1 to 9, have 11
}
