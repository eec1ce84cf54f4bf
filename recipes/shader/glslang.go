package shader

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/lazyregexp"
	"github.com/assetcook/assetcook/recipes/builtin"
)

// compile calls the external compiler, which makes SPIR-V of GLSL. The compiler's messages
// identify files by the numbers of #line.
func (o *Shader) compile(ctx context.Context, job *recipe.Job, stage string, text []byte, names []string) error {
	scratch, err := job.Scratch()
	if err != nil {
		return err
	}
	source, output := filepath.Join(scratch, "source."+stage), filepath.Join(scratch, "output.spv")
	if err := os.WriteFile(source, text, 0o666); err != nil {
		return err
	}
	client := map[string]string{"vulkan": "-V", "opengl": "-G"}[o.Client]
	err = builtin.Run(ctx, job, scratch, o.Timeout, []string{o.Compiler, client, "-S", stage, "-o", output, source})
	if err == nil {
		return builtin.Deliver(job, output)
	}
	if ctx.Err() == nil {
		if m := compilerError().FindStringSubmatch(err.Error()); m != nil {
			return errors.New(inFile(m, names))
		}
	}
	return err
}

var compilerError = lazyregexp.New(`ERROR: (\d+):(\d+): (.*)`)

// inFile returns a compiler's error with its file and line.
func inFile(m []string, names []string) string {
	where := m[2] + ":1"
	if n, err := strconv.Atoi(m[1]); err == nil && n > 0 && n < len(names) {
		where = names[n] + ":" + m[2]
	}
	return fmt.Sprintf("%s: %s", where, strings.TrimSpace(m[3]))
}
