// Package text is the recipe for plain text such as dialogue, credits and scripts. Its output is
// UTF-8 with the line endings that the game expects.
package text

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"unicode/utf8"

	"github.com/assetcook/assetcook/cook/recipe"
	"github.com/assetcook/assetcook/internal/plaintext"
)

// textOptions are the options of the recipe.
type textOptions struct {
	Encoding     string `toml:"encoding" enum:"auto,utf-8,utf-16,latin1" doc:"encoding of the source; auto is UTF-16 if the file starts with its byte order mark, otherwise UTF-8; utf-16 without a mark is little-endian; the output is UTF-8 without a mark"`
	LineEndings  string `toml:"line_endings" enum:"keep,lf,crlf" doc:"line ends of the output"`
	FinalNewline bool   `toml:"final_newline" doc:"add a missing line end to the last line; with line_endings = keep, the line end of the line before"`
	TrimSpace    bool   `toml:"trim_space" doc:"remove spaces and tabs at the ends of lines"`
	PrivateKeys  bool   `toml:"private_keys" doc:"accept a source that begins with a private key; otherwise such a source is an error"`
}

// Recipe returns the recipe "text".
func Recipe() recipe.Recipe {
	return recipe.Recipe{
		Name: "text", Version: 1, Cheap: true,
		New:    func() recipe.Cooker { return &textOptions{Encoding: "auto", LineEndings: "lf"} },
		Traits: func(c recipe.Cooker) recipe.Traits { return recipe.Traits{Estimate: c.(*textOptions).estimateMemory} },
	}
}

// Outputs implements recipe.Cooker.
func (*textOptions) Outputs() []string { return []string{"{path}"} }

// estimateMemory implements Traits.Estimate. Latin-1 may double in size as UTF-8. A bare line
// ending may double as CRLF. While a buffer grows, it exists twice.
func (*textOptions) estimateMemory(_ []byte, size int64) (int64, error) { return 64<<10 + 8*size, nil }

// Cook implements recipe.Cooker.
func (o *textOptions) Cook(ctx context.Context, job *recipe.Job) error {
	source, err := job.Source()
	if err != nil {
		return err
	}
	text, err := o.decodeToUTF8(ctx, source)
	if err != nil {
		return err
	}
	if !o.PrivateKeys {
		if err := plaintext.RefusePrivateKey(text); err != nil {
			return err
		}
	}
	if i := bytes.IndexByte(text, 0); i >= 0 {
		return fmt.Errorf("%s: the file has a zero byte, so it is not text, or is UTF-16 without a byte order mark (set encoding = \"utf-16\")", plaintext.Position(text, i))
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	out, err := o.replaceLineEnds(ctx, text)
	if err != nil {
		return err
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	job.Hold("text", len(out))
	return job.Write(0, out)
}

// chunk is the number of bytes that are decoded between two checks of the context.
const chunk = 64 << 10

// decodeToUTF8 returns the source as UTF-8.
func (o *textOptions) decodeToUTF8(ctx context.Context, source []byte) ([]byte, error) {
	wide, order := o.Encoding == "utf-16", binary.ByteOrder(binary.LittleEndian)
	if o.Encoding == "utf-16" || o.Encoding == "auto" {
		switch {
		case bytes.HasPrefix(source, []byte("\xff\xfe")):
			wide, source = true, source[2:]
		case bytes.HasPrefix(source, []byte("\xfe\xff")):
			wide, order, source = true, binary.BigEndian, source[2:]
		}
	}
	switch {
	case wide:
		return plaintext.FromUTF16(ctx, source, order)
	case o.Encoding == "latin1":
		out := make([]byte, 0, len(source)+len(source)/8)
		for i, c := range source {
			if i%chunk == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			out = utf8.AppendRune(out, rune(c))
		}
		return out, nil
	}
	source = bytes.TrimPrefix(source, []byte(plaintext.ByteOrderMark))
	look := 0
	for i := 0; i < len(source); {
		if i >= look {
			if look = i + chunk; ctx.Err() != nil {
				return nil, ctx.Err()
			}
		}
		if r, n := utf8.DecodeRune(source[i:]); r != utf8.RuneError || n > 1 {
			i += n
			continue
		}
		return nil, fmt.Errorf("%s: byte 0x%02x is not UTF-8; save the file as UTF-8, or set encoding", plaintext.Position(source, i), source[i])
	}
	return source, nil
}

// replaceLineEnds replaces the line endings. A line ends with LF, CRLF or a single CR.
func (o *textOptions) replaceLineEnds(ctx context.Context, text []byte) ([]byte, error) {
	if o.LineEndings == "keep" && !o.TrimSpace && !o.FinalNewline {
		return text, nil
	}
	out := make([]byte, 0, len(text)+len(text)/16)
	last := "\n" // ending of the previous line
	for n := 0; len(text) > 0; n++ {
		if n%4096 == 0 {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
		}
		line, end := text, ""
		if i := bytes.IndexAny(text, "\r\n"); i >= 0 {
			line, end = text[:i], string(text[i:i+1])
			if bytes.HasPrefix(text[i:], []byte("\r\n")) {
				end = "\r\n"
			}
		}
		text = text[len(line)+len(end):]
		if o.TrimSpace {
			line = bytes.TrimRight(line, " \t")
		}
		out = append(append(out, line...), o.newLineEnd(end, last)...)
		last = end
	}
	return out, nil
}

// newLineEnd returns the new ending of a line, or "" at the end of the text. was is the line's old
// ending, and last is the ending of the previous line.
func (o *textOptions) newLineEnd(was, last string) string {
	switch {
	case was == "" && !o.FinalNewline:
		return ""
	case o.LineEndings == "crlf":
		return "\r\n"
	case o.LineEndings == "lf":
		return "\n"
	case was == "":
		return last
	}
	return was
}
