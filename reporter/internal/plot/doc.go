// Package plot draws the three pictures of a report: a forest plot of the
// changes of tasks, a heat map of trials, and curves over k.
//
//	svg, err := plot.Forest{Alt: plot.Alt{ID: "p1", Title: "Changes"}, Rows: rows}.SVG()
//
// A picture is an svg element for a page: it has a title and a description that
// its role as an image points to, its colours are currentColor and classes that
// the page gives a colour, and it has no style attribute, so that a page without
// inline styles shows it as it was meant. The same input gives the same bytes.
//
// It computes no number and shortens no label: both arrive ready to be shown. It
// knows nothing of suites, tasks and rewards.
package plot
