package main

import (
	"context"
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/recipes/mesh"
)

// gltfReport is the report of the official validator, which is beside each test file.
type gltfReport struct {
	Issues struct {
		NumErrors int
		Messages  []struct {
			Code     string
			Severity int // 0 means error
		}
	}
}

// gltfSuite makes the trials of glTF files. A file with validator errors must be rejected, or
// accepted with warnings that name each kind of error. The recipe gltf accepts only .gltf; the
// recipe mesh accepts both kinds of files.
func gltfSuite(dir string) ([]trial, error) {
	names, err := files(dir, "test", ".gltf", ".glb")
	var list []trial
	for _, r := range []recipe.Recipe{builtinRecipe("gltf"), mesh.Recipe()} {
		for _, name := range names {
			if r.Name == "gltf" && path.Ext(name) == ".glb" {
				continue
			}
			text, err := os.ReadFile(filepath.Join(dir, name+".report.json"))
			if os.IsNotExist(err) {
				continue // a file that other test files refer to
			}
			if err != nil {
				return nil, err
			}
			var report gltfReport
			if err := json.Unmarshal(text, &report); err != nil {
				return nil, err
			}
			list = append(list, trial{row: "recipe " + r.Name, file: name, run: func(ctx context.Context) (outcome, error) {
				var o outcome
				if report.Issues.NumErrors > 0 {
					o.expect, o.invalid = mustRefuse, strings.Join(report.codes(), ", ")
				}
				var warnings []string
				_, warnings, o.refusal = cookVector(ctx, r, nil, os.DirFS(filepath.Join(dir, path.Dir(name))), path.Base(name))
				if text := strings.Join(warnings, "; "); report.named(warnings) {
					o.warning = text
				} else if text != "" {
					o.invalid += ", with a warning about something else: " + text
				}
				return o, nil
			}})
		}
	}
	return list, err
}

// codes returns the codes of the errors in a report, sorted.
func (r gltfReport) codes() []string {
	var list []string
	for _, m := range r.Issues.Messages {
		if m.Severity == 0 {
			list = append(list, m.Code)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

const otherStride = "a bufferView has a byteStride, but no attributes"

// sayings maps the code of a validator error to texts. A warning about this error must contain one
// of them. A warning about something else does not excuse the error.
var sayings = map[string][]string{
	"ACCESSOR_ANIMATION_SAMPLER_OUTPUT_NON_NORMALIZED_QUATERNION": {"was not of length 1", "the length of a rotation is not 1", "whose length is not 1"},
	"ACCESSOR_ELEMENT_OUT_OF_MAX_BOUND":                           {"min or max did not match the elements"},
	"ACCESSOR_ELEMENT_OUT_OF_MIN_BOUND":                           {"min or max did not match the elements"},
	"ACCESSOR_MAX_MISMATCH":                                       {"min or max did not match the elements"},
	"ACCESSOR_MIN_MISMATCH":                                       {"min or max did not match the elements"},
	"ANIMATION_SAMPLER_ACCESSOR_WITH_BYTESTRIDE":                  {otherStride},
	"ANIMATION_SAMPLER_INPUT_ACCESSOR_WITHOUT_BOUNDS":             {"min or max are missing"},
	"BUFFER_DATA_URI_MIME_TYPE_INVALID":                           {"the data URI of a buffer has another media type"},
	"BUFFER_VIEW_INVALID_BYTE_STRIDE":                             {otherStride},
	"BUFFER_VIEW_TARGET_OVERRIDE":                                 {"a bufferView has vertices, indices or images together"},
	"BUFFER_VIEW_TOO_BIG_BYTE_STRIDE":                             {"the byteStride of a bufferView is larger than the bufferView"},
	"DUPLICATE_ELEMENTS":                                          {"an extension is listed twice"},
	"EMPTY_ENTITY":                                                {"a list is empty"},
	"GLB_CHUNK_LENGTH_UNALIGNED":                                  {"is not a multiple of four bytes long"},
	"GLB_DUPLICATE_CHUNK":                                         {"more than one chunk of a type"},
	"GLB_UNEXPECTED_BIN_CHUNK":                                    {"the binary chunk of the GLB file is not its second"},
	"IMAGE_BUFFER_VIEW_WITH_BYTESTRIDE":                           {otherStride},
	"IMAGE_MIME_TYPE_INVALID":                                     {"the type of an embedded image differs from the declared type", "an embedded image had another type than declared"},
	"IMAGE_NON_ENABLED_MIME_TYPE":                                 {"the extension for the type of an embedded image"},
	"INVALID_URI":                                                 {"the type of an embedded image differs from the declared type", "an embedded image had another type than declared"},
	"IO_ERROR":                                                    {"does not exist"},
	"MESH_PRIMITIVE_ACCESSOR_UNALIGNED":                           {"attribute offsets are not multiples of 4"},
	"MESH_PRIMITIVE_ACCESSOR_WITHOUT_BYTESTRIDE":                  {"a bufferView without byteStride has attributes of several accessors"},
	"MESH_PRIMITIVE_INDICES_ACCESSOR_WITH_BYTESTRIDE":             {otherStride},
	"MESH_PRIMITIVE_POSITION_ACCESSOR_WITHOUT_BOUNDS":             {"min or max are missing"},
	"MESH_PRIMITIVE_TOO_FEW_TEXCOORDS":                            {"a textured material is on a primitive without texture coordinates"},
	"NON_REQUIRED_EXTENSION":                                      {"extensionsRequired lists an extension that extensionsUsed does not list"},
	"ROTATION_NON_UNIT":                                           {"was not of length 1", "the length of a rotation is not 1", "whose length is not 1"},
	"SKIN_IBM_ACCESSOR_WITH_BYTESTRIDE":                           {otherStride},
	"TEXTURE_INVALID_IMAGE_MIME_TYPE":                             {"a texture named an image of a type that needs an extension"},
	"UNDECLARED_EXTENSION":                                        {"an extension is missing in extensionsUsed"},
	"UNSATISFIED_DEPENDENCY":                                      {"byteOffset has no bufferView", "an image in a bufferView has no mimeType", "extensionsRequired lists an extension that extensionsUsed does not list"},
	"UNUSED_EXTENSION_REQUIRED":                                   {"extensionsRequired lists an extension that extensionsUsed does not list"},
}

// named reports whether the warnings name each kind of error in a report.
func (r gltfReport) named(warnings []string) bool {
	text, codes := strings.Join(warnings, "\n"), r.codes()
	for _, code := range codes {
		if !slices.ContainsFunc(sayings[code], func(s string) bool { return strings.Contains(text, s) }) {
			return false
		}
	}
	return len(codes) > 0
}
