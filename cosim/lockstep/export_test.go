package lockstep

// Why compares like Equal and says what was found, "" if nothing.
func (c *Checker) Why(b []byte) string {
	f := c.Batch(b)
	switch {
	case f == nil:
		return ""
	case f.bad != nil:
		return f.bad.Error()
	}
	return "differs " + f.text
}
