# Loads each cooked file with Godot, and gives the page every difference from its source.
extends Node

const Outputs := preload("res://loader.gd") # of docs/engines/godot.md
const WITHIN := {"image": 1.0, "lut": 1.0, "hdr": 0.0, "sound": 0.4, "model": 1.0, "moving": 1.0}

var view := SubViewport.new()
var camera := Camera3D.new()
var wrong := PackedStringArray()
var kinds := {}

func _ready() -> void:
	view.size = Vector2i(128, 128)
	view.own_world_3d = true
	view.transparent_bg = true
	view.render_target_update_mode = SubViewport.UPDATE_ALWAYS
	add_child(view)
	view.add_child(camera)
	var sun := DirectionalLight3D.new()
	sun.rotation = Vector3(-0.7, 0.5, 0)
	view.add_child(sun)
	var black := Image.create_empty(4, 4, false, Image.FORMAT_RGBA8)
	black.fill(Color.BLACK)
	if difference(black, Image.create_empty(4, 4, false, Image.FORMAT_RGBA8)) < 60:
		wrong.append("the comparison ignores alpha")
	for line in FileAccess.get_file_as_string("res://pairs").split("\n", false):
		var field := line.split("\t")
		var off = await compare(field[0], "res://" + field[1], "res://" + field[2])
		if off == null:
			continue
		var kind := "moving" if field[1].ends_with("/worm.gltf") else field[0]
		if kind in WITHIN:
			if not kind in kinds:
				kinds[kind] = {"files": 0, "within": WITHIN[kind]}
			kinds[kind].files += 1
		if off is String or off > WITHIN.get(kind, 0.0):
			wrong.append("%s: %s" % [field[2], off])
	JavaScriptBridge.get_interface("window").result = JSON.stringify({"wrong": "\n".join(wrong), "kinds": kinds})

# compare returns the difference of two files, a text for a file that does not load, or null if there is
# nothing to compare.
func compare(kind: String, source: String, cooked: String) -> Variant:
	match kind:
		"image", "lut":
			var got: Texture2D = Outputs.texture(cooked)
			if got == null:
				return "not loaded"
			if source.get_extension() in ["gif", "psd", "qoi", "tif", "tiff"]: # Godot does not decode these
				return null
			return difference(Image.load_from_file(source), got.get_image())
		"hdr":
			var want := Image.load_from_file(source).get_data()
			if Outputs.texture(cooked) == null:
				return "not loaded"
			return 0.0 if want.size() > 0 and want == Image.load_from_file(cooked).get_data() else 1.0
		"sound":
			return sound_difference(AudioStreamWAV.load_from_file(source), Outputs.sound(cooked))
		"model":
			return await model_difference(source, cooked)
		"game-image":
			return null if Outputs.texture(cooked) else "not loaded"
		"game-sound":
			return null if Outputs.sound(cooked) else "not loaded"
	return null

# difference returns the mean difference of two images in colors that are multiplied by alpha, of 255.
func difference(want: Image, got: Image) -> Variant:
	if want.get_size() != got.get_size():
		return "%s pixels, want %s" % [got.get_size(), want.get_size()]
	for image: Image in [want, got]:
		image.clear_mipmaps()
		image.convert(Image.FORMAT_RGBA8)
		image.premultiply_alpha()
	return want.compute_image_metrics(got, false).mean

# sound_difference returns the largest difference of two sounds as a percentage of the full scale.
func sound_difference(want: AudioStreamWAV, got: AudioStreamWAV) -> Variant:
	if got == null or got.data.size() == 0 or want.data.size() != got.data.size() or want.mix_rate != got.mix_rate:
		return "another length or rate"
	var off := 0
	for i in range(0, got.data.size() if want.data != got.data else 0, 2):
		off = maxi(off, absi(want.data.decode_s16(i) - got.data.decode_s16(i)))
	return 100.0 * off / 32768

# model_difference renders two models, and returns their difference as a percentage of the light. Godot
# loads no sources but glTF.
func model_difference(source: String, cooked: String) -> Variant:
	var got: Node3D = Outputs.model(cooked)
	if got == null:
		return "not loaded"
	if not source.get_extension() in ["gltf", "glb"]:
		got.free()
		return null
	var want: Node3D = Outputs.model(source)
	view.add_child(want)
	look_at_box(want)
	view.remove_child(want)
	var a := await frame(want)
	var b := await frame(got)
	var light: float = difference(Image.create_empty(128, 128, false, Image.FORMAT_RGBA8), a)
	if light < 5:
		return "the frame of the source is empty"
	return 100 * difference(a, b) / light

# look_at_box makes the camera see a whole model.
func look_at_box(model: Node3D) -> void:
	var box := AABB()
	for part: MeshInstance3D in model.find_children("*", "MeshInstance3D", true, false):
		var place := part.global_transform * part.get_aabb()
		box = box.merge(place) if box.size else place
	var size := box.size.length()
	camera.projection = Camera3D.PROJECTION_ORTHOGONAL
	camera.size = size
	camera.near = 0.1 * size
	camera.far = 6 * size
	camera.look_at_from_position(box.get_center() + Vector3(0.6, 0.7, 1).normalized() * 3 * size, box.get_center())

# frame renders a model in the middle of its first animation, and frees it.
func frame(model: Node3D) -> Image:
	view.add_child(model)
	for player: AnimationPlayer in model.find_children("*", "AnimationPlayer", true, false):
		player.play(player.get_animation_list()[0])
		player.seek(0.5, true)
		player.pause()
	for i in 2:
		await RenderingServer.frame_post_draw
	var image := view.get_texture().get_image()
	model.free()
	return image
