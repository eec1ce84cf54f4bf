package builtin

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/assetcook/assetcook/internal/busyfile"
	"github.com/assetcook/assetcook/internal/program"
)

// Limits of version commands.
const (
	versionTimeout = 10 * time.Second
	maxVersion     = 4 << 10 // maximum output in bytes
)

// askVersion implements Traits.Version. It runs the version command in the sandbox of the rule. It
// returns the output without leading and trailing white space. The command cannot access assets.
func (c *commandOptions) askVersion(ctx context.Context, assets string) (string, error) {
	text, err := c.runVersion(ctx, assets)
	if err != nil {
		return "", fmt.Errorf("version_command %q: %w", strings.Join(c.Version, " "), err)
	}
	return text, nil
}

func (c *commandOptions) runVersion(ctx context.Context, assets string) (string, error) {
	base, err := os.MkdirTemp("", "cook-version-")
	if err != nil {
		return "", err
	}
	defer busyfile.RemoveAll(base)
	ask := *c
	ask.Command, ask.Version, ask.Daemons = c.Version, nil, false
	ask.Timeout = min(c.Timeout, versionTimeout)
	p := &call{scratch: filepath.Join(base, "tmp")}
	if p.assets, err = filepath.Abs(assets); err != nil {
		return "", err
	}
	if p.program, err = program.Find(p.assets, ask.Command[0]); err != nil {
		return "", err
	}
	if err := os.Mkdir(p.scratch, 0o777); err != nil {
		return "", err
	}
	p.args = ask.Command
	if c.Sandbox && !c.Daemons {
		p.cell = &cell{assets: filepath.Join(base, "assets"), write: []string{p.scratch}}
		p.cell.read = []string{p.cell.assets}
		if err := os.Mkdir(p.cell.assets, 0o777); err != nil {
			return "", err
		}
		if err := ask.bringTools(p, base); err != nil {
			return "", err
		}
	}
	return ask.printedVersion(ctx, p)
}

// printedVersion runs a prepared version command and returns its output.
func (c *commandOptions) printedVersion(ctx context.Context, p *call) (string, error) {
	ctx, cancel := c.limitTime(ctx)
	defer cancel()
	state, printed, err := c.startProgram(ctx, p, grace, p.policy(nil))
	if err == nil && !state.Success() {
		err = errors.New(state.String())
	}
	if err != nil {
		if printed == nil {
			return "", err
		}
		if lines := printed.lastLines(); lines != "" {
			err = fmt.Errorf("%w\n%s", err, p.inUserTerms(lines))
		}
		return "", err
	}
	printed.mu.Lock()
	defer printed.mu.Unlock()
	text := bytes.TrimSpace(printed.buf)
	switch {
	case printed.cut || len(text) > maxVersion:
		return "", fmt.Errorf("the command prints more than %d bytes; name a command that prints only the version", maxVersion)
	case len(text) == 0:
		return "", errors.New("the command prints nothing; name a command that prints the version")
	}
	return strings.ToValidUTF8(strings.ReplaceAll(string(text), "\r\n", "\n"), "?"), nil
}
