//go:build unix && !linux

package main

func systemCampaigns() []campaign { return []campaign{{"together", togetherAbout, together}} }
