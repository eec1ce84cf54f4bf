package model

import "context"

// chunk is how many elements are worked on between two looks at the context: about a
// millisecond's.
const chunk = 1 << 15

// Chunks calls work for 0 to n-1 in pieces, until it fails or the context ends.
func Chunks(ctx context.Context, n int, work func(from, to int) error) error {
	for from := 0; from < n; from += chunk {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := work(from, min(from+chunk, n)); err != nil {
			return err
		}
	}
	return nil
}
