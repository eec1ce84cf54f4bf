package main

// addText adds what is read by people, and what the cooker has to leave alone:
// .cookignore and the files that it names.
func addText(t *tree) {
	t.addText("README.txt", `Pebble Grand Prix
=================

A small race of small stones. Everything here is made by testdata/gen; nothing
is drawn, recorded or typed by hand. To change a file, change the generator.

  audio/     sounds, 16-bit PCM; engine_loop.wav says where it loops
  data/      levels, items, tuning, texts; data/schemas says what tables hold
  fonts/     the one font, 5 by 7 pixels per letter: as outlines and as a bitmap
  models/    karts and what stands beside the track; metres, +Y up, +Z ahead
  scripts/   the rules, in Lua
  shaders/   GLSL for Vulkan and WGSL
  textures/  colour in sRGB; names that end in _n are normal maps (green up),
             in _orm occlusion, roughness and metalness; sky/cross.png is a cube
             map cut open, sky/sun.hdr holds light without an upper end
  work/      sources that do not ship (see .cookignore)
`)
	t.addText("credits.txt", `PEBBLE GRAND PRIX

Stones         noise and cells
Leaves         parabolas
Engines        forty-two strokes in a loop
Planets        one sphere, one ring
Letters        five pixels by seven

No stone was harmed. Some were sorted by size.
`)
	t.addText(".cookignore", `# Sources that do not ship.
*.psd
work/
`)
	t.addText("textures/kart/body.psd", "Stands for a layered painting; .cookignore leaves it out by its ending.\n")
	t.addText("work/notes.txt", "Ideas:\n- rain on Crater Loop\n- a kart made of flint\n")
	t.addText("work/blockout/ring_road.json", "{ \"draft\": true, this file is not even JSON: nobody may read it\n")
}
