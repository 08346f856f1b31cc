// Package modelserver is a small stand-in for a language model: a real HTTP
// server on loopback that speaks the chat-completions protocol with tools.
//
//	server, err := modelserver.Start(modelserver.DefaultConfig())
//	defer server.Close()
//	config := openai.DefaultConfig("any key")
//	config.BaseURL = server.URL()
//
// It knows one trade, that of a shop's support agent, and is good at it or bad
// as its Config says. What it answers depends on the seed field of the request
// and on the conversation alone: the same conversation gets the same bytes, at
// any time, in any order and from any process, and another seed is another draw.
//
// It does not stream, does not check keys and does not understand language: it
// looks for words.
package modelserver
