package reporter

// What the tests of the writers compare with.
var (
	Clean        = clean
	ClipEnd      = clipEnd
	ClipMiddle   = clipMiddle
	MarkdownText = markdownText
	MarkdownCode = markdownCode
)

// RenderMarkdown renders a table of one row whose cells are escaped.
func RenderMarkdown(header, cells []string) (head, rows string, err error) {
	var cols []column
	for i, h := range header {
		cols = append(cols, column{name: h, left: true, cells: cells[i : i+1]})
	}
	head, lines, err := renderMarkdown(cols)
	for _, l := range lines {
		rows += l
	}
	return head, rows, err
}
