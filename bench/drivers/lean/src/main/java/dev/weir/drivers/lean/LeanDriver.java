package dev.weir.drivers.lean;

import dev.weir.driver.Driver;
import dev.weir.driver.Pass;
import dev.weir.driver.Scenario;
import dev.weir.lean.LeanConsumer;
import dev.weir.lean.LeanSettings;
import dev.weir.lean.RecordHandler;
import dev.weir.lean.StartAt;
import java.time.Duration;
import java.util.Map;
import java.util.Set;

/**
 * Reads with {@code LeanConsumer} in a loop, with its defaults, and reads each value in the fetch-response buffer. It
 * has no group, so it commits nothing. It uses only these {@code client} properties of a workload:
 * {@code isolation.level}, {@code fetch.min.bytes}, and the properties for the connection. Confined to the main thread.
 */
final class LeanDriver implements Driver {
    private static final Duration LONGEST_WAIT = Duration.ofMillis(100);

    @Override
    public Set<Scenario> scenarios() {
        return Set.of(Scenario.CONSUME, Scenario.STEADY);
    }

    @Override
    public void run(Pass pass) {
        LeanSettings.Builder settings = LeanSettings.builder();
        Map<String, String> config = pass.clientConfig().consumer(Map.of());
        config.forEach(settings::property);
        settings.minFetchBytes(Integer.parseInt(config.getOrDefault("fetch.min.bytes", "1")));
        settings.readCommitted("read_committed".equals(config.get("isolation.level")));
        RecordHandler deliver = record -> pass.delivered(
                record.partition(),
                record.value().getLong(0),
                record.value().getLong(Long.BYTES),
                record.value().length());
        try (LeanConsumer consumer = LeanConsumer.open(settings.build())) {
            for (int partition = 0; partition < pass.configuration().partitions(); partition++) {
                consumer.assign(pass.configuration().topic(), partition, StartAt.beginning());
            }
            while (!pass.isDone()) {
                if (consumer.poll(deliver) == 0) {
                    consumer.await(LONGEST_WAIT);
                }
            }
        }
    }
}
