//go:build !(amd64 || arm64)

package main

// archCampaigns returns nil: package faultfs does not support this architecture.
func archCampaigns() []campaign { return nil }
