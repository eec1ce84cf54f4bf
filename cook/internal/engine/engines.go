package engine

// engines are all engines: browsers first, then programs, and last the engine without rules.
var engines = []Engine{
	{
		Name: "three", Title: "three.js", Version: "0.180",
		Loads: []string{".ktx2", ".png", ".webp", ".wav", ".opus", ".glb"},
	},
	{
		Name: "babylon", Title: "Babylon.js", Version: "8",
		Source: "https://doc.babylonjs.com/typedoc/classes/_babylonjs_loaders.GLTF2.KHR_texture_basisu",
		Loads:  []string{".ktx2", ".dds", ".png", ".webp", ".wav", ".opus", ".glb"},
	},
	{
		Name: "playcanvas", Title: "PlayCanvas", Version: "2.23",
		Loads: []string{".ktx2", ".dds", ".png", ".webp", ".wav", ".opus", ".glb"},
	},
	{
		Name: "pixi", Title: "PixiJS", Version: "8.22",
		Loads: []string{".ktx2", ".dds", ".png", ".webp", ".wav", ".opus"},
	},
	{
		Name: "phaser", Title: "Phaser", Version: "4.2",
		Loads: []string{".png", ".webp", ".wav", ".opus"},
	},
	{
		Name: "love", Title: "LÖVE", Version: "11.4",
		Loads: []string{".dds", ".png", ".wav"},
	},
	{
		Name: "sdl", Title: "SDL", Version: "2.26",
		Loads: []string{".png", ".webp", ".wav", ".opus"},
	},
	{
		Name: "ebitengine", Title: "Ebitengine", Version: "2.8",
		Loads: []string{".png", ".wav"},
	},
	{
		Name: "godot", Title: "Godot", Version: "4",
		Source: "https://docs.godotengine.org/en/stable/tutorials/assets_pipeline/importing_images.html",
		Loads:  []string{".dds", ".png", ".webp", ".wav", ".glb"},
	},
	{
		Name: "bevy", Title: "Bevy", Version: "0.17",
		Source: "https://lib.rs/crates/bevy_image/features",
		Loads:  []string{".ktx2", ".dds", ".png", ".webp", ".wav", ".glb"},
	},
	{
		Name: "raylib", Title: "raylib", Version: "5.5",
		Source: "https://docs.rs/crate/raylib/6.0.0-rc.2/features",
		Loads:  []string{".dds", ".png", ".wav", ".qoa", ".glb"},
	},
	{Name: None, Title: "your own engine"},
}
