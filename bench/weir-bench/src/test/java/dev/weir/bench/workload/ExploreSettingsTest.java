package dev.weir.bench.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExploreSettingsTest {
    private static WorkloadPoint point(String scenario, String rest) {
        return Workload.parse("w.yaml", "name: w\nscenario: " + scenario + "\ndrivers: [plain]\n" + rest, false)
                .points()
                .get(0);
    }

    @ParameterizedTest
    @CsvSource({
        "p99<=100ms, 99, 100, ALL, p99<=100ms",
        "p75<=0.5s, 75, 500, ALL, p75<=500ms",
        "worst p99.9<=250us, 99.9, 0.25, WORST_PARTITION, worst p99.9<=0.25ms",
        "worst consumer p99.99<=1s, 99.99, 1000, WORST_CONSUMER, worst consumer p99.99<=1000ms"
    })
    void target_isRead_andWritten(String text, double percentile, double millis, LatencyTarget.Of of, String written) {
        LatencyTarget target = LatencyTarget.of(text);
        assertThat(target).isEqualTo(new LatencyTarget(percentile, millis, of));
        assertThat(target).hasToString(written);
    }

    @ParameterizedTest
    @CsvSource({"p99<100ms", "p100<=1ms", "99<=1ms", "p99<=1", "p0<=1ms", "p99<=1us", "p99<=601s", "p99 <= 1ms"})
    void target_thatIsNone_isRefused(String text) {
        assertThatThrownBy(() -> LatencyTarget.of(text))
                .isInstanceOf(WorkloadException.class)
                .hasMessageContaining("target=" + text);
        assertThatThrownBy(() -> point("work", "target: \"" + text + "\"\n"))
                .isInstanceOf(WorkloadException.class)
                .hasMessageContaining("w.yaml:4:9");
    }

    @Test
    void settings_areOfTheFile_unlessATargetIsGiven() {
        WorkloadPoint point = point("work", "target: p75<=50ms\nexplore: {members: 3, startRate: 20}\n");
        ExploreSettings settings = ExploreSettings.of(point, null);
        assertThat(settings.target()).isEqualTo(LatencyTarget.of("p75<=50ms"));
        assertThat(settings.members()).isEqualTo(3);
        assertThat(settings.startRate()).isEqualTo(20);
        assertThat(ExploreSettings.of(point, LatencyTarget.of("p50<=1s"))
                        .target()
                        .limitMillis())
                .isEqualTo(1000);
    }

    @ParameterizedTest
    @CsvSource({"none, 0, 12", "none, 2, 6", "partition, 0, 5", "partition, 1, 3", "key, 0, 10", "key, 1, 3"})
    void handlers_areCountedOverAllMembers(String ordering, int downstream, int handlers) {
        WorkloadPoint point = point(
                "work",
                "topic: {partitions: 5, keys: 10}\nexplore.members: 3\noptions: {concurrency: 4, work.millis: 5, ordering: "
                        + ordering + ", work.failures: 0.3, work.downstream: " + downstream + "}\n");
        assertThat(handlers(point)).isEqualTo(handlers);
    }

    private static int handlers(WorkloadPoint point) {
        return Handlers.ofGroup(point, ExploreSettings.of(point, null).members());
    }

    @Test
    void handlersThatDoNotBlock_haveNoCount() {
        WorkloadPoint point = point("at-least-once", "");
        assertThat(handlers(point)).isZero();
    }

    @Test
    void pointThatCannotBeExplored_isRefused_withTheKey() {
        List<List<String>> refused = List.of(
                List.of("consume", "", "scenario=consume"),
                List.of("work", "topic.valueRandom: 0.5\n", "topic.valueRandom=0.5"),
                List.of("work", "topic.headers: 1\n", "topic.headers=1"),
                List.of("work", "topic.partitions: 101\n", "topic.partitions=101"),
                List.of("work", "options.sink.records.per.second: 9\n", "options.sink.records.per.second"),
                List.of("work", "explore: {startRate: 10, maxRate: 5}\n", "explore.maxRate=5"));
        refused.forEach(one -> assertThatThrownBy(() -> ExploreSettings.of(point(one.get(0), one.get(1)), null))
                .isInstanceOf(WorkloadException.class)
                .hasMessageContaining(one.get(2)));
    }

    @Test
    void shippedFile_canBeExplored_alsoQuick() {
        Path file = Path.of(System.getProperty("weir.root"), "bench", "workloads", "explore", "two-members.yaml");
        for (boolean quick : new boolean[] {false, true}) {
            Workload workload = Workload.read(file, quick);
            assertThat(workload.points())
                    .allSatisfy(point -> assertThat(handlers(point)).isEqualTo(2));
        }
    }

    @Test
    void workloadAlone_takesSomeDrivers_withoutTheBaseline() {
        Workload workload = Workload.parse("w", "name: w\nscenario: work\ndrivers: [plain, weir]\n", false);
        assertThat(workload.alone(List.of("weir")).drivers()).containsExactly("weir");
        assertThat(workload.alone(List.of()).drivers()).containsExactly("plain", "weir");
        assertThatThrownBy(() -> workload.alone(List.of("weird"))).hasMessageContaining("did you mean weir?");
    }

    @Test
    void shapeOfALoad_isRefused_sinceOneRateIsLookedFor() {
        WorkloadPoint point = point("work", "topic: {recordsPerSecond: 100, load: 0s:1 9s:2}\n");
        assertThatThrownBy(() -> ExploreSettings.of(point, LatencyTarget.of("p50<=1s")))
                .isInstanceOf(WorkloadException.class)
                .hasMessage("explore looks for one rate: leave topic.load out");
    }
}
