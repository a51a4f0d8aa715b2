package dev.weir.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weir.bench.result.Ledger;
import dev.weir.bench.result.ResultsFolder;
import dev.weir.bench.result.Run;
import dev.weir.bench.result.Totals;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ReportsTest {

    @TempDir
    Path temp;

    @Test
    void text_ofACampaign_saysWhatWasShownAndWhatWasNot() {
        String text = Reports.text(SampleCampaign.write(temp, 1, 5, 0));
        assertThat(text)
                .contains("34 of 35 runs done, 1 failed")
                .contains("noise (A/A)")
                .containsPattern("plain +[\\d,]+ +1 .* baseline")
                .containsPattern("pekko .* worse, ")
                .containsPattern("plain-again .* (no difference shown|same within the margin)")
                .contains("weir-lean: the generator was the bottleneck in 1 of 5 runs, not quoted")
                .containsPattern("weir-lean +>= [\\d,]+ +>= 2\\.\\d+ .* better, at least 2\\.\\d times")
                .contains("weir-lean: limit: broker.")
                .containsOnlyOnce(
                        "a fetch took 0.500 ms: - queued, - local, - remote, - answer queued, 0.300 sending; machine 71 % busy")
                .contains("pekko: 0 lost, 15 duplicates")
                .contains("reactor: round 2 failed: the broker closed <b>it</b>");
        assertThat(text.lines().mapToInt(String::length).max().orElseThrow()).isLessThan(130);
    }

    @Test
    void json_ofACampaign_isAnObjectPerLineAndSumsUpLast() throws Exception {
        String json = Reports.json(SampleCampaign.write(temp, 2, 3, 0));
        List<JsonNode> lines = new ArrayList<>();
        for (String line : json.lines().toList()) {
            lines.add(new ObjectMapper().readTree(line));
        }
        assertThat(lines).hasSize(2 * 7 + 1);
        JsonNode weir = lines.get(2);
        assertThat(weir.get("driver").asText()).isEqualTo("weir");
        JsonNode rate = weir.get("metrics").get("rate");
        assertThat(rate.get("median").asDouble()).isPositive();
        assertThat(rate.get("low").asDouble()).isLessThan(rate.get("ratio").asDouble());
        assertThat(rate.get("high").asDouble()).isGreaterThan(rate.get("ratio").asDouble());
        assertThat(weir.get("metrics").get("cpu").get("median").asDouble()).isPositive();
        assertThat(weir.get("metrics").get("allocated").get("median").asDouble())
                .isEqualTo(500);
        assertThat(rate.get("quoted").asBoolean()).isTrue();
        assertThat(rate.get("bound").asBoolean()).isFalse();
        JsonNode heldBack = lines.get(3).get("metrics");
        assertThat(heldBack.get("rate").get("quoted").asBoolean()).isFalse();
        assertThat(heldBack.get("rate").get("bound").asBoolean()).isTrue();
        assertThat(heldBack.get("rate").get("limit").asText()).isEqualTo("broker");
        assertThat(heldBack.get("cpu").get("quoted").asBoolean()).as("its own").isTrue();
        assertThat(weir.get("ledger").get("lost").asLong()).isZero();
        JsonNode summary = lines.getLast();
        assertThat(summary.get("type").asText()).isEqualTo("summary");
        assertThat(summary.get("complete").asBoolean()).as("two runs failed").isFalse();
        assertThat(summary.get("runsFailed").asInt()).isEqualTo(2);
    }

    @Test
    void reports_ofACampaignWithoutRuns_areMade() {
        ResultsFolder folder = SampleCampaign.write(temp, 1, 3, 21);
        assertThat(Reports.text(folder)).contains("0 of 21 runs done", "not measured");
        assertThat(Reports.json(folder).lines().count()).isEqualTo(8);
        assertThat(Reports.csv(folder)).hasSize(6);
    }

    @Test
    void attemptThatFailed_isToldAfterAnotherTookItsPlace() {
        ResultsFolder folder = SampleCampaign.write(temp, 1, 1, 7);
        String point = folder.campaign().points().getFirst().id();
        folder.append(Run.failed(point, "weir", 0, 0, 1, 1, 2, "it lost its group"), List.of());
        Totals totals = new Totals(9, 9, 1_000_000_000, 1, 1, 0, 0, 0, Map.of());
        folder.append(
                new Run(point, "weir", 0, 0, 1, 3, 4, 0, List.of(), totals, Ledger.NONE, Set.of(), null), List.of());
        String told = "weir at " + point + ", round 1, was repeated: it lost its group";
        assertThat(Reports.text(folder)).contains(told);
        assertThat(Reports.text(ResultsFolder.open(folder.path()))).contains(told);
        assertThat(Reports.lines(folder)).startsWith("{\"type\":\"attempt\"").contains("it lost its group");
    }

    /** A library that slows its handlers down raises its efficiency, so the efficiency is shown without a verdict. */
    @Test
    void efficiency_isAColumnBesideTheNominalOne_andNoMetric() throws Exception {
        ResultsFolder folder = SampleCampaign.write(temp, 1, 1, 7);
        String point = folder.campaign().points().getFirst().id();
        Map<String, Double> figures = Map.of(
                Totals.HANDLER_MILLIS, 6.25, Totals.CEILING, 4800.0, Totals.EFFICIENCY, 99.5, Totals.NOMINAL, 79.6);
        Totals totals = new Totals(4776, 477_600, 1_000_000_000, 1, 1, 0, 0, 0, figures);
        for (String driver : List.of("plain", "weir")) {
            folder.append(
                    new Run(point, driver, 0, 0, 1, 0, 9, 0, List.of(), totals, Ledger.NONE, Set.of(), null),
                    List.of());
        }
        assertThat(Reports.text(folder))
                .containsPattern("handler ms +ceiling/s +efficiency % +% of nominal")
                .containsPattern("weir .* 6\\.25 +4,800 +99\\.5 +79\\.6 ");
        JsonNode weir = new ObjectMapper()
                .readTree(Reports.json(folder).lines().toList().get(2));
        assertThat(weir.get("driver").asText()).isEqualTo("weir");
        assertThat(weir.get("efficiency").asDouble()).isEqualTo(99.5);
        assertThat(weir.get("others").get(Totals.NOMINAL).asDouble()).isEqualTo(79.6);
        assertThat(weir.get("metrics").has("rate")).isTrue();
        assertThat(weir.get("metrics").has("efficiency")).isFalse();
    }

    @Test
    void files_ofACampaignWithSecrets_holdNone() throws Exception {
        ResultsFolder folder = SampleCampaign.write(temp, 1, 3, 0);
        String unused = Reports.text(folder) + Reports.json(folder) + Reports.csv(folder) + Reports.html(folder);
        assertThat(unused).doesNotContain(SampleCampaign.SECRET);
        try (Stream<Path> files = Files.walk(temp)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                assertThat(file).content().doesNotContain(SampleCampaign.SECRET);
            }
        }
        assertThat(temp.resolve("runs.csv")).content().contains("the broker closed <b>it</b>");
        assertThat(temp.resolve("comparison.csv")).content().contains("p0,plain-consumer,,weir,rate,records/s,");
        assertThat(temp.resolve("comparison.csv"))
                .content()
                .containsPattern("p0,plain-consumer,,weir-lean,rate,.*,not-measured,false,broker\n")
                .containsPattern("p0,plain-consumer,,weir-lean,CPU,.*,true,\n");
        assertThat(temp.resolve("intervals.csv")).content().contains("p0,plain,0,false,0,1000,");
        assertThat(temp.resolve("metrics.csv")).content().contains("p0,plain,0,true,broker: fetch sending ms,0.3");
        assertThat(temp.resolve("latency.csv")).content().contains("p0,plain,response,0.0,");
    }
}
