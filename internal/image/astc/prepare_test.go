package astc

// Tests use tables without going through Encode or DecodeBlock.
func init() { prepare() }
