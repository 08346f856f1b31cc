package reporter

// What the tests of the writers compare with.
var (
	Clean        = clean
	ClipEnd      = clipEnd
	ClipMiddle   = clipMiddle
	MarkdownText = markdownText
	MarkdownCode = markdownCode
)
