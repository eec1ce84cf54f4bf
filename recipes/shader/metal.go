package shader

import (
	"strings"

	"github.com/gogpu/naga/ir"
	"github.com/gogpu/naga/msl"
)

// sizesBuffer is the last buffer that Metal has.
const sizesBuffer = " [[buffer(30)]]"

// toMSL writes the Metal shading language. Naga numbers buffers, textures and samplers in
// the order of their groups and bindings, but gives the buffer with the sizes of arrays no
// number.
func toMSL(module *ir.Module) ([]byte, error) {
	text, _, err := msl.Compile(module, msl.DefaultOptions())
	if err != nil {
		return nil, inPlace(err)
	}
	var out strings.Builder
	entry := false
	for line := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(line, "kernel "), strings.HasPrefix(line, "vertex "), strings.HasPrefix(line, "fragment "):
			entry = true
		case strings.HasPrefix(line, ") {"):
			entry = false
		case entry && strings.HasSuffix(strings.TrimRight(line, " \n"), "_mslBufferSizes& _buffer_sizes"):
			line = strings.TrimRight(line, " \n") + sizesBuffer + "\n"
		}
		out.WriteString(line)
	}
	return []byte(out.String()), nil
}
