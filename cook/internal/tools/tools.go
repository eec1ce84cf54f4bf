// Package tools finds the programs that methods name, and their interpreters and libraries.
package tools

import (
	"fmt"
	"sync"

	"github.com/assetcook/assetcook/cook/internal/contents"
	"github.com/assetcook/assetcook/cook/internal/index"
	"github.com/assetcook/assetcook/cook/internal/plan"
	"github.com/assetcook/assetcook/internal/pathname"
	"github.com/assetcook/assetcook/internal/program"
)

// Finder returns a function that finds a program by name for a plan. assets is the asset
// directory, and content reads a file of a program.
func Finder(assets string, content func(file string) (contents.File, error)) func(name string) (plan.Tool, error) {
	machine := sync.OnceValue(program.ThisMachine)
	return func(name string) (plan.Tool, error) {
		file, err := program.Find(assets, name)
		if err != nil {
			return plan.Tool{}, err
		}
		var t plan.Tool
		if t.File, err = content(file); err == nil {
			err = addParts(&t, machine, content)
		}
		if err != nil {
			return t, fmt.Errorf("tool %s: %w", pathname.Show(name), err)
		}
		return t, nil
	}
}

// addParts adds the interpreter and the libraries of a program.
func addParts(t *plan.Tool, machine func() *program.Machine, content func(file string) (contents.File, error)) error {
	parts, err := program.Of(t.Path, machine)
	if err != nil {
		return err
	}
	t.Interpreter, t.Machine = parts.Interpreter, parts.Machine
	for _, library := range parts.Libraries {
		f, err := content(library)
		if err != nil {
			return fmt.Errorf("library %s: %w", pathname.Show(library), err)
		}
		t.Libraries = append(t.Libraries, f)
	}
	return nil
}

// Present has the current content of the programs and libraries that methods name.
type Present struct {
	Files     map[string]string // content of each file, by name
	Libraries map[string]string // the machine's libraries; see program.Machine
}

// A Comparer compares the current programs with the programs that methods recorded when they were
// identified. It examines each program only once.
type Comparer struct {
	Present Present
	content func(name string) string
	machine func() *program.Machine
}

// NewComparer returns a Comparer. content must return the current content of a program.
func NewComparer(content func(name string) string) *Comparer {
	return &Comparer{Present: Present{Files: map[string]string{}, Libraries: map[string]string{}}, content: content, machine: sync.OnceValue(program.ThisMachine)}
}

// SameTools reports whether all programs of a method are the same as when the method was
// identified.
func (c *Comparer) SameTools(m index.Method) bool {
	same := true
	for _, field := range m {
		if name, ok := plan.ToolOf(field); ok {
			if _, asked := c.Present.Files[name]; !asked {
				c.Present.Files[name] = c.content(name)
			}
			same = same && c.Present.Files[name] == field.Value
		}
		names, _ := plan.MachineOf(field)
		for _, name := range names {
			library, _ := program.Named(name)
			if _, asked := c.Present.Libraries[library]; !asked {
				c.Present.Libraries[library] = c.machine().Name(library)
			}
			same = same && c.Present.Libraries[library] == name
		}
	}
	return same
}
