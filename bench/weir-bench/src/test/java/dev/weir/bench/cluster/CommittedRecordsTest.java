package dev.weir.bench.cluster;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.bench.RunFailure;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CommittedRecordsTest {

    /** Regression: the campaign ended with a stack trace if a topic could not be read. */
    @Test
    void topicThatCannotBeRead_failsTheRun() {
        Map<String, String> nobody = Map.of("bootstrap.servers", "127.0.0.1:1", "default.api.timeout.ms", "20");
        assertThatThrownBy(() -> CommittedRecords.count(nobody, "t"))
                .isInstanceOf(RunFailure.class)
                .hasMessageStartingWith("what was written to t could not be counted: ");
    }
}
