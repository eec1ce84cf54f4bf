package gltf_test

import (
	"fmt"

	"github.com/assetcook/assetcook/internal/mesh/gltf"
)

// Setting a member does not change the text of other members.
func ExampleObject() {
	o, err := gltf.ParseObject([]byte(`{"name": "wheel", "mesh": 3, "extras": {"mass": 12.50}}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	o.SetInt("mesh", 4)
	fmt.Println(string(o.Text()))
	// Output: {"name":"wheel","mesh":4,"extras":{"mass": 12.50}}
}
