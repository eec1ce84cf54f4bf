package remote

import "time"

func (c *Client) SetPatience(d time.Duration) { c.patience.Store(int64(d)) }
func (c *Client) Patience() time.Duration     { return time.Duration(c.patience.Load()) }
