package shader

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gogpu/naga"
	"github.com/gogpu/naga/glsl"
	"github.com/gogpu/naga/ir"
	"github.com/gogpu/naga/msl"
	"github.com/gogpu/naga/spirv"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/lazyregexp"
	"github.com/assetcook/assetcook/internal/plaintext"
)

const (
	// maxWGSL is the size limit of a WGSL source for naga in bytes. maxNested limits the nesting
	// of brackets, because naga's parser is recursive.
	maxWGSL   = 256 << 10
	maxNested = 200
	// maxUnary limits consecutive unary operators such as - and !.
	maxUnary = 32
	// nagaBytes is the maximum memory of naga per byte of source.
	nagaBytes = 1800
)

// translate checks WGSL and compiles it in a separate process.
func (o *shaderOptions) translate(ctx context.Context, job *recipe.Job, source []byte) ([]byte, error) {
	if err := tame(source); err != nil {
		return nil, err
	}
	r, err := inChild(ctx, order{
		Source: string(source), Format: o.Format, Entry: o.Entry,
		GLSLVersion: o.GLSLVersion, SPIRVVersion: o.SPIRVVersion, Debug: o.Debug,
	}, o.Timeout)
	for _, line := range r.Warned {
		job.Warn("%s", line)
	}
	return r.Output, err
}

// tame refuses sources that might crash naga.
func tame(source []byte) error {
	if len(source) > maxWGSL {
		return fmt.Errorf("the shader has %d bytes of WGSL; the limit is %d; split it", len(source), maxWGSL)
	}
	if !utf8.Valid(source) {
		return plaintext.CheckUTF8(source)
	}
	depth, angles, unary := 0, 0, 0
	code := withoutComments(source)
	for i, c := range code {
		comparing := i+1 < len(code) && (code[i+1] == '=' || code[i+1] == c) || i > 0 && code[i-1] == c
		switch {
		case c == '(', c == '[', c == '{':
			depth++
		case c == ')', c == ']', c == '}':
			depth = max(0, depth-1)
		case c == '<' && !comparing: // << and <= are not brackets
			angles++
		case c == '>': // >> may be two closing brackets
			angles = max(0, angles-1)
		}
		switch c {
		case ';', '{', '}':
			angles, unary = 0, 0 // the characters were less-than signs, not brackets
		case '-', '!', '~', '&', '*':
			unary++
		case ' ', '\t', '\r', '\n':
		default:
			unary = 0
		}
		if depth > maxNested || angles > maxNested {
			return plaintext.Errorf(source, i, "brackets are nested deeper than %d levels; simplify the expression", maxNested)
		}
		if unary > maxUnary {
			return plaintext.Errorf(source, i, "an expression has more than %d operators in a row; split it", maxUnary)
		}
	}
	return checkCost(source, code)
}

// withoutComments replaces WGSL comments with spaces. Comments between /* and */ may be nested.
func withoutComments(source []byte) []byte {
	out := bytes.Clone(source)
	for i := 0; i < len(out); {
		end := i
		switch {
		case bytes.HasPrefix(out[i:], []byte("//")):
			for end < len(out) && out[end] != '\n' {
				end++
			}
		case bytes.HasPrefix(out[i:], []byte("/*")):
			for depth := 0; end < len(out) && (depth > 0 || end == i); {
				switch {
				case bytes.HasPrefix(out[end:], []byte("/*")):
					depth++
					end += 2
				case bytes.HasPrefix(out[end:], []byte("*/")):
					depth--
					end += 2
				default:
					end++
				}
			}
		default:
			i++
			continue
		}
		for ; i < end; i++ {
			out[i] = ' '
		}
	}
	return out
}

// compileOrder compiles an order, in the child process. The error starts with line and column if
// naga reports them.
func (o *order) compileOrder() ([]byte, error) {
	if o.Format != "source" {
		if err := o.checkNames(withoutComments([]byte(o.Source))); err != nil {
			return nil, err
		}
		if err := o.overridesToConstants(); err != nil {
			return nil, err
		}
	}
	ast, err := naga.Parse(o.Source)
	if err != nil {
		return nil, moveErrorPlace(err)
	}
	module, err := naga.LowerWithSource(ast, o.Source)
	if err != nil {
		return nil, moveErrorPlace(err)
	}
	problems, err := naga.Validate(module)
	if err != nil {
		return nil, moveErrorPlace(err)
	}
	if len(problems) > 0 {
		return nil, moveErrorPlace(problems[0])
	}
	if o.Format == "source" {
		return []byte(o.Source), nil
	}
	out, err := o.writeModule(module)
	return out, atDeclaration(o.Source, err)
}

// writeModule checks a module and writes it in the format that the order requests.
func (o *order) writeModule(module *ir.Module) ([]byte, error) {
	if err := checkFunctionNames(withoutComments([]byte(o.Source))); err != nil {
		return nil, err
	}
	if err := checkOffsets(module, []byte(o.Source)); err != nil {
		return nil, err
	}
	if err := o.checkPushConstants(module); err != nil {
		return nil, err
	}
	concrete(module)
	if err := checkTypes(module); err != nil {
		return nil, err
	}
	switch o.Format {
	case "spirv":
		rewriteFunctions(module, forSPIRV)
		options := spirv.DefaultOptions()
		major, minor, _ := strings.Cut(o.SPIRVVersion, ".")
		options.Version = spirv.Version{Major: digit(major), Minor: digit(minor)}
		options.Debug = o.Debug
		out, err := naga.GenerateSPIRV(module, options)
		if err != nil {
			return nil, moveErrorPlace(err)
		}
		if err := checkSPIRV(out, o.SPIRVVersion); err != nil {
			return nil, err
		}
		return decorateInvariant(out, module), nil
	case "glsl":
		return o.toGLSL(module)
	case "hlsl":
		return o.toHLSL(module)
	case "msl":
		return toMSL(module)
	}
	return nil, fmt.Errorf("the format %s is unknown", o.Format)
}

func (o *order) toGLSL(module *ir.Module) ([]byte, error) {
	var names []string
	for _, e := range module.EntryPoints {
		names = append(names, e.Name)
	}
	entry := o.Entry
	switch {
	case entry == "" && len(names) == 1:
		entry = names[0]
	case entry == "" || !slices.Contains(names, entry):
		return nil, fmt.Errorf("GLSL is written for one entry point; set entry to one of %q", names)
	}
	options := glsl.DefaultOptions()
	options.EntryPoint = entry
	number, es := strings.CutSuffix(o.GLSLVersion, " es")
	n, err := strconv.Atoi(number)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(module.EntryPoints, func(e ir.EntryPoint) bool { return e.Name == entry })
	if err := checkVersion(module, &module.EntryPoints[at], n, es, o.GLSLVersion); err != nil {
		return nil, err
	}
	flat, err := flatBindings(module)
	if err != nil {
		return nil, err
	}
	keepFunctions(module, at)
	used := usedVariables(module)
	if err := padBuffers(module, used); err != nil {
		return nil, err
	}
	if err := loadDepth(module); err != nil {
		return nil, err
	}
	rewriteFunctions(module, forGLSL)
	if es {
		rewriteFunctions(module, forES)
	}
	options.LangVersion = glsl.Version{Major: uint8(n / 100), Minor: uint8(n % 100), ES: es}
	options.BindingMap = flat
	out, info, err := glsl.Compile(module, options)
	if err != nil {
		return nil, moveErrorPlace(err)
	}
	if err := checkSamplers(used, info); err != nil {
		return nil, err
	}
	out, err = finishGLSL(out, module.EntryPoints[0].Stage, used, info, flat)
	return []byte(out), err
}

func digit(s string) uint8 { return s[0] - '0' }

var placed = lazyregexp.New(`(?:at )?(?:line )?(\d+)(?::|, column )(\d+):? ?`)

// moveErrorPlace moves the line and column in naga's message to the start of the message.
func moveErrorPlace(err error) error {
	if err == nil {
		return nil
	}
	said := plaintext.OneLine(err.Error())
	if m := placed().FindStringSubmatchIndex(said); m != nil {
		what := strings.Trim(said[:m[0]]+said[m[1]:], " :")
		return fmt.Errorf("%s:%s: %s", said[m[2]:m[3]], said[m[4]:m[5]], what)
	}
	return errors.New(said)
}

// atDeclaration adds the line of a declaration to an error about it, because naga does not
// record the lines of expressions.
func atDeclaration(source string, err error) error {
	var e *declarationError
	if !errors.As(err, &e) {
		return err
	}
	pattern := `\b` + e.keyword + `\b(?:\s*<[^>]*>)?\s+(` + regexp.QuoteMeta(e.name) + `)\b`
	if at := regexp.MustCompile(pattern).FindSubmatchIndex(withoutComments([]byte(source))); at != nil {
		return plaintext.Errorf([]byte(source), at[2], "%s", err)
	}
	return err
}

var (
	functionName = lazyregexp.New(`\bfn\s+(\w+)`)
	builtInNames = lazyregexp.New(`^(?:abs|a?(?:cos|sin|tan)h?|atan2|all|any|arrayLength|atomic(?:Add|And|CompareExchangeWeak|Exchange|Load|Max|Min|Or|Store|Sub|Xor)|bitcast|ceil|clamp|count(?:LeadingZeros|OneBits|TrailingZeros)|cross|degrees|determinant|` +
		`distance|dot|dot4\w+|dpd[xy]\w*|exp2?|extractBits|faceForward|first(?:LeadingBit|TrailingBit)|floor|fma|fract|frexp|fwidth\w*|insertBits|inverseSqrt|ldexp|length|log2?|max|min|mix|modf|` +
		`normalize|pow|quantizeToF16|quad(?:Broadcast|Swap[XYD]\w*)|radians|reflect|refract|reverseBits|round|saturate|select|sign|smoothstep|sqrt|step|storageBarrier|subgroup[A-Z]\w+|texture(?:Dimensions|Gather(?:Compare)?|Load|Num(?:Layers|Levels|Samples)|Sample(?:BaseClampToEdge|Bias|Compare(?:Level)?|Grad|Level)?|Store)|transpose|trunc|` +
		`(?:un)?pack[24]x\w+|workgroup(?:Barrier|UniformLoad)|inverse|outer)$`)
)

// checkFunctionNames refuses functions that have the name of a built-in function. naga would call
// the built-in function instead.
func checkFunctionNames(code []byte) error {
	for _, m := range functionName().FindAllSubmatch(code, -1) {
		if builtInNames().Match(m[1]) {
			return &declarationError{"fn", string(m[1]), errors.New("the WGSL compiler would call the built-in function with this name; rename the function")}
		}
	}
	return nil
}

// sizesBuffer is the Metal attribute for the buffer with the array sizes. It is the last buffer
// index.
const sizesBuffer = " [[buffer(30)]]"

// toMSL writes the Metal Shading Language. naga numbers buffers, textures and samplers in the order
// of their groups and bindings. It assigns no number to the buffer with the array sizes.
func toMSL(module *ir.Module) ([]byte, error) {
	text, _, err := msl.Compile(module, msl.DefaultOptions())
	if err != nil {
		return nil, moveErrorPlace(err)
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
