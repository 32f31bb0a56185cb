package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"metaroce/tandem/internal/glob"
)

// planPath is the file of a plan: a path, or a name in the checkout.
func planPath(root, arg string) (string, error) {
	if strings.HasSuffix(arg, ".yaml") || strings.HasSuffix(arg, ".yml") || strings.ContainsRune(arg, filepath.Separator) {
		return arg, nil
	}
	path := filepath.Join(root, "plans", arg+".yaml")
	if _, err := os.Stat(path); err != nil {
		var names []string
		for _, p := range plans(root) {
			names = append(names, p.name)
		}
		if len(names) == 0 {
			return "", fmt.Errorf("plan %q: no file, and there are no plans in %s", arg, filepath.Join(root, "plans"))
		}
		return "", fmt.Errorf("plan %q: no file, and none of that name in plans/ (there are %s)", arg, strings.Join(names, ", "))
	}
	return path, nil
}

// planText is a plan in plans/ of the checkout.
type planText struct{ name, about string }

var planKey, aboutKey = regexp.MustCompile(`(?m)^plan: *(.*)$`), regexp.MustCompile(`(?m)^about: *(.*)$`)

// plans lists those of a checkout by what their texts say: what is wrong with one is told when it is run.
func plans(root string) []planText {
	var list []planText
	files, _ := glob.In(filepath.Join(root, "plans"), "*.yaml")
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil || !planKey.Match(text) { // lists of tests and known failures, and testplans
			continue
		}
		p := planText{name: strings.TrimSuffix(filepath.Base(f), ".yaml")}
		if m := aboutKey.FindSubmatch(text); m != nil {
			p.about = string(m[1])
		}
		list = append(list, p)
	}
	return list
}

// helpWithPlans adds the plans of the checkout to the help.
func (a *app) helpWithPlans(c *cobra.Command) {
	help := c.HelpFunc()
	c.SetHelpFunc(func(c *cobra.Command, args []string) {
		if root, err := a.rootOr(); err == nil {
			if list := plans(root); len(list) > 0 {
				c.Long += "\n\nPlans of this checkout:"
				for _, p := range list {
					c.Long += fmt.Sprintf("\n  %-12s %s", p.name, p.about)
				}
			}
		}
		help(c, args)
	})
	c.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		var names []string
		if root, err := a.rootOr(); err == nil {
			for _, p := range plans(root) {
				names = append(names, p.name+"\t"+p.about)
			}
		}
		return names, cobra.ShellCompDirectiveDefault
	}
}
