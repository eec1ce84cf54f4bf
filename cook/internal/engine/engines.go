package engine

// engines lists all engines: the default engine, browsers, programs, and the engine without rules.
var engines = []Engine{
	{Name: Any, Title: "every engine", Loads: []string{".png", ".wav", ".glb"}},
	{
		Name: "three", Title: "three.js", Version: "0.180", Cubes: []string{"uastc"},
		Loads: []string{".ktx2", ".png", ".webp", ".wav", ".opus", ".glb"},
	},
	{
		Name: "babylon", Title: "Babylon.js", Version: "9.28", KTX2: []string{"uastc"},
		Loads: []string{".ktx2", ".dds", ".png", ".webp", ".wav", ".opus", ".glb"},
	},
	{
		Name: "playcanvas", Title: "PlayCanvas", Version: "2.23", KTX2: []string{"uastc"},
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
		Name: "godot", Title: "Godot", Version: "4.6",
		Loads: []string{".dds", ".png", ".webp", ".wav", ".glb"},
	},
	{
		Name: "bevy", Title: "Bevy", Version: "0.17",
		Source: "https://lib.rs/crates/bevy_image/features",
		Loads:  []string{".ktx2", ".dds", ".png", ".webp", ".wav", ".glb"},
	},
	{
		Name: "raylib", Title: "raylib", Version: "5.5",
		Loads: []string{".dds", ".png", ".wav", ".qoa", ".glb"},
	},
	{Name: None, Title: "your own engine"},
}
