package capeval_test

import (
	"go/ast"
	"slices"
	"testing"
)

// checkOnlyEstimate lets a package name numbers that may not exist, and do no
// statistics: a spec measures, it does not judge.
func checkOnlyEstimate(t *testing.T, path, pkg string, f *ast.File) {
	t.Helper()
	allowed := []string{"Estimate", "Defined", "Undefined"}
	ast.Inspect(f, func(n ast.Node) bool {
		sel, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		if x, ok := sel.X.(*ast.Ident); ok && x.Name == "stats" && !slices.Contains(allowed, sel.Sel.Name) {
			t.Errorf("%s uses stats.%s: package %s may name an Estimate and compute nothing", path, sel.Sel.Name, pkg)
		}
		return true
	})
}
