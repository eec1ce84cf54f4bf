package remote

import (
	"encoding/json"
	"time"

	"github.com/assetcook/assetcook/cook/internal/store"
	"github.com/assetcook/assetcook/internal/dependency"
)

// What a machine that cooks an action for others is given, and what it gives back. It starts
// Program with the argument RunAction in a folder that holds
//
//	cook          Program: the cook that wants the action, on Windows cook.exe
//	action.json   an Action
//	assets/...    its source and what it is known to read, each under its path
//	tools/...     its programs with their own libraries, each under its absolute name
//
// and finds there afterwards
//
//	out/record    a Record
//	out/0 ...     its artifacts
const (
	RunAction  = "run-action"
	Serve      = "serve-remote" // starts the client of a server, see New
	ActionFile = "action.json"
	AssetsDir  = "assets"
	ToolsDir   = "tools"
	OutDir     = "out"
	RecordFile = "record" // in OutDir
)

// ActionFormat is the version of Action and Record.
const ActionFormat = 1

// An Action is one action as it travels. Its ID stands for all that decides what is made: the
// other machine finds out the ID anew, from what it was given and what it has, and refuses
// what comes to another one.
type Action struct {
	Format  int             `json:"assetcook"`
	ID      store.ActionID  `json:"id"`
	Path    string          `json:"path"`
	Target  string          `json:"target,omitempty"`
	Outputs []string        `json:"outputs"`
	Names   []string        `json:"names,omitempty"` // final names of the outputs, for references between them
	Recipe  string          `json:"recipe"`
	Options json.RawMessage `json:"options"` // the recipe's options struct
	Tools   []ToolFile      `json:"tools,omitempty"`
}

// A ToolFile is a file of a program.
type ToolFile struct {
	Path string `json:"path"` // absolute, with slashes; of one in the asset folder its path there
	Blob string `json:"blob"`
}

// A Record is how cooking an Action ended.
type Record struct {
	Format int `json:"assetcook"`
	// Refused says why it was not cooked, Error why cooking failed; "" if it did not.
	Refused string `json:"refused,omitempty"`
	Error   string `json:"error,omitempty"`
	// Reads are what it read besides its source, sorted, also if it failed.
	Reads     []Reading     `json:"reads,omitempty"`
	Artifacts []Artifact    `json:"artifacts,omitempty"`
	CookTime  time.Duration `json:"ns"`
	Warnings  []string      `json:"warnings,omitempty"`
}

// A Reading is a dependency as the other machine found it.
type Reading struct {
	Asked dependency.Dependency `json:"name"` // as the recipe asked for it
	Found bool                  `json:"found"`
	Blob  string                `json:"blob,omitempty"` // "" where only the presence counts
}

// An Artifact is a file that was made.
type Artifact struct {
	Blob string `json:"blob"`
	Size int64  `json:"size"`
}

// Result is what a record says was made. The error is that of a blob ID.
func (r *Record) Result() (store.Result, error) {
	made := store.Result{CookTime: r.CookTime, Warnings: r.Warnings}
	for _, a := range r.Artifacts {
		id, err := store.ParseBlobID(a.Blob)
		if err != nil {
			return store.Result{}, err
		}
		made.Artifacts = append(made.Artifacts, store.Artifact{Blob: id, Size: a.Size})
	}
	return made, nil
}
