package dev.weir.drivers.weir;

import dev.weir.driver.Driver;
import dev.weir.driver.Pass;
import dev.weir.driver.Scenario;
import dev.weir.kafka.ConsumerSettings;
import dev.weir.kafka.KafkaSource;
import dev.weir.stream.RunningPipeline;
import dev.weir.stream.Sink;
import java.time.Duration;
import java.util.Map;
import java.util.Set;

/**
 * A pipeline from {@code KafkaSource.committable} to {@code Sink.forEach}. Weir has no source that never commits yet:
 * where nothing is to be committed, it is told to commit after ten minutes. Confined to the main thread.
 */
final class WeirDriver implements Driver {
    private static final Duration NEVER = Duration.ofMinutes(10);
    private static final Duration DRAIN = Duration.ofSeconds(20);

    private final Map<String, String> preset;

    WeirDriver(Map<String, String> preset) {
        this.preset = preset;
    }

    @Override
    public Set<Scenario> scenarios() {
        return Set.of(Scenario.CONSUME, Scenario.AT_LEAST_ONCE);
    }

    @Override
    public void run(Pass pass) throws Exception {
        boolean commits = pass.configuration().scenario() != Scenario.CONSUME;
        ConsumerSettings.Builder<byte[], byte[]> settings = ConsumerSettings.builder()
                .commitInterval(commits ? Duration.ofMillis(pass.commitIntervalMillis()) : NEVER)
                .commitRecords(Integer.MAX_VALUE);
        pass.consumerConfig(preset).forEach(settings::property);
        try (RunningPipeline run = KafkaSource.committable(
                        settings.build(), pass.configuration().topic())
                .to(Sink.forEach(record -> pass.delivered(record.partition(), record.value())))
                .run()) {
            pass.failsWith(run.completion());
            pass.awaitDone();
            run.drain(DRAIN);
        }
    }
}
