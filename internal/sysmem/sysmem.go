// Package sysmem reports how much memory the machine has, or lets the process use.
package sysmem
