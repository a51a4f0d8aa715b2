package dev.weir.checks.integration;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.bench.explain.Explanation;
import dev.weir.bench.explain.Explanations;
import dev.weir.bench.result.Flag;
import dev.weir.bench.result.ResultsFolder;
import dev.weir.bench.result.Run;
import dev.weir.bench.statistics.Analysis;
import dev.weir.metrics.Limiter;
import dev.weir.testkit.FaultProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Plants causes of slowness, and checks that the figures of real runs lead to them. */
@Timeout(180)
class BenchExplainTest extends BenchTestBase {

    private static final String METHOD =
            "method: {rounds: 1, control: false, minWarmUpSeconds: 0.5, maxWarmUpSeconds: 1, measureSeconds: 2}\n";

    private static Limiter limiter(ResultsFolder results) {
        assertThat(results.runs()).extracting(Run::failure).containsOnlyNulls();
        Explanation explanation = Explanations.of(Analysis.of(results)).getFirst();
        assertThat(explanation.limiter()).as("%s", explanation.evidence()).isNotNull();
        return Objects.requireNonNull(explanation.limiter());
    }

    @Test
    @Tag("long")
    void slowHandler_isNamed() throws Exception {
        Limiter limiter = limiter(bench.run("""
                name: handlers
                scenario: work
                drivers: [plain]
                topic: {partitions: 2, records: 20000, valueBytes: 50}
                options: {work.millis: 5, concurrency: 1}
                """ + METHOD));
        assertThat(limiter.kind()).as("%s", limiter).isEqualTo(Limiter.Kind.STAGE_WAIT);
        assertThat(limiter.name()).isEqualTo("handlers");
    }

    /** Batches have one kilobyte. Each fetch returns one batch. */
    @Test
    @Tag("long")
    void smallFetches_areNamed() throws Exception {
        Limiter limiter = limiter(bench.run("""
                name: fetches
                scenario: consume
                drivers: [plain]
                topic: {partitions: 2, records: 1000000, valueBytes: 50, batchBytes: 1000}
                client: {max.partition.fetch.bytes: 1000}
                """ + METHOD));
        assertThat(limiter.kind()).as("%s", limiter).isEqualTo(Limiter.Kind.SOURCE_FETCH);
        assertThat(limiter.name()).isEqualTo("fetch size");
    }

    /** The driver may have only 32 records in flight, so it is the limiter. */
    @Test
    @Tag("long")
    void windowThatIsCut_isNamed_andNoBrokersFault() throws Exception {
        ResultsFolder results = bench.run("""
                name: window
                scenario: produce
                drivers: [reactor]
                baseline: reactor
                topic: {partitions: 6, records: 200000, valueBytes: 100}
                options: {in.flight.records: 32}
                """ + METHOD);
        Limiter limiter = limiter(results);
        assertThat(limiter.kind()).as("%s", limiter).isEqualTo(Limiter.Kind.PRODUCER);
        assertThat(limiter.name()).isEqualTo("batch size");
        assertThat(results.runs().getFirst().flags()).doesNotContain(Flag.BROKER_BOUND, Flag.BASELINE_BROKER_BOUND);
    }

    @Test
    @Tag("long")
    void slowNetwork_isNamed() throws Exception {
        try (FaultProxy network = FaultProxy.to(bench.existing().bootstrapServers())) {
            network.delay(Duration.ofMillis(20));
            Limiter limiter = limiter(bench.run(network, """
                    name: network
                    scenario: consume
                    drivers: [plain]
                    topic: {partitions: 2, records: 400000, valueBytes: 50, batchBytes: 20000}
                    client: {max.partition.fetch.bytes: 100000}
                    """ + METHOD));
            assertThat(limiter.kind()).as("%s", limiter).isEqualTo(Limiter.Kind.SOURCE_BROKER);
            assertThat(limiter.name()).isEqualTo("brokers, or the way to them");
        }
    }

    /** Four computing threads per processor make the driver wait for a processor. */
    @Test
    @Tag("long")
    void starvedMachine_isNamed() throws Exception {
        List<Process> others = new ArrayList<>();
        try {
            for (int i = 0; i < 4 * Runtime.getRuntime().availableProcessors(); i++) {
                // Each of these processes ends when this JVM ends.
                others.add(new ProcessBuilder("sh", "-c", "while kill -0 $PPID; do :; done")
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start());
            }
            Limiter limiter = limiter(bench.run("""
                    name: starved
                    scenario: consume
                    drivers: [plain]
                    topic: {partitions: 2, records: 5000000, valueBytes: 50}
                    """ + METHOD));
            assertThat(limiter.kind()).as("%s", limiter).isEqualTo(Limiter.Kind.MACHINE_CPU);
            assertThat(limiter.name()).isEqualTo("other processes");
        } finally {
            others.forEach(Process::destroyForcibly);
            for (Process each : others) {
                each.waitFor();
            }
        }
    }
}
