package dev.weir.bench.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weir.bench.explore.Attempt;
import dev.weir.bench.explore.Finding;
import dev.weir.bench.explore.Kind;
import dev.weir.bench.explore.Outcome;
import dev.weir.bench.explore.Outcome.Result;
import dev.weir.bench.explore.Trial;
import dev.weir.bench.explore.Verdict;
import dev.weir.bench.result.Explored;
import dev.weir.metrics.Limiter;
import java.util.List;
import org.junit.jupiter.api.Test;

class ExploredReportTest {
    private static Trial trial(Kind kind, double rate, Result result, double recoveryMillis) {
        return new Trial(
                new Attempt(kind, rate),
                new Outcome(result, "why not", recoveryMillis, recoveryMillis > 1e4, Double.NaN));
    }

    private static final Explored FOUND = new Explored(
            "work",
            "weir",
            "p99<=100ms",
            2,
            new Finding(
                    Verdict.FOUND,
                    900,
                    1000,
                    Double.NaN,
                    List.of(
                            trial(Kind.STEP, 1000, Result.FAILED, Double.NaN),
                            trial(Kind.HOLD, 900, Result.PASSED, Double.NaN),
                            trial(Kind.RESTART, 900, Result.FAILED, Double.NaN),
                            trial(Kind.RESTART, 900, Result.PASSED, 500),
                            trial(Kind.RESTART, 900, Result.PASSED, 1500),
                            trial(Kind.PAUSE, 900, Result.PASSED, 90_000),
                            trial(Kind.PAUSE, 950, Result.FAILED, Double.NaN))),
            60,
            42,
            1200,
            Limiter.of(Limiter.Kind.STAGE_WAIT, "handlers", "all block", "more of them", 1));

    private static final Explored UNSTABLE = new Explored(
            "work",
            "share",
            "p99<=100ms",
            2,
            new Finding(
                    Verdict.UNSTABLE_AT,
                    Double.NaN,
                    700,
                    700,
                    List.of(
                            trial(Kind.RESTART, 700, Result.FAILED, Double.NaN),
                            trial(Kind.RESTART, 700, Result.FAILED, Double.NaN))),
            Double.NaN,
            Double.NaN,
            Double.NaN,
            null);

    @Test
    void line_hasTheFieldsThatProgramsRelyOn() throws Exception {
        JsonNode line = new ObjectMapper().readTree(ExploredReport.lines(List.of(FOUND)));
        assertThat(line.get("type").asText()).isEqualTo("explored");
        assertThat(line.get("verdict").asText()).isEqualTo("FOUND");
        assertThat(line.get("low").asDouble()).isEqualTo(900);
        assertThat(line.get("high").asDouble()).isEqualTo(1000);
        assertThat(line.get("holdSeconds").asDouble()).isEqualTo(60);
        assertThat(line.get("efficiency").asDouble()).isEqualTo(75);
        assertThat(line.get("limiter").get("kind").asText()).isEqualTo("stage-wait");
        assertThat(line.get("steps")).hasSize(7);
        assertThat(line.get("steps").get(0).get("passed").asBoolean()).isFalse();
        assertThat(line.get("steps").get(0).get("result").asText()).isEqualTo("FAILED");
        assertThat(line.get("steps").get(0).get("why").asText()).isEqualTo("why not");
        JsonNode restart = line.get("perturbations").get(0);
        assertThat(restart.get("kind").asText()).isEqualTo("restart");
        assertThat(restart.get("recovered").asBoolean()).isTrue();
        assertThat(restart.get("recoveryMs").asDouble()).isEqualTo(1500);
        assertThat(line.get("perturbations").get(1).get("projected").asBoolean())
                .isTrue();
    }

    @Test
    void smallRates_areNoZero() throws Exception {
        Finding finding = new Finding(
                Verdict.NOT_FOUND,
                Double.NaN,
                0.04321,
                Double.NaN,
                List.of(trial(Kind.STEP, 0.9766, Result.GENERATOR_BOUND, Double.NaN)));
        Explored small =
                new Explored("work", "weir", "p99<=100ms", 2, finding, Double.NaN, Double.NaN, Double.NaN, null);
        JsonNode line = new ObjectMapper().readTree(ExploredReport.lines(List.of(small)));
        assertThat(line.get("high").asDouble()).isEqualTo(0.0432);
        assertThat(line.get("steps").get(0).get("rate").asDouble()).isEqualTo(0.977);
        assertThat(line.get("steps").get(0).get("result").asText()).isEqualTo("GENERATOR_BOUND");
    }

    @Test
    void unknownFigures_areNull() throws Exception {
        JsonNode line = new ObjectMapper().readTree(ExploredReport.lines(List.of(UNSTABLE)));
        for (String field : List.of("low", "holdSeconds", "ceiling", "efficiency", "limiter")) {
            assertThat(line.get(field).isNull()).as(field).isTrue();
        }
        assertThat(line.get("unstableAt").asDouble()).isEqualTo(700);
        assertThat(line.get("perturbations").get(0).get("recovered").asBoolean())
                .isFalse();
        assertThat(line.get("perturbations").get(0).get("recoveryMs").isNull()).isTrue();
    }

    @Test
    void table_saysWhatBecameOfPerturbations_andWhoLimits() {
        assertThat(ExploredReport.text(List.of(FOUND, UNSTABLE)))
                .contains("FOUND", "900 to 1,000", "held for 60.0 s at 900/s")
                .contains("restart     recovered in 1.5 s", "pause       would have recovered in 90.0 s")
                .contains("limiter: stage-wait: all block", "to do: more of them")
                .contains("UNSTABLE_AT", "- to 700", "restart     did not recover", "limiter: none is evident");
    }
}
