package main

// suites are all that are known, in the order of the report.
var suites = []suite{
	{"flac-test-files", "git clone https://github.com/ietf-wg-cellar/flac-test-files", flacFiles},
	{"minimp3", "git clone https://github.com/lieff/minimp3", minimp3},
	{"oggvorbis", "git clone https://github.com/jfreymuth/oggvorbis", sounds("testdata")},
	{"hound", "git clone https://github.com/ruuda/hound", sounds("testsamples")},
	{"go-audio-wav", "git clone https://github.com/go-audio/wav go-audio-wav", sounds("fixtures")},
	{"debian-sounds", "sounds of Debian's games: get.sh", sounds(".")},
	{"pngsuite", "git clone https://github.com/lunapaint/pngsuite", pictures(pngSuite, "png")},
	{"bmpsuite", "git clone https://github.com/jsummers/bmpsuite; it writes its pictures itself", bmpSuite},
	{"image-png", "git clone https://github.com/image-rs/image-png", pictures(anyPicture, "tests")},
	{"image-gif", "git clone https://github.com/image-rs/image-gif", pictures(anyPicture, "tests")},
	{"image-tiff", "git clone https://github.com/image-rs/image-tiff", pictures(anyPicture, "tests")},
	{"jpeg-decoder", "git clone https://github.com/image-rs/jpeg-decoder", pictures(anyPicture, "tests")},
	{"image", "git clone https://github.com/image-rs/image", pictures(imageRS, "tests/images", "tests/bad", "tests/regression")},
	{"zune-image", "git clone https://github.com/etemesi254/zune-image", pictures(zuneImage, "test-images/hdr", "test-images/jpeg", "test-images/png", "test-images/qoi")},
	{"qoi-rust", "git clone https://github.com/aldanor/qoi-rust", pictures(besidePNG, "assets")},
	{"libwebp-test-data", "git clone https://github.com/webmproject/libwebp-test-data", pictures(anyPicture, ".")},
	{"Pillow", "git clone https://github.com/python-pillow/Pillow", pictures(pillow, "Tests/images")},
	{"JSONTestSuite", "git clone https://github.com/nst/JSONTestSuite", jsonSuite},
	{"yaml-test-suite", "git clone --branch data https://github.com/yaml/yaml-test-suite", yamlSuite},
	{"toml-test", "git clone https://github.com/toml-lang/toml-test", tomlSuite},
	{"JSON-Schema-Test-Suite", "git clone https://github.com/json-schema-org/JSON-Schema-Test-Suite", schemaSuite},
	{"glTF-Validator", "git clone https://github.com/KhronosGroup/glTF-Validator", gltfSuite},
}
