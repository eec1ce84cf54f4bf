//go:build !unix

package main

func systemCampaigns() []campaign { return nil }
