package recipes_test

import (
	"fmt"
	"strings"

	"github.com/assetcook/assetcook/recipes"
)

// The names of all recipes, as rules use them.
func ExampleAll() {
	var names []string
	for _, r := range recipes.All() {
		names = append(names, r.Name)
	}
	fmt.Println(strings.Join(names, " "))
	// Output: command copy gltf json zstd list pak atlas audio sounds data font image lut mesh shader text
}
