package cook

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"path"
	"path/filepath"
	"unicode/utf8"

	"github.com/assetcook/assetcook/cook/index"
	"github.com/assetcook/assetcook/cook/plan"
)

// Manifest is what cooked/manifest.json holds: which artifacts each source
// became. It has no times and is sorted, so the same tree gives the same bytes.
type Manifest struct {
	Format int             `json:"assetcook"`
	Assets []ManifestAsset `json:"assets"`
}

// ManifestAsset is one source cooked for one target. Names that are not UTF-8
// have U+FFFD in the plain field and all their bytes in the base64 one.
type ManifestAsset struct {
	Source       string           `json:"source"`
	SourceBase64 string           `json:"source_base64,omitempty"`
	Target       string           `json:"target,omitempty"`
	Outputs      []ManifestOutput `json:"outputs"`
}

// ManifestOutput is an artifact, its path being relative to the manifest.
type ManifestOutput struct {
	Path       string `json:"path"`
	PathBase64 string `json:"path_base64,omitempty"`
	Size       int64  `json:"size"`
	BLAKE3     string `json:"blake3"`
}

const manifestFormat = 1

// manifest lists the finished ones of sorted actions, one a line.
func manifest(actions []index.Action) ([]byte, error) {
	var b bytes.Buffer
	fmt.Fprintf(&b, "{\"assetcook\":%d,\"assets\":[", manifestFormat)
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	separator := "\n"
	for i := range actions {
		a := &actions[i]
		if a.State != index.Done {
			continue
		}
		m := ManifestAsset{Source: a.Path, SourceBase64: base64IfNeeded(a.Path), Target: a.Target, Outputs: []ManifestOutput{}}
		for _, o := range a.Made {
			m.Outputs = append(m.Outputs, ManifestOutput{o.Path, base64IfNeeded(o.Path), o.Stamp.Size, o.Blob.String()})
		}
		b.WriteString(separator)
		if err := enc.Encode(m); err != nil {
			return nil, err
		}
		b.Truncate(b.Len() - 1) // the encoder's newline
		separator = ",\n"
	}
	b.WriteString("\n]}\n")
	return b.Bytes(), nil
}

func base64IfNeeded(name string) string {
	if utf8.ValidString(name) {
		return ""
	}
	return base64.StdEncoding.EncodeToString([]byte(name))
}

// parseManifest returns the outputs that a manifest lists.
func parseManifest(data []byte) ([]plan.Claim, error) {
	var m Manifest
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, err
	}
	if m.Format != manifestFormat {
		return nil, fmt.Errorf("format %d, this version reads %d", m.Format, manifestFormat)
	}
	var claims []plan.Claim
	for _, a := range m.Assets {
		for _, o := range a.Outputs {
			c := plan.Claim{Output: decodeName(o.Path, o.PathBase64), Source: decodeName(a.Source, a.SourceBase64), Target: a.Target}
			if !inside(c.Output) {
				return nil, fmt.Errorf("output %q lies outside", c.Output)
			}
			claims = append(claims, c)
		}
	}
	return claims, nil
}

func decodeName(name, encoded string) string {
	if raw, err := base64.StdEncoding.DecodeString(encoded); err == nil && encoded != "" {
		return string(raw)
	}
	return name
}

// inside reports whether a path from a file can name an output.
func inside(p string) bool {
	return p != "." && filepath.IsLocal(filepath.FromSlash(p)) && path.Clean(p) == p
}
