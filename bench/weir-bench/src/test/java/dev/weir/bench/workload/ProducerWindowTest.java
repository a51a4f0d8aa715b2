package dev.weir.bench.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.driver.PassOptions;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ProducerWindowTest {

    /** A record takes the bytes of its value and key plus seven, the least overhead in a batch. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            topic.valueBytes: 93 | 10000
            topic.valueBytes: 993 | 1000
            topic: {valueBytes: 89, keys: 10} | 10000
            topic.valueSizes: 50:0.5 136:0.5 | 10000
            topic.valueBytes: 1000000 | 1
            """)
    void window_isAsManyRecords_byTheirMeanLength(String topic, String records) {
        WorkloadPoint point = point("copy", "options.in.flight.bytes: 1000000\n" + topic);
        assertThat(point.options())
                .containsEntry(PassOptions.IN_FLIGHT, records)
                .doesNotContainKey("in.flight.bytes");
        assertThat(point.client()).containsEntry("buffer.memory", "1000000");
    }

    // Regression: the lean producer refused a small window.
    @ParameterizedTest
    @CsvSource({"1000000, , 1000000", "1048576, , ", "1000000, 500000, 500000"})
    void windowThatIsSmallerThanARequest_boundsRequestsToo(String window, String said, String request) {
        WorkloadPoint point = point(
                "copy",
                "options.in.flight.bytes: " + window + (said == null ? "" : "\nclient.max.request.size: " + said));
        assertThat(point.client().get("max.request.size")).isEqualTo(request);
    }

    @Test
    void fileWithoutAWindow_leavesItToEach() {
        WorkloadPoint point = point("produce", "");
        assertThat(point.options()).containsEntry(PassOptions.IN_FLIGHT, "0").doesNotContainKey("in.flight.bytes");
        assertThat(point.client()).doesNotContainKey("buffer.memory");
    }

    @ParameterizedTest
    @CsvSource({
        "consume, topic.keys: 5, scenario produce or copy",
        "copy, options.in.flight.records: 5, options.in.flight.records both limit",
        "copy, client.buffer.memory: 5, client.buffer.memory of libraries that count bytes",
        "copy, topic.valueFile: FILE, topic.valueFile"
    })
    void settingsThatDoNotGoWithAWindow_areRefused(String scenario, String setting, String named) {
        String file = Path.of(System.getProperty("weir.root"), "LICENSE").toString();
        assertThatThrownBy(() -> point(scenario, "options.in.flight.bytes: 1000\n" + setting.replace("FILE", file)))
                .isInstanceOf(WorkloadException.class)
                .hasMessageContaining("options.in.flight.bytes")
                .hasMessageContaining(named);
    }

    @ParameterizedTest
    @ValueSource(strings = {"producer", "producer-latency", "copy", "copy-exactly-once"})
    void shippedFile_givesEverybodyTheSameBytes(String name) {
        Path file = Path.of(System.getProperty("weir.root"), "bench", "workloads", name + ".yaml");
        assertThat(Workload.read(file, false).points()).allSatisfy(point -> {
            long bytes = Long.parseLong(point.client().getOrDefault("buffer.memory", "0"));
            long records = Long.parseLong(point.options().getOrDefault(PassOptions.IN_FLIGHT, "0"));
            assertThat(bytes).isEqualTo(32 << 20);
            assertThat(bytes - records * (point.valueBytes() + 7)).isBetween(0L, point.valueBytes() + 7L);
        });
    }

    private static WorkloadPoint point(String scenario, String settings) {
        return Workload.parse("w", "name: w\nscenario: " + scenario + "\ndrivers: [plain]\n" + settings, false)
                .points()
                .getFirst();
    }
}
