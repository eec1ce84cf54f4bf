package jsontext

import "context"

// Compact returns text that is known to be JSON without white space between its
// values, as json.Compact does, or the context's error.
func Compact(ctx context.Context, text []byte) ([]byte, error) {
	out := make([]byte, 0, len(text))
	look := 0
	for i := 0; i < len(text); i++ {
		if i >= look {
			if look = i + chunk; ctx.Err() != nil {
				return nil, ctx.Err()
			}
		}
		switch c := text[i]; c {
		case ' ', '\t', '\r', '\n':
		case '"':
			end := StringEnd(text, i)
			out = append(out, text[i:end+1]...)
			i = end
		default:
			out = append(out, c)
		}
	}
	return out, nil
}
