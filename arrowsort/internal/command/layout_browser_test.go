//go:build browser

// The page of a layout in a real browser, headless Chromium: a test apart, as it needs one.

package command

import (
	"bytes"
	"encoding/json"
	"image"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// browsers are the names of programs that are Chromium.
var browsers = []string{"chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"}

// browse opens a file in a browser with some flags, and returns what it prints, and the lines that the page wrote to
// its console, errors among them.
func browse(t *testing.T, path string, flags ...string) (out string, console []string) {
	t.Helper()
	program := ""
	for _, name := range browsers {
		if found, err := exec.LookPath(name); err == nil && program == "" {
			program = found
		}
	}
	require.NotEmpty(t, program, "none of these is installed: %v", browsers)
	flags = append([]string{"--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
		"--enable-logging=stderr", "--virtual-time-budget=5000", "--window-size=1280,1000"}, flags...)
	cmd := exec.CommandContext(t.Context(), program, append(flags, "file://"+path)...)
	var said bytes.Buffer
	cmd.Stderr = &said
	printed, err := cmd.Output()
	require.NoError(t, err, said.String())
	for line := range strings.Lines(said.String()) {
		if strings.Contains(line, ":CONSOLE") {
			console = append(console, line)
		}
	}
	return string(printed), console
}

// pageWith writes a page with a script added, which stands in for a person.
func pageWith(t *testing.T, page, script string) string {
	t.Helper()
	text := readFile(t, page)
	path := filepath.Join(t.TempDir(), "scripted.html")
	added := strings.Replace(string(text), "</body>", "<script>"+script+"</script></body>", 1)
	require.NoError(t, os.WriteFile(path, []byte(added), 0o644))
	return path
}

// visit is the script of a visit: it waits for the page, hovers over maps, uses keys and fields, and leaves what it
// sees as JSON.
const visit = `
(async () => {
  while (!document.documentElement.dataset.ready) await new Promise(r => setTimeout(r, 20));
  const seen = {}, tip = document.getElementById("tip"), maps = [...document.querySelectorAll("svg.map")];
  const at = (map, share) => {
    const box = map.getBoundingClientRect();
    map.dispatchEvent(new PointerEvent("pointermove", {clientX: box.left + share * box.width, clientY: box.top + 5}));
    return tip.hidden ? null : tip.textContent;
  };
  const key = (map, name) => {
    map.dispatchEvent(new KeyboardEvent("keydown", {key: name, cancelable: true}));
    return document.getElementById("spoken").textContent;
  };
  seen.maps = maps.map(m => m.getAttribute("aria-label"));
  seen.paths = maps.map(m => m.querySelector(".g").getBBox().width);
  seen.first = at(maps[1], 0.01);
  seen.last = at(maps[1], 0.99);
  maps[1].dispatchEvent(new PointerEvent("pointerleave"));
  seen.left = tip.hidden;
  maps[1].focus();
  seen.focused = document.activeElement === maps[1];
  seen.home = key(maps[1], "Home");
  seen.right = key(maps[1], "ArrowRight");
  seen.end = key(maps[1], "End");
  key(maps[1], "Escape");
  seen.escaped = tip.hidden;
  const shown = () => [...document.querySelectorAll(".column")].filter(c => !c.hidden).map(c => c.dataset.name);
  const order = document.getElementById("order"), find = document.getElementById("find");
  order.value = "name";
  order.dispatchEvent(new Event("change"));
  seen.byName = shown();
  order.value = "depth";
  order.dispatchEvent(new Event("change"));
  seen.byDepth = shown();
  find.value = "S";
  find.dispatchEvent(new Event("input"));
  seen.found = shown();
  const out = document.createElement("pre");
  out.id = "seen";
  out.textContent = JSON.stringify(seen);
  document.body.append(out);
})();`

// seen is what a visit leaves.
type seen struct {
	Maps, ByName, ByDepth, Found  []string
	Paths                         []float64
	First, Last, Home, Right, End string
	Left, Focused, Escaped        bool
}

// comparedPage writes the page of two files: sorted by n, and by -n.
func comparedPage(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "page.html")
	r := cli(t, nil, "layout", "--html", path, "--filter", "n >= 4", "--against", lettersBy(t, "z", "before.parquet"),
		lettersBy(t, "n", "now.parquet"))
	require.Equal(t, result{}, r)
	return path
}

// TestPageInABrowser shows what is under the pointer, works with keys, and finds columns, without an error in the
// console.
func TestPageInABrowser(t *testing.T) {
	out, console := browse(t, pageWith(t, comparedPage(t), visit), "--dump-dom")
	require.Empty(t, console)
	found := regexp.MustCompile(`(?s)<pre id="seen">(.*?)</pre>`).FindStringSubmatch(out)
	require.NotNil(t, found, out)
	var got seen
	require.NoError(t, json.Unmarshal([]byte(strings.ReplaceAll(found[1], "&amp;", "&")), &got))
	require.Equal(t, "now n: a value is in 1.0 of 4 row groups on average, 1 at worst; from 1 to 8", got.Maps[1])
	require.Contains(t, got.Maps[0], "before n: a value is in ")
	for _, width := range got.Paths {
		require.Positive(t, width, "the bars are drawn")
	}
	require.Regexp(t, `^row group 0 of 4, 2 rows\n1 to 2\n[0-9]+ bytes$`, got.First)
	require.Regexp(t, `^row group 3 of 4, 2 rows\n7 to 8\n`, got.Last)
	require.True(t, got.Left && got.Focused && got.Escaped, "%+v", got)
	require.Contains(t, got.Home, "row group 0 of 4")
	require.Contains(t, got.Right, "row group 1 of 4, 2 rows, 3 to 4, ")
	require.Contains(t, got.End, "row group 3 of 4")
	require.Equal(t, []string{"n", "s", "z"}, got.ByName)
	require.Len(t, got.ByDepth, 3)
	require.Equal(t, []string{"s"}, got.Found)
}

// TestConsoleOfABrowser: an error in a page is seen.
func TestConsoleOfABrowser(t *testing.T) {
	_, console := browse(t, pageWith(t, comparedPage(t), "missing()"), "--dump-dom")
	require.Len(t, console, 1)
	require.Contains(t, console[0], "missing is not defined")
}

// TestLargePageInABrowser takes less than 2 MB, and draws 100,000 bars from what is packed.
func TestLargePageInABrowser(t *testing.T) {
	path := filepath.Join(t.TempDir(), "large.html")
	f, err := os.Create(path)
	require.NoError(t, err)
	require.NoError(t, writeHTML(f, largeLayout(1000, 100)))
	info, err := f.Stat()
	require.NoError(t, err)
	require.Less(t, info.Size(), int64(2_000_000))
	require.NoError(t, f.Close())
	script := `(async () => {
  while (!document.documentElement.dataset.ready) await new Promise(r => setTimeout(r, 20));
  const drawn = [...document.querySelectorAll("svg.map .g")].map(g => g.getAttribute("d").split("v").length - 1);
  document.title = drawn.length + " maps of " + Math.min(...drawn) + " bars";
})();`
	out, console := browse(t, pageWith(t, path, script), "--dump-dom")
	require.Empty(t, console)
	require.Contains(t, out, "<title>100 maps of 1000 bars</title>")
}

// TestPictureOfThePage compares a picture of the window with what is to be seen: its size, and areas of its colours, in
// light and dark.
func TestPictureOfThePage(t *testing.T) {
	page := comparedPage(t)
	svg := strings.TrimSuffix(page, ".html") + ".svg"
	require.Equal(t, result{}, cli(t, nil, "layout", "--svg", svg, lettersBy(t, "n", "now.parquet")))
	for name, c := range map[string]struct {
		path   string
		flags  []string
		colors map[[3]uint8]int // least number of pixels
	}{
		"light": {page, nil, map[[3]uint8]int{{0xFB, 0xFA, 0xF7}: 600_000, {0x12, 0x73, 0x6D}: 2_000,
			{0xF1, 0xEF, 0xE9}: 20_000, {0x8B, 0x90, 0x99}: 5_000}},
		"dark": {page, []string{"--blink-settings=preferredColorScheme=0"}, map[[3]uint8]int{
			{0x15, 0x17, 0x1A}: 600_000, {0x4C, 0xC0, 0xB5}: 2_000, {0x1D, 0x20, 0x24}: 20_000}},
		"picture": {svg, nil, map[[3]uint8]int{{0xFB, 0xFA, 0xF7}: 150_000, {0x12, 0x73, 0x6D}: 2_000,
			{0xF1, 0xEF, 0xE9}: 10_000}},
	} {
		shot := filepath.Join(t.TempDir(), name+".png")
		_, console := browse(t, c.path, append(c.flags, "--screenshot="+shot)...)
		require.Empty(t, console, name)
		picture := pictureAt(t, shot)
		require.Equal(t, image.Rect(0, 0, 1280, 1000), picture.Bounds(), name)
		counts := map[[3]uint8]int{}
		for y := range 1000 {
			for x := range 1280 {
				r, g, b, _ := picture.At(x, y).RGBA()
				counts[[3]uint8{uint8(r >> 8), uint8(g >> 8), uint8(b >> 8)}]++
			}
		}
		for color, least := range c.colors {
			require.Greater(t, counts[color], least, "%s: pixels of %x", name, color)
		}
	}
}

func pictureAt(t *testing.T, path string) image.Image {
	f, err := os.Open(path)
	require.NoError(t, err)
	defer f.Close()
	picture, err := png.Decode(f)
	require.NoError(t, err)
	return picture
}
