package dev.weir.bench.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.driver.Feature;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CopyingTest {

    @Test
    void exactlyOnce_isAskedOfDriversThatHaveIt() {
        assertThat(point("copy", "options.guarantee: exactly-once").features()).containsExactly(Feature.EXACTLY_ONCE);
        assertThat(point("copy", "options.guarantee: at-least-once").features()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "topic.transactionRecords: 10, topic.transactionRecords",
        "options.sink.records.per.second: 10, options.work.rounds",
        "'{topic.keys: 10, options.ordering: key}', options.ordering",
        "'{options.guarantee: exactly-once, options.ordering: none}', options.ordering",
        "topic.records: 300000000, topic.records",
        "method.settleSeconds: 1, method.settleSeconds",
        "'{topic.recordsPerSecond: 10, topic.valueBytes: 19}', topic.valueBytes to 20"
    })
    void settingsThatDoNotGoWithCopy_areRefused(String setting, String named) {
        assertThatThrownBy(() -> point("copy", setting.replaceAll("[{}]", "").replace(", ", "\n")))
                .isInstanceOf(WorkloadException.class)
                .hasMessageContaining("scenario copy")
                .hasMessageContaining(named);
    }

    @Test
    void copyAtARate_isOfAGroupThatIsSentTo() {
        WorkloadPoint planned = point("copy", "topic: {recordsPerSecond: 10, load: 0s:1 5s~2}\nmethod.proxy: true");
        assertThat(planned.isChangeable()).isTrue();
        assertThat(planned.copiesByPlan()).isTrue();
        assertThat(point("copy", "").copiesByPlan()).isFalse();
    }

    @Test
    void guarantee_isOfCopyOnly() {
        assertThatThrownBy(() -> point("at-least-once", "options.guarantee: exactly-once"))
                .isInstanceOf(WorkloadException.class)
                .hasMessageContaining("options.guarantee applies only to scenario copy");
    }

    private static WorkloadPoint point(String scenario, String settings) {
        return Workload.parse("test", "name: test\nscenario: " + scenario + "\ndrivers: [plain]\n" + settings, false)
                .points()
                .get(0);
    }
}
