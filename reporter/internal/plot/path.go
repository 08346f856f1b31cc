package plot

import (
	"math"
	"strconv"
	"strings"
)

// shorter returns the data of a path in fewer bytes: relative, and in hundredths
// of a pixel. Data with other commands than M, L and Z is returned as it is.
func shorter(d string) string {
	if strings.Trim(d, "MLZ0123456789.,-") != "" {
		return d
	}
	var b strings.Builder
	var x, y, x0, y0 int // where the pen is, where the line began; in hundredths
	for i := 0; i < len(d); {
		op := d[i]
		i++
		if op == 'Z' {
			b.WriteByte('z')
			x, y = x0, y0
			continue
		}
		end := i
		for end < len(d) && d[end] != 'M' && d[end] != 'L' && d[end] != 'Z' {
			end++
		}
		xs, ys, _ := strings.Cut(d[i:end], ",")
		i = end
		nx, okX := hundredths(xs)
		ny, okY := hundredths(ys)
		if !okX || !okY {
			return d
		}
		switch {
		case op == 'M' && b.Len() == 0:
			pair(&b, 'M', nx, ny)
		case op == 'M':
			pair(&b, 'm', nx-x, ny-y)
		case ny == y:
			b.WriteByte('h')
			b.WriteString(decimal(nx - x))
		case nx == x:
			b.WriteByte('v')
			b.WriteString(decimal(ny - y))
		default:
			pair(&b, 'l', nx-x, ny-y)
		}
		x, y = nx, ny
		if op == 'M' {
			x0, y0 = x, y
		}
	}
	return b.String()
}

func hundredths(s string) (int, bool) {
	v, err := strconv.ParseFloat(s, 64)
	return int(math.Round(v * 100)), err == nil
}

func pair(b *strings.Builder, op byte, x, y int) {
	b.WriteByte(op)
	b.WriteString(decimal(x))
	if y >= 0 {
		b.WriteByte(' ')
	}
	b.WriteString(decimal(y))
}

func decimal(n int) string {
	return strconv.FormatFloat(float64(n)/100, 'f', -1, 64)
}
