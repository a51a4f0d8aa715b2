package dev.weir.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weir.bench.result.Campaign;
import dev.weir.bench.result.Driver;
import dev.weir.bench.result.Environment;
import dev.weir.bench.result.Ledger;
import dev.weir.bench.result.Point;
import dev.weir.bench.result.ResultsFolder;
import dev.weir.bench.result.Run;
import dev.weir.bench.result.Totals;
import dev.weir.bench.statistics.Analysis;
import dev.weir.bench.statistics.History;
import dev.weir.bench.statistics.History.Snapshot;
import dev.weir.bench.statistics.Metric;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Opens the page that compares versions, in a real browser without a network. */
class VersionsReportTest {

    private static final List<Point> POINTS = List.of(
            new Point("p1", "consume", Map.of("bytes", "100")), new Point("p2", "consume", Map.of("bytes", "1000")));

    /** Collects the content of each chart, for each choice of figures. */
    private static final String PROBE = """
            <script>
            (() => {
              const seen = [];
              HTMLAnchorElement.prototype.click = function () { seen.at(-1).saved.push(decodeURIComponent(this.href).slice(0, 400)); };
              for (const scale of ['ratio', 'median']) {
                const choice = document.getElementById('scale');
                choice.value = scale;
                choice.dispatchEvent(new Event('change'));
                for (const figure of document.querySelectorAll('figure')) {
                  const chart = Chart.getChart(figure.querySelector('canvas'));
                  const area = chart.chartArea;
                  const points = chart.data.datasets.flatMap((_, i) => chart.getDatasetMeta(i).data);
                  seen.push({ scale, title: figure.querySelector('figcaption span').textContent, labels: chart.data.labels, lines: chart.data.datasets.length,
                    values: chart.data.datasets.map(set => set.data.map(d => d.y)), saved: [],
                    inside: points.filter(p => p.skip || (p.x >= area.left && p.x <= area.right && p.y >= area.top && p.y <= area.bottom)).length, points: points.length });
                  figure.querySelector('[data-export=csv]').click();
                }
              }
              const out = document.createElement('pre');
              out.id = 'probe';
              out.textContent = btoa(unescape(encodeURIComponent(JSON.stringify(seen))));
              document.body.append(out);
            })();
            </script>
            </body>
            """;

    @TempDir
    Path temp;

    private Snapshot campaign(int day, String client, double rate) {
        List<Driver> drivers = List.of(
                new Driver("plain", "kafka-clients-4.4.0, kafka-clients-4.4.0", Map.of()),
                new Driver("pekko", "pekko-connectors-kafka_2.13-1.1.0, kafka-clients-" + client, Map.of()),
                new Driver("pekko@1.0.0", "pekko-connectors-kafka_2.13-1.0.0, kafka-clients-3.5.1", Map.of()));
        ResultsFolder folder = ResultsFolder.create(
                temp.resolve("day-" + day),
                new Campaign(
                        "day-" + day,
                        "rivals </script>",
                        "",
                        "plain",
                        null,
                        2,
                        1,
                        drivers,
                        POINTS,
                        new Environment("", "", "some", 2, 1, Map.of(), Map.of(), "c" + day, day)));
        for (Point point : POINTS) {
            for (int round = 0; round < 2; round++) {
                run(folder, point, "plain", round, 1);
                run(folder, point, "pekko", round, rate + 0.01 * round);
                run(folder, point, "pekko@1.0.0", round, 0.5 + 0.01 * round);
            }
        }
        return Snapshot.of(Analysis.of(folder), Set.of(Metric.RATE));
    }

    private static void run(ResultsFolder folder, Point point, String driver, int round, double factor) {
        long records = (long) (1_000_000 * factor);
        Totals totals = new Totals(records, records * 100, 1_000_000_000, -1, -1, 1, 1, -1, Map.of());
        Ledger ledger = new Ledger(records, records, 0, 0, 0);
        int order = folder.runs().size();
        folder.append(
                new Run(point.id(), driver, round, order, 1, 1, 2, 0, List.of(), totals, ledger, Set.of(), null),
                List.of());
    }

    @Test
    void page_drawsAChartPerLibrary_withALinePerPoint() throws Exception {
        List<History> histories = History.of(List.of(campaign(1, "3.7.0", 0.7), campaign(2, "3.9.0", 0.8)));
        JsonNode seen = open(VersionsReport.html(histories));
        assertThat(seen).hasSize(4);
        JsonNode pekko = seen.get(1);
        assertThat(pekko.path("title").asText()).isEqualTo("pekko: rate, ratio to plain");
        assertThat(pekko.path("labels"))
                .extracting(JsonNode::asText)
                .containsExactly("1.0.0", "1.1.0 with kafka-clients 3.7.0", "1.1.0 with kafka-clients 3.9.0");
        assertThat(pekko.path("lines").asInt()).isEqualTo(2);
        assertThat(pekko.path("values").get(0).get(1).asDouble()).isBetween(0.7, 0.72);
        assertThat(pekko.path("saved").get(0).asText()).contains("point,driver,version,ratio", "p2,pekko,1.0.0,0.50");
        assertThat(seen.get(3).path("title").asText()).isEqualTo("pekko: rate, records/s");
        assertThat(seen.get(3).path("values").get(1).get(2).asDouble()).isBetween(800_000.0, 810_001.0);
        for (JsonNode chart : seen) {
            assertThat(chart.path("inside").asInt())
                    .as("%s", chart.path("title"))
                    .isEqualTo(chart.path("points").asInt());
        }
    }

    @Test
    void page_withoutACampaign_saysSo() throws Exception {
        assertThat(open(VersionsReport.html(List.of()))).isEmpty();
    }

    private JsonNode open(String text) throws Exception {
        assertThat(text).doesNotContain("src=", "sourceMappingURL");
        Path probed = Files.writeString(temp.resolve("probed.html"), text.replace("</body>", PROBE));
        Browser.Page page = new Browser(temp).open(probed);
        assertThat(page.console()).as("what the page wrote to the console").isEmpty();
        Matcher probe = Pattern.compile("<pre id=\"probe\">([^<]+)</pre>").matcher(page.document());
        assertThat(probe.find()).as("the page's script ran to its end").isTrue();
        return new ObjectMapper().readTree(Base64.getDecoder().decode(probe.group(1)));
    }
}
