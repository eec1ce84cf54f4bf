//go:build !(amd64 || arm64)

package main

// archCampaigns returns nothing: package faultfs does not support this architecture.
func archCampaigns() []campaign { return nil }
