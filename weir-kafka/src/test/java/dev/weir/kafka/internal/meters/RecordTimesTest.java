package dev.weir.kafka.internal.meters;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.kafka.ProducerHandle.Latency;
import org.junit.jupiter.api.Test;

class RecordTimesTest {

    @Test
    void times_ofAllRecords_areCountedUntilTheCommit() {
        RecordTimes times = new RecordTimes();
        for (int i = 0; i < 1_000; i++) {
            times.add(1_000 + i / 10);
        }
        LatencyCounts latency = new LatencyCounts();
        times.countUntil(1_100, latency);
        assertThat(latency.snapshot()).isEqualTo(Latency.of(1_000, 50, 99, 100));
    }
}
