package plot

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"html"
	"io"
	"strings"
)

// rewrite turns what gonum wrote into an element for a page: every property of a
// style attribute becomes an attribute of its own, every colour currentColor with
// a class, and the picture gets its title, its description and its role.
func rewrite(raw []byte, alt Alt) (string, error) {
	var b strings.Builder
	d := xml.NewDecoder(bytes.NewReader(raw))
	first := true
	for {
		tok, err := d.Token()
		if err == io.EOF {
			return b.String(), nil
		}
		if err != nil {
			return "", fmt.Errorf("plot: gonum wrote no XML: %w", err)
		}
		switch t := tok.(type) {
		case xml.StartElement:
			attrs, err := attributes(t, &first, alt)
			if err != nil {
				return "", err
			}
			b.WriteByte('<')
			b.WriteString(t.Name.Local)
			for _, a := range attrs {
				fmt.Fprintf(&b, ` %s="%s"`, a[0], html.EscapeString(a[1]))
			}
			switch t.Name.Local {
			case "path":
				b.WriteString("/>")
				continue
			case "text":
				s, err := textOf(d)
				if err != nil {
					return "", err
				}
				side, s := sideOf(s)
				fmt.Fprintf(&b, "%s>%s</text>", side, html.EscapeString(s))
				continue
			}
			b.WriteByte('>')
			if t.Name.Local == "svg" {
				fmt.Fprintf(&b, `<title id="%s-t">%s</title><desc id="%s-d">%s</desc>`,
					alt.ID, html.EscapeString(alt.Title), alt.ID, html.EscapeString(alt.Desc))
			}
		case xml.EndElement:
			if t.Name.Local != "path" {
				b.WriteString("</" + t.Name.Local + ">")
			}
		}
	}
}

// textOf reads up to the end of a text element.
func textOf(d *xml.Decoder) (string, error) {
	var b strings.Builder
	for {
		tok, err := d.Token()
		if err != nil {
			return "", fmt.Errorf("plot: gonum wrote no XML: %w", err)
		}
		switch t := tok.(type) {
		case xml.CharData:
			b.Write(t)
		case xml.EndElement:
			return b.String(), nil
		}
	}
}

// sideOf takes off the rune that says where a text stands and returns what says
// so in SVG. Such a rune further on is text.
func sideOf(s string) (attr, rest string) {
	for side, attr := range map[rune]string{after: "", around: ` text-anchor="middle"`, before: ` text-anchor="end"`} {
		if rest, ok := strings.CutPrefix(s, string(side)); ok {
			return attr, rest
		}
	}
	return "", s
}

// fonts is what the labels are set in: their widths are those that gonum knows,
// and Arial's are the same.
const fonts = "Liberation Sans, Arial, Helvetica, sans-serif"

// attributes returns the attributes of an element in the page, in a fixed order.
func attributes(t xml.StartElement, first *bool, alt Alt) ([][2]string, error) {
	var out [][2]string
	add := func(k, v string) { out = append(out, [2]string{k, v}) }
	if *first {
		*first = false
		for _, a := range t.Attr {
			switch a.Name.Local {
			case "width", "height":
				add(a.Name.Local, strings.TrimSuffix(a.Value, "pt"))
			case "viewBox":
				add(a.Name.Local, a.Value)
			}
		}
		add("class", "plot")
		add("role", "img")
		add("aria-labelledby", alt.ID+"-t "+alt.ID+"-d")
		add("font-family", fonts)
		add("fill", "currentColor")
		return out, nil
	}
	class := ""
	for _, a := range t.Attr {
		switch a.Name.Local {
		case "d":
			add("d", shorter(a.Value))
		case "x", "y", "transform":
			add(a.Name.Local, a.Value)
		case "style":
			for prop := range strings.SplitSeq(a.Value, ";") {
				k, v, _ := strings.Cut(prop, ":")
				switch {
				case k == "fill" && v == "none":
					add(k, v)
				case k == "fill" || k == "stroke":
					name, ok := classNames[v]
					if !ok {
						return nil, fmt.Errorf("plot: found the colour %s, need one of this package's inks", v)
					}
					class = name
					add(k, "currentColor")
				case k == "font-size", k == "font-weight" && v != "normal", strings.HasPrefix(k, "stroke-"), k == "fill-opacity":
					add(k, strings.TrimSuffix(v, "px"))
				}
			}
		default:
			return nil, fmt.Errorf("plot: found the attribute %s of %s, need only those that this package draws with", a.Name.Local, t.Name.Local)
		}
	}
	if class != "" {
		add("class", class)
	}
	return out, nil
}
