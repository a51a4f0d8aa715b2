package dev.weir.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Opens the report in a browser without a network. A script inspects the rendered page. */
class HtmlReportTest {

    /**
     * Counts the points drawn in each chart and collects the files that the chart's buttons save. Runs after the page's
     * script.
     */
    private static final String PROBE = """
            <script>
            (() => {
              const saved = [];
              HTMLAnchorElement.prototype.click = function () { saved.push([this.download, this.href]); };
              const look = () => [...document.querySelectorAll('figure')].map(figure => {
                const canvas = figure.querySelector('canvas');
                const chart = Chart.getChart(canvas);
                const { left, right, top, bottom } = chart.chartArea;
                const points = chart.data.datasets.flatMap((_, i) => chart.getDatasetMeta(i).data)
                  .filter(p => p.x >= left && p.x <= right && p.y >= top && p.y <= bottom);
                // The canvas is transparent where nothing was drawn, and nearly so under the band of noise.
                const scale = canvas.width / canvas.clientWidth;
                const pixels = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
                const drawn = points.filter(p =>
                  pixels.data[(Math.round(p.y * scale) * pixels.width + Math.round(p.x * scale)) * 4 + 3] > 100);
                const table = figure.querySelector('details.figures');
                table.open = true;
                table.dispatchEvent(new Event('toggle'));
                saved.length = 0;
                figure.querySelectorAll('[data-export]').forEach(button => button.click());
                const hollow = chart.data.datasets.flatMap((set, i) => chart.getDatasetMeta(i).data
                  .filter((_, at) => Array.isArray(set.pointBackgroundColor) && set.pointBackgroundColor[at] !== set.borderColor)).length;
                return { named: chart.named || [], clipped: chart.clipped || 0, hollow, rows: table.querySelectorAll('tbody tr').length,
                  looks: chart.data.datasets.map(set => [set.borderColor, set.pointStyle, String(set.borderDash)].join(' ')), title: figure.querySelector('figcaption span').textContent, points: points.length, drawn: drawn.length,
                  png: saved[0][1].slice(0, 22), pngLength: saved[0][1].length, csv: decodeURIComponent(saved[1][1]), names: saved.map(s => s[0]) };
              });
              const tables = () => ({ words: [...document.querySelectorAll('#matrix small.words')].map(e => e.textContent), limits: [...document.querySelectorAll('#drivers summary')].map(e => e.textContent), bounds: [...document.querySelectorAll('#matrix td')].filter(td => td.textContent.includes('≥')).length, matrix: document.querySelectorAll('#matrix tbody tr').length, drivers: document.querySelectorAll('#drivers tbody tr').length });
              const first = look();
              const words = tables().words;
              const point = document.getElementById('point');
              point.value = String(point.options.length - 1);
              point.dispatchEvent(new Event('change'));
              const metric = document.getElementById('metric');
              metric.value = 'p99';
              metric.dispatchEvent(new Event('change'));
              const result = { first, last: look(), tables: { ...tables(), words }, wide: document.documentElement.scrollWidth > innerWidth };
              const out = document.createElement('pre');
              out.id = 'probe';
              out.textContent = btoa(unescape(encodeURIComponent(JSON.stringify(result))));
              document.body.append(out);
            })();
            </script>
            </body>
            """;

    @TempDir
    Path temp;

    @Test
    void page_ofOnePoint_drawsEachChartAndExportsIt() throws Exception {
        JsonNode seen = open(1, 5, 0);
        assertThat(titles(seen.get("first")))
                .contains("rate, ratio to plain", "Rate, records/s", "Lag, records", "CPU of the driver, cores")
                .contains("Allocation, MB/s", "Latency from planned sending")
                .contains("Latency p50 from planned sending, ms", "Latency p99 from planned sending, ms");
        assertThat(titles(seen.get("last"))).contains("latency p99, ratio to plain");
        assertThat(seen.get("tables").get("matrix").asInt()).isEqualTo(1);
        assertThat(seen.get("tables").get("drivers").asInt()).isEqualTo(7);
        String ratios = seen.get("first").get(0).get("csv").asText();
        assertThat(ratios).contains(",better,broker\n").as("of weir-lean").containsOnlyOnce("broker");
        assertThat(seen.get("tables").get("words"))
                .as("verdicts, in words")
                .extracting(JsonNode::asText)
                .anyMatch(words -> words.startsWith("worse, "))
                .anyMatch(words -> words.startsWith("better, at least "));
        requireDrawn(seen);
    }

    /** Truncated values are marked with an arrow, and values that must not be quoted are hollow. */
    @Test
    void page_marksWhatIsNotAsItLooks() throws Exception {
        JsonNode seen = open(1, 2, 0);
        JsonNode ratios = chart(seen, "rate, ratio to plain");
        assertThat(ratios.get("clipped").asInt()).as("intervals of two rounds").isPositive();
        assertThat(chart(seen, "Rate by round").get("hollow").asInt())
                .as("weir-lean's first round was the generator's")
                .isEqualTo(1);
        assertThat(seen.get("tables").get("limits"))
                .extracting(JsonNode::asText)
                .contains("generator");
    }

    /** Colours repeat after eight drivers. More drivers get other dashes, markers and names. */
    @Test
    @Tag("long")
    void page_ofEighteenDrivers_keepsThemApart() throws Exception {
        JsonNode seen = open(1, 3, 0, 11);
        for (String title : List.of("Rate by round", "Rate, records/s", "Latency from planned sending")) {
            JsonNode chart = chart(seen, title);
            assertThat(chart.get("looks")).as(title).hasSize(18).doesNotHaveDuplicates();
            assertThat(chart.get("named")).as(title).hasSize(18);
            double above = Double.NEGATIVE_INFINITY;
            for (JsonNode name : chart.get("named")) {
                assertThat(name.get("y").asDouble() - above)
                        .as("%s beside '%s'", name, title)
                        .isGreaterThanOrEqualTo(11);
                above = name.get("y").asDouble();
            }
        }
        requireDrawn(seen);
    }

    private static JsonNode chart(JsonNode seen, String title) {
        for (JsonNode chart : seen.get("first")) {
            if (chart.get("title").asText().startsWith(title)) {
                return chart;
            }
        }
        throw new AssertionError("no chart " + title + " among " + titles(seen.get("first")));
    }

    @Test
    @Tag("long")
    void page_ofFortyPoints_drawsEachChartAndExportsIt() throws Exception {
        JsonNode seen = open(40, 3, 0);
        assertThat(seen.get("tables").get("matrix").asInt()).isEqualTo(40);
        String ratios = seen.get("first").get(0).get("csv").asText();
        assertThat(ratios.lines().count())
                .as("title and 6 drivers at 40 points")
                .isEqualTo(1 + 6 * 40);
        requireDrawn(seen);
    }

    @Test
    void page_ofAnInterruptedCampaign_drawsWhatThereIs() throws Exception {
        requireDrawn(open(3, 3, 27));
    }

    @Test
    void page_ofACampaignWithoutRuns_opensWithoutError() throws Exception {
        assertThat(open(2, 3, 2 * 3 * 7).get("tables").get("drivers").asInt()).isEqualTo(7);
    }

    private JsonNode open(int points, int rounds, int missing) throws Exception {
        return open(points, rounds, missing, 0);
    }

    private JsonNode open(int points, int rounds, int missing, int moreDrivers) throws Exception {
        Browser browser = new Browser(temp);
        Path results = Files.createTempDirectory(temp, "results").resolve("of");
        Path html = Reports.html(SampleCampaign.write(results, points, rounds, missing, moreDrivers));
        String text = Files.readString(html);
        assertThat(text).doesNotContain(SampleCampaign.SECRET).doesNotContain("src=", "sourceMappingURL");
        Path kept = Path.of(
                "target",
                "report-" + points + "-points-" + missing + "-missing-" + (7 + moreDrivers) + "-drivers.html");
        Files.writeString(kept, text);
        Path probed = Files.writeString(temp.resolve("probed.html"), text.replace("</body>", PROBE));

        Browser.Page page = browser.open(probed);

        assertThat(page.console()).as("what the page wrote to the console").isEmpty();
        Matcher probe = Pattern.compile("<pre id=\"probe\">([^<]+)</pre>").matcher(page.document());
        assertThat(probe.find()).as("the page's script ran to its end").isTrue();
        return new ObjectMapper().readTree(Base64.getDecoder().decode(probe.group(1)));
    }

    private static void requireDrawn(JsonNode seen) {
        assertThat(seen.get("wide").asBoolean())
                .as("page is wider than the window")
                .isFalse();
        for (String when : List.of("first", "last")) {
            assertThat(seen.get(when)).isNotEmpty();
            for (JsonNode chart : seen.get(when)) {
                String title = chart.get("title").asText();
                // At least half of the points must be drawn. Lines are dashed during the warm-up, so points may lie in
                // a gap.
                int points = chart.get("points").asInt();
                assertThat(points).as("points in '%s'", title).isPositive();
                assertThat(chart.get("drawn").asInt())
                        .as("points with something drawn in '%s'", title)
                        .isGreaterThanOrEqualTo(points / 2);
                assertThat(chart.get("png").asText()).as(title).isEqualTo("data:image/png;base64,");
                assertThat(chart.get("pngLength").asInt()).as(title).isGreaterThan(2_000);
                assertThat(chart.get("csv").asText().lines().count())
                        .as("lines of '%s'", title)
                        .isGreaterThan(1);
                assertThat(chart.get("rows").asLong())
                        .as("rows of the table beside '%s'", title)
                        .isEqualTo(chart.get("csv").asText().lines().count() - 1);
                assertThat(chart.get("names").get(1).asText()).matches("[\\w.-]+\\.csv");
            }
        }
    }

    private static List<String> titles(JsonNode charts) {
        List<String> titles = new ArrayList<>();
        charts.forEach(chart -> titles.add(chart.get("title").asText()));
        return titles;
    }
}
