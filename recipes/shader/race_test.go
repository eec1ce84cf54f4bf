//go:build race

package shader

func init() { slack = 4 }
